# SPDX-License-Identifier: MIT
"""A layer, and a room of one, includes only layers below it; only codegen/*.cpp includes Halide.h; files include only neighbours."""
import re

from common import files, finish, layers, name, source_lines

below = {"runtime": (), "ir": ("runtime",), "dsl": ("runtime", "ir"), "codegen": ("runtime", "ir", "dsl"),
         "optim": ("runtime", "ir", "dsl", "codegen"), "mpi": ("runtime", "ir", "optim"),
         "cli": ("runtime", "ir", "dsl", "codegen", "optim"), "python": ("runtime", "ir", "dsl", "codegen", "optim")}
# Within a layer a room includes these, its own files, and free includes.  Files of ir, codegen and optim in no folder are rooms too.
below_planner = ("ir", "ir/ops", "ir/tensor_ops", "ir/passes", "ir/interpreter")
lowered = ("codegen/scalar", "codegen/loops", "codegen/device", "codegen/lowering", "codegen/strategies")
compiled = (*lowered, "codegen/disk_cache", "codegen/tuning/records", "codegen/jit")
values = ("runtime/tensor", "runtime/device", "runtime/layouts")
rooms = {"runtime/support": (), "runtime/tensor": (), "runtime/device": ("runtime/tensor",), "runtime/layouts": ("runtime/tensor", "runtime/device"),
         "runtime/io": values, "runtime/kernel": values,
         "runtime/dispatch": ("runtime/tensor", "runtime/layouts", "runtime/kernel"),
         "runtime/iterate": (*values, "runtime/kernel", "runtime/dispatch"),
         "runtime/list_kernels": ("runtime/tensor", "runtime/layouts", "runtime/kernel"),
         "ir/ops": (), "ir": ("ir/ops",), "ir/tensor_ops": ("ir", "ir/ops"), "ir/interpreter": ("ir", "ir/ops"),
         "ir/expressions": ("ir", "ir/ops", "ir/tensor_ops", "ir/interpreter"),
         "ir/passes": ("ir", "ir/ops", "ir/tensor_ops", "ir/expressions"),
         "ir/planner": below_planner, "ir/planner/report": (*below_planner, "ir/planner"),
         "ir/planner/executor": (*below_planner, "ir/planner", "ir/planner/report"),
         "codegen/scalar": (), "codegen/loops": (), "codegen/device": ("codegen/scalar", "codegen/loops"),
         "codegen/lowering": ("codegen/scalar", "codegen/loops", "codegen/device"),
         "codegen/strategies": ("codegen/scalar", "codegen/loops", "codegen/lowering"), "codegen/disk_cache": ("codegen/loops",),
         "codegen/tuning/records": ("codegen/loops", "codegen/lowering", "codegen/disk_cache"),
         "codegen/jit": (*lowered, "codegen/disk_cache", "codegen/tuning/records"),
         "codegen": compiled, "codegen/aot": compiled, "codegen/tuning/search": (*compiled, "codegen"),
         "optim": (), "optim/rules": ("optim",)}
free = ("runtime/support", "codegen/limits.hpp")
# Headers for users, which include the headers of all rooms.
umbrellas = ("codegen/codegen.hpp", "optim/optim.hpp")
include = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Parts of codegen/ that optimizers may include: they link without Halide, or are only headers.
without_halide = ("codegen/loops/", "codegen/jit/jit.hpp")
faults, count = [], 0


def room_of(file):
    return max((room for room in rooms if file.startswith(room + "/")), key=len, default=None)


def goes_up(file, other):
    """Tells if a file includes another, of a room that does not precede its own."""
    room, target = room_of(file), room_of(other)
    if file in umbrellas or room is None or target in (None, room) or room.split("/")[0] != target.split("/")[0]:
        return False
    return target not in rooms[room] and other not in free and target not in free


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
        other = (path.parent / target).resolve()
        if kind != '"' or not (target.startswith("..") or other.is_file()):
            continue
        crossed = name(other).split("/")[0]
        if crossed != layer and crossed not in below[layer]:
            faults.append(f"{where}: {layer} includes {target}: it may include {', '.join(below[layer]) or 'no other layer'}")
        elif layer == "optim" and crossed == "codegen" and not name(other).startswith(without_halide):
            faults.append(f"{where}: includes {target}: optimizers run without a compiler, on loops of a provider")
        elif not other.is_file():
            faults.append(f"{where}: includes {target}, which is not there")
        elif goes_up(name(path), name(other)):
            faults.append(f"{where}: {room_of(name(path))} includes {name(other)}: it may include "
                          f"{', '.join(rooms[room_of(name(path))]) or 'no other room'}")

finish(faults, f"{count} includes of {', '.join(layers)}")
