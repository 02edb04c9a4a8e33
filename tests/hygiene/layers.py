# SPDX-License-Identifier: MIT
"""A layer, and a room of one, includes only what lies below it; only codegen/*.cpp includes Halide.h; nobody includes what is not a neighbour."""
import re

from common import files, finish, layers, name, source_lines

below = {"runtime": (), "ir": ("runtime",), "dsl": ("runtime", "ir"), "codegen": ("runtime", "ir", "dsl"),
         "optim": ("runtime", "ir", "dsl", "codegen"), "mpi": ("runtime", "ir", "optim"),
         "cli": ("runtime", "ir", "dsl", "codegen", "optim")}
# Within a layer a room includes what stands before it, its own files, runtime/support and runtime/limits.hpp.
rooms = {"runtime/support": (), "runtime/tensor": (), "runtime/layouts": ("runtime/tensor",), "runtime/io": ("runtime/tensor", "runtime/layouts"),
         "runtime/kernel": ("runtime/tensor", "runtime/layouts"),
         "runtime/dispatch": ("runtime/tensor", "runtime/layouts", "runtime/kernel"),
         "runtime/iterate": ("runtime/tensor", "runtime/layouts", "runtime/kernel", "runtime/dispatch"),
         "runtime/list_kernels": ("runtime/tensor", "runtime/layouts", "runtime/kernel"),
         "ir/ops": (), "ir/tensor_ops": ("ir", "ir/ops"), "ir/passes": ("ir", "ir/ops", "ir/tensor_ops"),
         "ir/interpreter": ("ir", "ir/ops"),
         "ir/planner": ("ir", "ir/ops", "ir/tensor_ops", "ir/passes", "ir/interpreter"),
         "ir/planner/report": ("ir", "ir/ops", "ir/interpreter", "ir/planner"),
         "ir/planner/executor": ("ir", "ir/ops", "ir/interpreter", "ir/planner", "ir/planner/report"), "ir": ("ir/ops",)}
# Includes that still go against that order: lines leave this list, none comes.
known = {
    ("runtime/kernel/compiled_kernel.cpp", "runtime/dispatch/mask_cache.hpp"),
    ("runtime/kernel/compiled_kernel.cpp", "runtime/iterate/coalesce_domain.hpp"),
    ("runtime/tensor/compare.cpp", "runtime/layouts/layout_traits.hpp"),
    ("runtime/tensor/masked_tensor.cpp", "runtime/layouts/layout_traits.hpp"),
    ("runtime/tensor/print.cpp", "runtime/layouts/layout_traits.hpp"),
    ("ir/tensor_ops/expression_context.cpp", "ir/interpreter/tensor_kernels.hpp"),
    ("ir/tensor_ops/expression_context.cpp", "ir/interpreter/tensor_kernels_walk.hpp"),
    ("ir/tensor_ops/expression_context.hpp", "ir/interpreter/interpret.hpp"),
    ("ir/tensor_ops/reductions.cpp", "ir/passes/gradient/rules.hpp"),
    ("ir/tensor_ops/value.cpp", "ir/passes/gradient/rules.hpp"),
}
include = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Parts of codegen/ that optimizers may include: they link without Halide, or are headers alone.
without_halide = ("codegen/loops/", "codegen/strategies/schedule.hpp", "codegen/jit/jit.hpp")
faults, count, met = [], 0, set()


def room_of(file):
    return max((room for room in rooms if file.startswith(room + "/")), key=len, default=None)


def goes_up(file, other):
    """Tells if a file includes another, of a room that does not stand before its own."""
    room, target = room_of(file), room_of(other)
    if room is None or target in (None, room, "runtime/support") or room.split("/")[0] != target.split("/")[0]:
        return False
    return target not in rooms[room]


for path in files(*layers):
    layer = name(path).split("/")[0]
    for number, line in enumerate(source_lines(path), 1):
        found = include.match(line)
        if not found:
            continue
        count += 1
        where, (kind, target) = f"{name(path)}:{number}", found.groups()
        if target == "Halide.h" and not (layer == "codegen" and path.suffix == ".cpp"):
            faults.append(f"{where}: includes Halide.h, which is for codegen/*.cpp alone")
        if target == "Halide.h" and kind == '"':
            faults.append(f"{where}: Halide.h is a system header: write <Halide.h>")
        if target.startswith("frisket/"):
            faults.append(f"{where}: includes <{target}>, which is for users: name the header itself")
        if kind != '"' or not target.startswith(".."):
            continue
        other = (path.parent / target).resolve()
        crossed = name(other).split("/")[0]
        if crossed != layer and crossed not in below[layer]:
            faults.append(f"{where}: {layer} includes {target}: it may include {', '.join(below[layer]) or 'no other layer'}")
        elif layer == "optim" and crossed == "codegen" and not name(other).startswith(without_halide):
            faults.append(f"{where}: includes {target}: optimizers run without a compiler, on loops of a provider")
        elif not other.is_file():
            faults.append(f"{where}: includes {target}, which is not there")
        elif goes_up(name(path), name(other)):
            met.add((name(path), name(other)))
            if (name(path), name(other)) not in known:
                faults.append(f"{where}: {room_of(name(path))} includes {name(other)}: it may include "
                              f"{', '.join(rooms[room_of(name(path))]) or 'no other room'}")

faults += [f"layers.py: {file} does not include {other} any more: take that line out" for file, other in sorted(known - met)]

finish(faults, f"{count} includes of {', '.join(layers)}")
