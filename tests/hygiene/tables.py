# SPDX-License-Identifier: MIT
"""Names in the tables of the sources occur wherever else they belong: documents, files, CMake."""
import re

from common import files, finish, layers, name, root

faults, count = [], 0


def read(path):
    return (root / path).read_text(encoding="utf-8")


def part(path, begin, end):
    """The text between two texts."""
    found = re.search(re.escape(begin) + "(.*?)" + re.escape(end), read(path), re.DOTALL)
    if not found:
        faults.append(f"{path}: there is no text from {begin!r} to {end!r}: tables.py reads a table there")
    return found.group(1) if found else ""


def column(path, header, number):
    """The names in `code` of one column of the table with this header in a document."""
    rows = (re.split(r"(?<!\\)\|", line)[1:-1] for line in part(path, header + "\n", "\n\n").splitlines()[1:])
    return [row[number].strip().strip("`") for row in rows]


def agree(source, names, other, others):
    """Both have the same names, in any order."""
    global count
    count += len(names)
    faults.extend(f"{source}: {name} is missing from {other}" for name in names if name not in others)
    faults.extend(f"{other}: {name} is not in {source}" for name in others if name not in names)
    faults.extend(f"{other}: {name} is there twice" for name in set(others) if others.count(name) > 1)


sources = "".join(read(path.relative_to(root)) for path in sorted((root / "ir/ops").glob("*.hpp")))
blocks = dict(re.findall(r'^struct (\w+) \{\s+static constexpr OpInfo info\{\s*\.name = "(\w+)"', sources, re.MULTILINE))
listed = re.findall(r"op::(\w+)", part("ir/ops/ops.hpp", "using Ops = OpList<", ">"))
agree("ir/ops", list(blocks), "the list Ops of ir/ops/ops.hpp", listed)
agree("ir/ops", list(blocks), "the meanings in ir/ops", re.findall(r"^struct Meaning<(\w+)>", sources, re.MULTILINE))
agree("ir/ops", list(blocks.values()), "docs/language.md", column("docs/language.md", "| written | operation | result |", 1))

sources = "".join(read(path.relative_to(root)) for path in sorted((root / "dsl/tensor_ops").glob("*.hpp")))
whole = re.findall(r"""^struct \w+(?: : TensorOp<[\w<>, ]+>)? \{\s+static constexpr TensorOpInfo info\{\s*\.name = "(\w+)\"""", sources, re.MULTILINE)
agree("dsl/tensor_ops", whole, "docs/language.md", column("docs/language.md", "| written on whole tensors | operation | result |", 1))

layouts = re.findall(r"&(\w+)_traits", part("runtime/layouts/layout_traits.hpp", "layout_table[] = {", "}"))
agree("runtime/layouts/layout_traits.hpp", layouts, "runtime/tensor/masked_tensor.hpp",
      re.findall(r"^ +(\w+),", part("runtime/tensor/masked_tensor.hpp", "enum class Layout : std::uint8_t {", "}"), re.MULTILINE))
agree("runtime/layouts/layout_traits.hpp", layouts, "docs/tensors.md",
      column("docs/tensors.md", "| layout | values | which are specified |", 0))
agree("runtime/layouts/layout_traits.hpp", layouts, "cmake/frisket_add_kernels.cmake",
      part("cmake/frisket_add_kernels.cmake", 'if(NOT layout MATCHES "^(', ')$"').split("|"))
faults += [f"runtime/layouts/{name}.cpp is not there" for name in layouts if not (root / f"runtime/layouts/{name}.cpp").is_file()]

# A layout is asked for its traits; code that names several in one condition has to be changed for each new layout.
named_twice = re.compile(r"Layout::\w+\s*(?:\|\||&&)\s*[\w.()\[\]>-]+\s[!=]=\s(?:frisket::)?Layout::|case Layout::")
# The work of each kind of node is done in these; other files ask the table of ir/graph.hpp.
by_kind = ("ir/interpreter/interpret.cpp", "ir/passes/simplify.cpp", "ir/passes/transforms.cpp", "ir/passes/gradient/structure.cpp",
           "ir/planner/iteration_space.cpp", "codegen/lowering/expression_lowerer.cpp")
for path in files(*layers):
    text = path.read_text(encoding="utf-8")
    if not name(path).startswith("runtime/layouts/"):
        faults += [f"{name(path)}:{text.count(chr(10), 0, found.start()) + 1}: names several layouts, wanted a trait of them: add "
                   "it to runtime/layouts/layout_traits.hpp" for found in named_twice.finditer(text)]
    if "case NodeKind::" in text and name(path) not in by_kind:
        faults.append(f"{name(path)}: has a switch over kinds of nodes, wanted a field of NodeKindInfo in ir/graph.hpp, or a line in tables.py")

strategies = re.findall(r'\.name = "(\w+)"', part("runtime/kernel/strategy.hpp", "strategies[] = {", "};"))
makers = re.findall(r"make_(\w+)", part("codegen/strategies/strategies.cpp", "makers[])(const LoopRequest&, const Halide::Target&) = {", "}"))
agree("runtime/kernel/strategy.hpp", strategies, "docs/schedules.md", column("docs/schedules.md", "| strategy | walks | chosen for |", 0))
agree("runtime/kernel/strategy.hpp", strategies, "codegen/strategies/strategies.cpp", makers)
if strategies != makers:
    faults.append(f"codegen/strategies/strategies.cpp: the order is {', '.join(makers)}, wanted {', '.join(strategies)}")
faults += [f"codegen/strategies/{name}.cpp is not there" for name in strategies
           if not (root / f"codegen/strategies/{name}.cpp").is_file()]

rows = part("runtime/device/targets.cpp", "constexpr TargetRow target_table[] = {", "\n};")
targets = re.findall(r'\.name = "([\w-]+)"', rows)
agree("runtime/device/targets.cpp", targets, "docs/schedules.md", column("docs/schedules.md", "| target | loops for | just in time | ahead of time |", 0))
devices = re.findall(r'\.name = "([\w-]+)"[^}]*\.gpu = true', rows)
faults += [f"runtime/device/targets.cpp: {name}: cmake/frisket_add_kernels.cmake tells devices from processors by names of one word"
           for name in targets if name != "cpu" and (name in devices) == ("-" in name)]

rules = re.findall(r"RULE\((\w+)\)", part("optim/optim.hpp", "FRISKET_OPTIMIZER_RULES(RULE)", "\n\n"))
headers = {path.name: dict(re.findall(r"^struct (\w+) \{(?:(?!^\};).)*?static constexpr std::string_view name = \"(\w+)\"",
                                      read(path.relative_to(root)), re.MULTILINE | re.DOTALL))
           for path in sorted((root / "optim" / "rules").glob("*.hpp"))}
named = {struct: name for found in headers.values() for struct, name in found.items()}
agree("optim", list(named), "the list of optim/optim.hpp", rules)
agree("optim", [f"{name} in {header}" for header, found in headers.items() for name in found.values()], "optim/README.md",
      [f"{name} in {header}" for name, header in zip(column("optim/README.md", "| name | header | rule | source |", 0),
                                                     column("optim/README.md", "| name | header | rule | source |", 1))])
agree("optim", list(named.values()), "docs/optimizers.md",
      sorted(set(re.findall(r"^\| (\w+) \| zero \|", read("docs/optimizers.md"), re.MULTILINE))))
agree("optim", list(headers), "optim/optim.hpp", re.findall(r'#include "rules/(\w+\.hpp)"', read("optim/optim.hpp")))

finish(faults, f"{count} names of operations, layouts, strategies, targets and optimizers")
