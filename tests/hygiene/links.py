# SPDX-License-Identifier: MIT
"""Every link of a document names a file or folder of the project, and a heading of that document where it has an anchor."""
import re

from common import files, finish, name, root

link = re.compile(r"!?\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
code = re.compile(r"^( *)```.*?^\1``` *$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
faults, count = [], 0


def anchors(path):
    """Anchors of a document's headings, as hosts of repositories make them."""
    text = re.sub(r"^( *)```.*?^\1``` *$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = {}
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
    return {anchor if i == 0 else f"{anchor}-{i}" for anchor, last in found.items() for i in range(last + 1)}


for path in files(suffixes=(".md",)):
    for target, anchor in link.findall(code.sub("", path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        count += 1
        other = (path.parent / target).resolve() if target else path
        # Made by ./dev site.
        if not other.exists() and other != root / "docs" / "reference_python.md":
            faults.append(f"{name(path)}: there is no {target}")
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            faults.append(f"{name(path)}: {target} has no heading #{anchor}")

finish(faults, f"{count} links")
