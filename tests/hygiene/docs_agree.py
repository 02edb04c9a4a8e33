# SPDX-License-Identifier: MIT
"""Code in the documents is code of the examples and tests, letter for letter, and so is the output that they show.

In a document:  <!-- from examples/01_first_step.cpp [step] -->  and then a fenced block, which tabs may indent.
In the source:  // [step]  and  // [/step]  (or with #) on lines of their own; the common indentation is taken off.
In a document:  <!-- output of examples/01_first_step.cpp -->  and then a block with lines of the comment that ends the source
(// Output: or # Prints:), which the test of the example compares with what it prints.
"""
import re
import textwrap

from common import files, finish, name, root

fence = r"\n+ *```[^\n]*\n(.*?)^ *```"
mark = re.compile(r"<!-- from (\S+) \[(\w+)\] -->" + fence, re.MULTILINE | re.DOTALL)
output_mark = re.compile(r"<!-- output of (\S+) -->" + fence, re.MULTILINE | re.DOTALL)
loose = re.compile(r"^ *<!-- (?:from|output of) (?!file)", re.MULTILINE)
faults, count = [], 0


def region(source, label):
    """The lines between the marks, or None."""
    found = re.search(rf"^[ \t]*(?://|#) \[{label}\]\n(.*?)^[ \t]*(?://|#) \[/{label}\]$", source, re.MULTILINE | re.DOTALL)
    return found and textwrap.dedent(found.group(1)).strip("\n")


def output(source):
    """Lines that a source claims to print, between empty lines; or None."""
    found = re.search(r"^(//|#) (?:Output|Prints):\n(.*)", source, re.MULTILINE | re.DOTALL)
    lines = found and [line.removeprefix(found.group(1)).removeprefix(" ") for line in found.group(2).splitlines()]
    return lines and "\n" + "\n".join(lines).strip("\n") + "\n"


def plain(block):
    return textwrap.dedent(block).strip("\n")


for document in files(suffixes=(".md",)):
    content = document.read_text(encoding="utf-8")
    blocks, outputs = list(mark.finditer(content)), list(output_mark.finditer(content))
    if len(blocks) + len(outputs) != len(loose.findall(content)):
        faults.append(f"{name(document)}: a line '<!-- from … -->' or '<!-- output of … -->' has no fenced block after it")
    for file, block in (found.groups() for found in outputs):
        count += 1
        path = root / file
        printed = output(path.read_text(encoding="utf-8")) if path.is_file() else None
        if printed is None or f"\n{plain(block)}\n" not in printed:
            faults.append(f"{name(document)}: {file} does not print the block that shows its output")
    for file, label, block in (found.groups() for found in blocks):
        count += 1
        path = root / file
        wanted = region(path.read_text(encoding="utf-8"), label) if path.is_file() else None
        if wanted is None:
            faults.append(f"{name(document)}: {file} has no region [{label}]")
        elif wanted != plain(block):
            faults.append(f"{name(document)}: the block from {file} [{label}] differs from the source")

finish(faults, f"{count} blocks of documents")
