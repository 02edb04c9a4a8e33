# SPDX-License-Identifier: MIT
"""A layer includes only what lies below it; only codegen/*.cpp includes Halide.h; nobody includes what is not a neighbour."""
import re

from common import files, finish, layers, name, source_lines

below = {"runtime": (), "dsl": ("runtime",), "codegen": ("dsl", "runtime"), "optim": ("dsl", "runtime", "codegen"),
         "cli": ("dsl", "runtime", "codegen", "optim")}
include = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
faults, count = [], 0

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
        elif not other.is_file():
            faults.append(f"{where}: includes {target}, which is not there")

finish(faults, f"{count} includes of {', '.join(layers)}")
