# SPDX-License-Identifier: MIT
"""Sources use the words of docs/glossary.md, which is sorted; names of earlier versions do not come back."""
import re

from common import code, files, finish, layers, name, opaque, root

# Names used before: identifiers, whole, in the sources of the layers and of the tests.
old = {
    "Few": "InlineVector", "Judgement": "ExprType", "StepJudge": "StepChecker", "Standing": "ExprCategory",
    "WholeOp": "TensorOp", "WholeInfo": "TensorOpInfo", "Session": "ExpressionContext", "Selector": "IndexSpec",
    "HostNumbers": "ScalarProgram", "unview": "scatter_view", "products_under_masks": "find_sampled_products",
    "LoopBody": "KernelBuilder", "LoopTask": "LoopRequest", "LoopSource": "KernelModule", "JitSource": "JitModule",
    "AotSource": "AotModule", "ForwardingSource": "ForwardingModule", "Situation": "DispatchQuery",
    "CallClass": "WorkloadClass", "run_stored": "coiterate", "StoredNodes": "IterationSpaceAnalysis",
    "StoredOperands": "SparseOperands", "StoredCall": "SparseCall", "Listing": "IterationSpace", "Places": "CoordinateSet",
    "ListsFirst": "SparsePrologue", "ListedValues": "SparseVector", "NestForm": "Specialization",
    "NestNotes": "KernelMetadata", "NestLowerer": "ExpressionLowerer", "seen_from": "broadcast_index",
    "FirstFailure": "ExceptionCollector", "MaskPattern": "MaskCache", "LayoutRow": "LayoutTraits", "walked_as": "kernel_layout",
    "walked_layout": "kernel_layout", "hidden_zero": "opaque_zero", "OneOfOurs": "AnyOperand", "Meetings": "ExpressionCounts",
    "Planning": "PlanRule", "plannings": "plan_rules", "PhaseArgument": "StageArgument", "PhaseArguments": "StageArguments",
    "RowPhase": "RowStage", "is_nothing_outside": "is_zero_outside", "is_its_mask": "equals_mask", "make_nest": "lower_expression",
    "nest_key": "loop_key", "NestRequest": "LoopRequest", "WantedNest": "WantedLoop", "spread_lists": "densified_lists",
    "spread_arguments": "densified_arguments", "ExpressionRequest": "LoopRequest", "StepRequest": "LoopRequest",
    "KernelRequest": "LoopRequest", "expression_loop_key": "loop_key", "step_key": "loop_key", "LoopNest": "BuiltLoops",
    "WantedExpression": "WantedLoop", "WantedStep": "WantedLoop",
}
word = re.compile(r"\b(" + "|".join(old) + r")\b")
faults, count = [], 0
for path in files(*layers, "tests", "bench", "examples", suffixes=code):
    text = opaque.sub(lambda found: "\n" * found.group().count("\n"), path.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        count += 1
        faults += [f"{name(path)}:{number}: {found} is called {old[found]}" for found in word.findall(line)]

rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", (root / "docs/glossary.md").read_text(encoding="utf-8"), re.MULTILINE)[1:]
faults += [f"docs/glossary.md: {after} stands after {before}"
           for before, after in zip(rows, rows[1:]) if before.lower() > after.lower()]
finish(faults, f"{count} lines, {len(rows)} words")
