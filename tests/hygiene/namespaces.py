# SPDX-License-Identifier: MIT
"""frisket:: has the names of the public headers; names of other headers are in the namespace of their room."""
import re

from common import files, finish, name, root, source_lines

# The namespaces of a room, below frisket.  Those of ir/ops are the meanings of operations, which loops and the interpreter both find as
# overloads for their own numbers: its three headers of overloads stay in frisket.
rooms = {"runtime": ("runtime", "npy", "safetensors", "limits"), "runtime/kernel": ("kernel_calls",), "runtime/dispatch": ("kernel_calls",),
         "runtime/iterate": ("kernel_calls",), "runtime/list_kernels": ("list_kernels",), "ir": ("ir", "tensor_kernels"), "ir/planner": ("planning",), "ir/ops": ("", "op", "formulas", "philox"),
         "codegen": ("codegen", "aot", "lowering", "sqlite", "limits")}


def public_headers():
    """The headers of the file sets that are installed."""
    found = set()
    for layer in ("runtime", "ir", "codegen"):
        text = (root / layer / "CMakeLists.txt").read_text(encoding="utf-8")
        begin = text.index("frisket_headers")
        found.update(f"{layer}/{header}" for header in re.findall(r"[\w/]+\.hpp\b", text[begin:text.index(")", begin)]))
    return found


opened = re.compile(r"^namespace frisket(?:::([\w:]+))? \{")
declared = re.compile(r"^(?:(?:class|struct) \w+;.*|\s*|/.*)$")
faults, count, public = [], 0, public_headers()
for path in files("runtime", "ir", "codegen"):
    header = name(path)
    if path.suffix != ".hpp" or header in public:
        continue
    count += 1
    room = max((room for room in rooms if header.startswith(room + "/")), key=len)
    lines = source_lines(path)
    for number, line in enumerate(lines):
        found = opened.match(line)
        if not found:
            continue
        space = (found.group(1) or "").split("::")[0]
        only_declares = True
        for inner in lines[number + 1:]:
            if inner.startswith("}"):
                break
            only_declares = only_declares and declared.match(inner) is not None
        if space not in rooms[room] and not only_declares:
            wanted = " or ".join(f"frisket::{one}" for one in rooms[room] if one)
            faults.append(f"{header}:{number + 1}: names of this header are not public: put them into {wanted}")
finish(faults, f"{count} headers")
