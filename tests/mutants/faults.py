# SPDX-License-Identifier: MIT
"""The table of planted faults, faults/*.toml, and how they get into a source."""
import dataclasses
import pathlib
import re
import tomllib

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
folders = ("runtime/tensor", "runtime/layouts", "runtime/io", "runtime/kernel", "runtime", "ir/passes", "ir/planner", "ir", "dsl",
           "codegen/lowering", "codegen/strategies", "codegen/disk_cache", "codegen/tuning", "codegen", "optim", "mpi", "cli")


@dataclasses.dataclass(frozen=True)
class Fault:
    """One planted fault: `new` replaces `old`, which its file has once, where FRISKET_MUTANT is its name."""
    id: str
    file: str
    fault: str
    old: str
    new: str
    tests: tuple = ()  # programs of tests that are asked first
    numeric: bool = False  # in code that computes elements, or finds them: the fuzzer may see it

    @property
    def folder(self):
        """The innermost of the folders that has the file."""
        within = [folder for folder in folders if self.file.startswith(folder + "/")]
        return max(within, key=len, default=self.file.rpartition("/")[0])

    def planted(self):
        """Text planted in the source: a choice of two expressions, or `new` with @ for the condition."""
        chosen = f'([] {{ static const bool is = frisket::is_planted("{self.id}"); return is; }}())'
        return self.new.replace("@", chosen) if "@" in self.new else f"({chosen} ? ({self.new}) : ({self.old}))"


def load():
    """All rows, by folder, in the order of the files."""
    rows = []
    for path in sorted((here / "faults").glob("*.toml")):
        with open(path, "rb") as file:
            table = tomllib.load(file)
        rows += [Fault(id=id, **{**row, "tests": tuple(row.get("tests", ()))}) for id, row in table.items()]
    return sorted(rows, key=lambda row: folders.index(row.folder) if row.folder in folders else len(folders))


def places(text, rows):
    """Places of the faults of a file; raises ValueError where a fault does not occur exactly once, or two faults share a position."""
    found = []
    for row in rows:
        count = text.count(row.old)
        if count != 1:
            raise ValueError(f"{row.id}: {row.file} has {row.old!r} {count} times, wanted once: choose another text in faults/")
        begin = text.index(row.old)
        found.append((begin, begin + len(row.old), row))
    found.sort(key=lambda place: place[0])
    for (_, end, one), (begin, _, other) in zip(found, found[1:]):
        if begin < end:
            raise ValueError(f"{one.id} and {other.id} are planted at one place of {one.file}")
    return found


def planted(text, rows):
    """The source with its faults."""
    for begin, end, row in reversed(places(text, rows)):
        text = text[:begin] + row.planted() + text[end:]
    include = f'#include "{"../" * rows[0].file.count("/")}tests/mutants/mutant.hpp"\n'
    return re.sub(r"^(#pragma once\n|#include )", lambda first: first[0] + include if "pragma" in first[0] else include + first[0],
                  text, count=1, flags=re.MULTILINE)
