# SPDX-License-Identifier: MIT
"""What the hygiene tests share: the files of the project, and how a test ends."""
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[2]
layers = ("runtime", "dsl", "codegen", "optim")
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


def finish(faults, checked):
    """Prints the faults and ends: 0 if there are none."""
    print("\n".join(faults) if faults else f"{checked}: all well")
    sys.exit(1 if faults else 0)
