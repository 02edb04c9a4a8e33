# SPDX-License-Identifier: MIT
"""Code in the documents is code of the examples and tests, letter for letter, and so is the output that they show.

In a document:  <!-- from examples/01_first_step.cpp [step] -->  and then a fenced block, which tabs may indent.
In the source:  // [step]  and  // [/step]  (or with #) on lines of their own; the common indentation is taken off.
In a document:  <!-- output of examples/01_first_step.cpp -->  and then a block with lines of the comment that ends the source
(// Output: or # Prints:), which the test of the example compares with what it prints.
In a document:  <!-- run by tests/cli/cli.py -->  and then a block that the test reads out of the document and runs: `runners`.
In a document:  <!-- not run: a reason -->  and then a block that no test can run.
A block without one of these lines is a fault.
"""
import re
import textwrap

from common import files, finish, name, root

fence = r"\n+ *```[^\n]*\n(.*?)^ *```"
mark = re.compile(r"<!-- from (\S+) \[(\w+)\] -->" + fence, re.MULTILINE | re.DOTALL)
output_mark = re.compile(r"<!-- output of (\S+) -->" + fence, re.MULTILINE | re.DOTALL)
loose = re.compile(r"^ *<!-- (?:from|output of) (?!file)", re.MULTILINE)
comment = re.compile(r"<!-- (from \S+ \[\w+\]|output of \S+|run by \S+|not run: \S.*) -->$")
# Tests that read blocks out of documents, and what these are: language, first lines, documents.
runners = {"tests/python/test_guides.py": ("python", "", r"docs/guides/\w+\.md"),
           "tests/cli/cli.py": ("console", r"\$ (?:build/bin/)?frisket |\$ build/NAME_tune ", r".*")}
verbs = set(re.findall(r"^  (\w+) ", (root / "dev").read_text(encoding="utf-8"), re.MULTILINE))
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


def blocks_of(content):
    """(number of its first line, the last line before it that is not empty, language, lines) of each fenced block."""
    lines, begin = content.splitlines(), None
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            if begin is None:
                begin = number
            else:
                before = next((above.strip() for above in reversed(lines[:begin - 1]) if above.strip()), "")
                yield begin, before, lines[begin - 1].strip().removeprefix("```"), plain("\n".join(lines[begin:number - 1])).splitlines()
                begin = None


def unrun(document, before, language, lines):
    """The reason why a block is not known to be run; empty if it is, or if the document says why not."""
    found = comment.match(before)
    if not found:
        return "nothing runs the block: precede it with <!-- from … -->, <!-- output of … -->, <!-- run by … --> or <!-- not run: reason -->"
    if not found.group(1).startswith("run by "):
        return ""
    runner = found.group(1).removeprefix("run by ")
    wanted, begin, documents = runners.get(runner, ("", "", ""))
    # A line of a block of commands is a command, or goes on with one.
    firsts = [line for i, line in enumerate(lines) if i == 0 or not lines[i - 1].endswith("\\")] if wanted == "console" else lines[:1]
    if language != wanted or not re.fullmatch(documents, name(document)) or not all(re.match(begin, line) for line in firsts):
        return f"{runner} runs no such block"
    return ""


for document in files(suffixes=(".md",)):
    content = document.read_text(encoding="utf-8")
    # Texts that the golden tests write and compare as a whole.
    for number, before, language, lines in blocks_of(content) if not name(document).startswith("tests/golden/") else ():
        if why := unrun(document, before, language, lines):
            faults.append(f"{name(document)}:{number}: {why}")
        faults += [f"{name(document)}:{number}: ./dev has no verb {verb}" for verb in re.findall(r"\./dev (\w+)", "\n".join(lines)) if verb not in verbs]
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
