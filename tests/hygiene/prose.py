# SPDX-License-Identifier: MIT
"""Counts turns of phrase that comments and documents should not have, per 100 comments and per 100 lines of documents, and refuses growth.

    prose.py            compares with prose.tsv
    prose.py --accept   writes lower counts there; a higher one is written by hand, with a reason in the commit
    prose.py --list P   prints each place of pattern P"""
import math
import re
import sys

from comment_text import comments
from common import code, files, finish, layers, name, root

# Subject, verb, object; the field's verb; one fact a sentence.  Each row: a name, a pattern, what to write instead.
patterns = {
    "what": (r"\bwhat\b", "the noun: result, temporary, arguments"),
    "that of": (r"\b(?:that|those) of\b", "the noun again: comments are read alone"),
    "others": (r"\b(?:ones|others|alike)\b", "the noun"),
    "gives": (r"\b(?:gives|gave|met|kept|says|said|can be had|made (?:of|from))\b", "returns, encountered, stored, specifies, computed from"),
    "beside": (r"\b(?:beside|lies?|lying|stands?)\b", "in addition to, is stored, is"),
    "alone": (r"\balone\b", "only"),
    "place": (r"\bplaces?\b(?! of\b)", "index, position, slot, rank"),
    "of in front": (r"(?:^|[.;:]\s+)[Oo]f\s", "for lists, …; or make it the subject"),
    "none": (r"\bthere (?:is|are) (?:none|no)\b|\bnothing but\b|\bnor\b", "the fact that holds"),
    "so many": (r"\b(?:as|so) many\b|\bwhole numbers?\b|\bnumbers? of the host\b", "the given size; integers; host scalars"),
    "true of": (r"\b[Tt]rue of\b", "True if"),
}
compiled = {pattern: re.compile(text, re.MULTILINE) for pattern, (text, _) in patterns.items()}
# Made from tests or from the sources, or by others; not prose.
left_out = ("CHANGELOG.md", "NOTICES.md", "tests/golden/", "docs/operations.md", "docs/optimizers.md", "docs/functions.md")
table = root / "tests/hygiene/prose.tsv"
fenced = re.compile(r"^( *)```.*?^\1``` *$", re.MULTILINE | re.DOTALL)


def texts():
    """(where, file, line, text) of each comment, and of each line of a document."""
    for path in files(*layers, "tests", "examples", "bench", "tools", suffixes=(*code, ".py")):
        if name(path) != "tests/hygiene/prose.py":
            for line, text in comments(path.read_text(encoding="utf-8"), path.suffix):
                yield "comments", name(path), line, text
    for path in files(suffixes=(".md",)):
        if not name(path).startswith(left_out):
            text = fenced.sub(lambda found: "\n" * found.group().count("\n"), path.read_text(encoding="utf-8"))
            for line, words in enumerate(text.splitlines(), 1):
                if words.strip():
                    yield "documents", name(path), line, words


def count(items):
    """{(where, pattern): matches per 100 texts, rounded up to 0.01}."""
    totals, found = {}, {}
    for where, _, _, text in items:
        totals[where] = totals.get(where, 0) + 1
        for pattern, expression in compiled.items():
            found[where, pattern] = found.get((where, pattern), 0) + len(expression.findall(text))
    return {key: math.ceil(1e4 * number / totals[key[0]]) / 100 for key, number in found.items()}


items = list(texts())
if sys.argv[1:2] == ["--list"]:
    for where, file, line, text in items:
        if compiled[sys.argv[2]].search(text):
            print(f"{file}:{line}: {' '.join(text.split())[:150]}")
    sys.exit(0)
now = count(items)
allowed = {}
if table.is_file():
    rows = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    allowed = {(where, pattern): float(rate) for where, pattern, rate in rows}
faults = [f"{where}: {now[where, pattern]} of {pattern!r} per 100, at most {allowed[where, pattern]}: write {patterns[pattern][1]} (prose.py --list {pattern!r} shows them)"
          for where, pattern in now if (where, pattern) in allowed and now[where, pattern] > allowed[where, pattern] + 0.02]
if "--accept" in sys.argv:
    lines = [f"{where}\t{pattern}\t{min(rate, allowed.get((where, pattern), rate))}\n" for (where, pattern), rate in now.items()]
    table.write_text("# Highest rates of turns of phrase, per 100 comments or lines of documents: prose.py.\n" + "".join(lines), encoding="utf-8")
finish(faults + [f"prose.tsv has no row {key}" for key in now if key not in allowed and "--accept" not in sys.argv],
       f"{len(items)} comments and lines, {sum(now.values()):.1f} turns of phrase per 100 of both")
