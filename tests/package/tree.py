# SPDX-License-Identifier: MIT
"""tree.py PREFIX FOLDER... [--release]   looks at an installed tree: headers, links of documents, libraries that programs load, and that
no text names one of the folders that it was made in; in a release no file does, and it is small and stripped."""
import pathlib
import re
import subprocess
import sys

prefix = pathlib.Path(sys.argv[1]).resolve()
is_release = "--release" in sys.argv
made_in = sorted({str(pathlib.Path(folder).resolve()) for folder in sys.argv[2:] if folder != "--release"} |
                 {folder for folder in sys.argv[2:] if folder != "--release"})
files = [path for path in sorted(prefix.rglob("*")) if path.is_file()]
faults = []


def name(path):
    return path.relative_to(prefix).as_posix()


def headers():
    found = [path for path in files if path.suffix in (".h", ".hpp") and name(path).startswith("include/")]
    # Headers of frisket::mpi are a component of their own.
    count = sum("mpi" not in path.parts and path.name != "mpi.hpp" for path in found)
    if not 0 < count < 70:
        faults.append(f"{count} headers are installed, wanted fewer than 70")
    for path in found:
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 400:
            faults.append(f"{name(path)}: {text.count(chr(10))} lines, at most 400")
        for other in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            if not any((folder / other).is_file() for folder in (path.parent, prefix / "include/frisket")):
                faults.append(f"{name(path)}: includes {other}, which is not installed")


def anchors(path):
    """The anchors of a document's headings, as GitHub and other sites make them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links():
    documents = [path for path in files if path.suffix == ".md"]
    count = 0
    for path in documents:
        for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
            if re.match(r"https?:", link):
                continue
            count += 1
            target, _, anchor = link.partition("#")
            other = (path.parent / target).resolve() if target else path
            if not other.exists() or not other.is_relative_to(prefix):
                faults.append(f"{name(path)}: the link {link} leads nowhere")
            elif anchor and anchor not in anchors(other):
                faults.append(f"{name(path)}: {link}: {name(other)} has no heading of that name")
    if len(documents) < 10 or count < 10:
        faults.append(f"only {len(documents)} documents with {count} links are installed")


def folders():
    """Texts name none of the folders that the tree was made in; in a release no file does."""
    for path in files:
        data = path.read_bytes()
        if not is_release and b"\0" in data:
            continue
        faults.extend(f"{name(path)}: names {folder}" for folder in made_in if folder.encode() in data)


def readelf(*arguments):
    return subprocess.run(["readelf", *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def programs():
    """Checks that programs look for the libraries that they load in the tree itself."""
    found = [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]
    if not found:
        faults.append("no program and no shared library is installed")
    for path in found:
        for entry in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", readelf("-d", path)):
            for place in entry.split(":"):
                if not place.startswith("$ORIGIN"):
                    faults.append(f"{name(path)}: looks for libraries in {place}, wanted a place from $ORIGIN on")
        if is_release and ".symtab" in readelf("-S", path):
            faults.append(f"{name(path)}: is not stripped")


def archives():
    found = [path for path in files if path.suffix == ".a"]
    for path in found:
        if ".debug_info" in readelf("-S", path):
            faults.append(f"{name(path)}: has what debuggers read")
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB")
    if is_release and size > 30e6:
        faults.append(f"the tree has {size / 1e6:.1f} MB, at most 30")


for check in (headers, links, folders, programs, archives):
    check()
sys.exit("\n".join(faults) if faults else 0)
