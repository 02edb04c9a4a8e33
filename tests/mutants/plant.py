# SPDX-License-Identifier: MIT
"""plant.py FOLDER: writes a copy of the project into FOLDER in which every fault of the table is planted.

Files that have not changed keep their time, so that a second build compiles only changed files."""
import os
import pathlib
import shutil
import sys

import faults

mark = "planted_faults.txt"  # cmake/frisket_mutants.cmake looks for it


def sources():
    """The files of the project, without build folders and files of only some machines."""
    left_out = {".git", ".deps", ".cache", "__pycache__", "CMakeUserPresets.json"}
    for folder, names, files in os.walk(faults.root):
        is_top = pathlib.Path(folder) == faults.root
        names[:] = sorted(name for name in names if name not in left_out and not (is_top and name.startswith("build")))
        yield from (pathlib.Path(folder, name).relative_to(faults.root) for name in sorted(files) if name not in left_out)


def plant(tree):
    tree.mkdir(parents=True, exist_ok=True)
    by_file = {}
    for row in faults.load():
        by_file.setdefault(row.file, []).append(row)
    wanted = {tree / mark: "".join(f"{row.id}\n" for row in faults.load()).encode()}
    for name in sources():
        content = (faults.root / name).read_bytes()
        if rows := by_file.pop(name.as_posix(), None):
            content = faults.planted(content.decode(), rows).encode()
        wanted[tree / name] = content
    if by_file:
        raise ValueError(f"there is no file {sorted(by_file)[0]}")
    for path, content in wanted.items():
        if path.is_file() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if (faults.root / path.relative_to(tree)).is_file():
            shutil.copymode(faults.root / path.relative_to(tree), path)
    for folder, names, files in os.walk(tree):
        if pathlib.Path(folder) == tree:
            names[:] = [name for name in names if name not in ("build", ".deps")]
        for name in files:
            if pathlib.Path(folder, name) not in wanted:
                os.remove(os.path.join(folder, name))
    if (faults.root / ".deps").exists() and not (tree / ".deps").exists():
        (tree / ".deps").symlink_to((faults.root / ".deps").resolve())


if __name__ == "__main__":
    plant(pathlib.Path(sys.argv[1]).resolve())
