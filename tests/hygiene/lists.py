# SPDX-License-Identifier: MIT
"""Every source is named in a CMakeLists.txt of its folder, or of a folder above it; headers are installed that users include,
or that such headers include, and only these; every file of the project that a text names by its path is there, every path that a document names in backticks, and every
name of docs/architecture.md."""
import re
import sys

from common import code, files, finish, name, root

sys.path.append(str(root / "tools/reference"))
from public_headers import public_headers

# Found by their path, not by a list: each refusal is one file, and so is each program of the package tests, and each rule for calls;
# calibration.cpp is compiled by budgets.py.
exempt = ("tests/refuse/", "tests/budgets/calibration.cpp", "tests/package/", "ir/planner/rules/calls/")
folders = ("runtime", "ir", "dsl", "codegen", "optim", "mpi", "cli", "python", "tests", "examples", "tools", "bench", "cmake", "docs")
faults, count = [], 0


def named(path):
    """Tells if a list between the file and the project's root has its name, relative to that list or without suffix."""
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


for path in files(*folders[:-2]):
    if name(path).startswith(exempt) or (path.suffix == ".hpp" and name(path).startswith(("tests/", "examples/", "tools/"))):
        continue
    count += 1
    if not named(path):
        faults.append(f"{name(path)}: no CMakeLists.txt from its folder up names it")


def installed():
    """The headers of the lists of headers that are installed."""
    for listing in root.glob("*/CMakeLists.txt"):
        for block in re.findall(r"FILE_SET (?:HEADERS|user_headers)\s+FILES\s((?:\s+[\w./]+\.(?:hpp|h)$)+)", listing.read_text(encoding="utf-8"), re.MULTILINE):
            yield from (f"{listing.parent.name}/{header}" for header in block.split())


public, reached = set(installed()), public_headers(root)
faults += [f"{header}: is installed, and no header of users includes it: list it with the sources" for header in sorted(public - reached)]
faults += [f"{header}: users include it, and it is not installed" for header in sorted(reached - public)]


# A path from the project's root, in a list, a script, a document or a comment.
path_named = re.compile(r"(?<![\w/.}<-])(?:\$\{(?:frisket|PROJECT_SOURCE_DIR)\}/)?((?:" + "|".join(folders) +
                        r")/[\w/.-]+\.(?:cpp|hpp|h|c|inc|py|sh|cmake|md|txt|json))(?![\w.])")
texts = code + (".txt", ".cmake", ".py", ".sh", ".md", "")
paths = 0
for path in files(suffixes=texts):
    for line, text in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        for other in path_named.findall(text):
            paths += 1
            if not (root / other).is_file() and not (path.parent / other).is_file():
                faults.append(f"{name(path)}:{line}: there is no {other}")

# A file without its suffix, or a folder, in backticks of a document.
place_named = re.compile(r"`((?:" + "|".join(folders) + r")(?:/[\w-]+)+/?)`")
for path in files(suffixes=(".md",)):
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for other in place_named.findall(text):
            paths += 1
            place = root / other
            if not place.exists() and not any(place.parent.glob(f"{place.name}.*")):
                faults.append(f"{name(path)}:{line}: there is no {other}")

# Names of the code in backticks of the walks.
architecture = root / "docs/architecture.md"
known = {word for path in files(*folders[:-1], suffixes=(*code, ".py", ".cmake")) for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}
known |= {part.split(".")[0] for path in files(*folders, suffixes=None) for part in path.relative_to(root).parts}
for line, text in enumerate(architecture.read_text(encoding="utf-8").splitlines(), 1):
    faults += [f"{name(architecture)}:{line}: nothing is named {word}" for quoted in re.findall(r"`([^`]+)`", text)
               for word in re.findall(r"\w+", quoted) if word not in known]

finish(faults, f"{count} sources, {len(public)} installed headers, {paths} paths")
