# SPDX-License-Identifier: MIT
"""Code in the documents is code of the examples and tests, letter for letter.

In a document:  <!-- from examples/01_first_step.cpp [step] -->  and then a fenced block.
In the source:  // [step]  and  // [/step]  (or with #) on lines of their own; what both indent is taken off.
"""
import re
import textwrap

from common import files, finish, name, root

mark = re.compile(r"<!-- from (\S+) \[(\w+)\] -->\n+```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
loose = re.compile(r"^<!-- from (?!file)", re.MULTILINE)
faults, count = [], 0


def region(source, label):
    """The lines between the marks, or None."""
    found = re.search(rf"^[ \t]*(?://|#) \[{label}\]\n(.*?)^[ \t]*(?://|#) \[/{label}\]$", source, re.MULTILINE | re.DOTALL)
    return found and textwrap.dedent(found.group(1)).strip("\n")


for document in files(suffixes=(".md",)):
    content = document.read_text(encoding="utf-8")
    blocks = list(mark.finditer(content))
    if len(blocks) != len(loose.findall(content)):
        faults.append(f"{name(document)}: a line '<!-- from … -->' has no fenced block after it")
    for file, label, block in (found.groups() for found in blocks):
        count += 1
        path = root / file
        wanted = region(path.read_text(encoding="utf-8"), label) if path.is_file() else None
        if wanted is None:
            faults.append(f"{name(document)}: {file} has no region [{label}]")
        elif wanted != block.strip("\n"):
            faults.append(f"{name(document)}: the block from {file} [{label}] differs from the source")

finish(faults, f"{count} blocks of documents")
