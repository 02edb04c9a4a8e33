# SPDX-License-Identifier: MIT
"""Costs above their rows are found: budgets.py is given the records of a build and of a run of tests, with overruns planted."""
import pathlib
import sys
import tempfile

import budgets

table = budgets.rows()
unit = table["calibration", "seconds"]
faults = []


def found(built=(), tested=(), size="quick", slower=1.0):
    """The sentences about records on a machine that is slower by a factor than the rows' machine."""
    with tempfile.TemporaryDirectory() as name:
        usage = pathlib.Path(name) / "usage"
        usage.mkdir()
        (usage / "calibration").write_text(str(unit * slower), encoding="utf-8")
        for file, records in (("build.tsv", built), ("tests.tsv", tested)):
            (usage / file).write_text("".join(f"{seconds * slower}\t0.1\t100\t{name}\n" for seconds, name in records), encoding="utf-8")
        return [one for one in budgets.check(pathlib.Path(name), size, 50) if not one.startswith("lines ")]


def expect(what, wanted, sentences):
    """Expects one sentence for each of the wanted beginnings."""
    if len(sentences) != len(wanted) or any(not sentence.startswith(start) for sentence, start in zip(sorted(sentences), sorted(wanted))):
        faults.append(f"{what}: wanted {wanted}, found {sentences}")


burning = [(budgets.tolerances["case"] * table["case", "quick"] + 1, "ir-quick\ta test that burns seconds")]
compiled = [(budgets.tolerance * table["build", "product"] + 1, "product\tfrisket_ir\tdear.cpp")]
expect("nothing", [], found())
expect("small costs", [], found([(1, "product\tfrisket_ir\ta.cpp")], [(1, "ir-quick\ta test")]))
expect("a dear quick test", ["case a test that burns seconds: "], found(tested=burning))
expect("a dear quick test on a slow machine", ["case a test that burns seconds: "], found(tested=burning, slower=3))
expect("a dear source", ["build product: "], found(compiled))
expect("a label of full", ["tests codegen-full: "], found(tested=[(table["tests", "codegen-full"] * 2, "codegen-full\ta test")], size="full"))
expect("a label of full, in a quick run", [], found(tested=[(table["tests", "codegen-full"] * 2, "codegen-full\ta test")]))
expect("a group without a row", ["build unknown: "], found([(1, "unknown\tfrisket_ir\ta.cpp")]))
# The last run of a command counts.
expect("an earlier run", [], found([*compiled, (1, compiled[0][1])]))

print("\n".join(faults) if faults else "planted overruns: all found")
sys.exit(1 if faults else 0)
