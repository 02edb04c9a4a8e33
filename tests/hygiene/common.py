# SPDX-License-Identifier: MIT
"""Helpers of the hygiene tests: the files of the project, and how a test ends."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
layers = ("runtime", "ir", "dsl", "codegen", "optim", "mpi", "cli", "python")
code = (".hpp", ".cpp", ".h", ".c", ".inc")


def files(*folders, suffixes=code):
    """Every file below the folders, or below the project, that has one of the suffixes; no build folders."""
    places = [root / folder for folder in folders] if folders else [root]
    for place in places:
        for path in sorted(place.rglob("*")):
            parts = path.relative_to(root).parts
            ours = not (parts[0].startswith("build") or any(part.startswith(".") and part != ".ci" for part in parts[:-1]))
            if ours and path.is_file() and (suffixes is None or path.suffix in suffixes):
                yield path


def name(path):
    return path.relative_to(root).as_posix()


# A literal or a comment; the text of a raw literal and of a comment is group 2 or 3.
opaque = re.compile(r"""R"([^()\s]*)\((.*?)\)\1"|//[^\n]*|/\*(.*?)\*/|"(?:\\.|[^"\\\n])*"|'(?:\\[^\n]{1,4}|[^'\\\n])'""", re.DOTALL)


def source_lines(path):
    """The lines of a source; lines in raw literals or in comments of several lines are empty."""
    def emptied(found):
        spans_lines = found.group(2) is not None or found.group(3) is not None
        return "\n" * found.group().count("\n") if spans_lines else found.group()
    return opaque.sub(emptied, path.read_text(encoding="utf-8")).splitlines()


def finish(faults, checked):
    """Prints the faults and ends: 0 without faults."""
    print("\n".join(faults) if faults else f"{checked}: all well")
    sys.exit(1 if faults else 0)
