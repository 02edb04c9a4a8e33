# SPDX-License-Identifier: MIT
"""Every source is named in a CMakeLists.txt of its folder, or of a folder above it."""
import re

from common import files, finish, name, root

# Found by their place, not by a list: each refusal is one file, and so is each program of the package tests.
exempt = ("tests/refuse/", "tests/package/")
faults, count = [], 0


def named(path):
    """Whether a list between the file and the project's root says its name, relative to that list or without suffix."""
    for folder in path.parents:
        listing = folder / "CMakeLists.txt"
        if listing.is_file():
            text = re.sub(r"#.*", "", listing.read_text(encoding="utf-8"))
            relative = path.relative_to(folder).as_posix()
            if re.search(rf"(?<![\w/]){re.escape(relative)}(?![\w.])", text):
                return True
            if path.suffix != ".hpp" and re.search(rf"(?<![\w/]){re.escape(relative.removesuffix(path.suffix))}(?![\w.])", text):
                return True
        if folder == root:
            return False


for path in files("runtime", "dsl", "codegen", "optim", "cli", "tests", "examples", "tools", "bench"):
    if name(path).startswith(exempt) or (path.suffix == ".hpp" and name(path).startswith(("tests/", "examples/", "tools/"))):
        continue
    count += 1
    if not named(path):
        faults.append(f"{name(path)}: no CMakeLists.txt from its folder up names it")

finish(faults, f"{count} sources")
