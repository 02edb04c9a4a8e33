# SPDX-License-Identifier: MIT
"""Counts the parts of the product that its design wants few of: counts.py [--names].  Prints each count and its goal: lines, files,
interfaces and classes behind them, files that know node kinds, layouts and strategies, caches, keys and plans.  With --names it
lists the items of each count.  Exit code 1: a count is 0, its pattern is stale."""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(root / "tests" / folder) for folder in ("hygiene", "budgets")]
from budgets import lines
from common import files, layers, name, opaque

# The head of a class with its bases, a brace, or `virtual`.
token = re.compile(r"\b(?:class|struct)\s+(?P<name>\w+)(?:\s+final)?\s*(?::(?!:)(?P<bases>[^{};()]*))?\{|[{}]|\bvirtual\b")
switch = re.compile(r"\bswitch \(")
# The definition of a type whose name matches.
definition = r"^(?:class|struct) (%s)\b[^;]*$"
no_loop_keys = {"ThreadKey"}  # a key of pthread


def sources():
    """{name of a file of the product: its text without comments and without braces in literals}.  Lines keep their numbers."""
    def emptied(found):
        text = found.group()
        return text if text[0] == '"' and not re.search("[{}]", text) else "\n" * text.count("\n")
    return {name(path): opaque.sub(emptied, path.read_text(encoding="utf-8")) for path in files(*layers)}


def block(text, start):
    """The text between the first brace after start and its closing brace."""
    begin, depth = text.index("{", start), 0
    for found in re.finditer(r"[{}]", text[begin:]):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return text[begin:begin + found.end()]
    return text[begin:]


def classes(texts):
    """({class: names of its bases}, the set of classes that declare virtual functions)."""
    bases, virtual = {}, set()
    for text in texts.values():
        open_blocks = []
        for found in token.finditer(text):
            if found.group() == "virtual":
                virtual.add(next(filter(None, reversed(open_blocks)), None))
            elif found.group() == "}":
                del open_blocks[-1:]
            else:
                open_blocks.append(found.group("name"))
                if found.group("bases"):
                    bases[found.group("name")] = re.findall(r"(?:public|private|protected) (?:\w+::)*(\w+)", found.group("bases"))
    return bases, virtual - {None}


def interfaces(texts):
    """{interface: classes that derive from it}.  An interface declares virtual functions, and has no base that declares some."""
    bases, virtual = classes(texts)

    def roots(one):
        above = set().union(*map(roots, bases.get(one, ())))
        return above or ({one} if one in virtual else set())

    behind = {one: [] for one in sorted(virtual) if roots(one) == {one}}
    for one in sorted(bases):
        for interface in roots(one) - {one}:
            behind[interface].append(one)
    return behind


def switches(texts, enum):
    """"file:line" of each switch over an enumeration."""
    return [f"{path}:{text.count(chr(10), 0, found.start()) + 1}" for path, text in texts.items() for found in switch.finditer(text)
            if re.search(rf"\bcase (?:\w+::)*{enum}::", block(text, found.start()))]


def naming(texts, pattern):
    """{file: number of matches of a pattern}, for files with a match."""
    counts = {path: len(re.findall(pattern, text)) for path, text in texts.items()}
    return {path: count for path, count in counts.items() if count}


def most_named(texts, enum):
    """(the enumerator that most files name, these files)."""
    by_enumerator = collections.defaultdict(set)
    for path, text in texts.items():
        for enumerator in re.findall(rf"\b{enum}::([a-z]\w*)\b(?!\()", text):
            by_enumerator[enumerator].add(path)
    enumerator = max(sorted(by_enumerator), key=lambda one: len(by_enumerator[one]), default="")
    return enumerator, sorted(by_enumerator[enumerator])


def matches(texts, pattern):
    """Different texts of the group of a pattern, sorted."""
    return sorted({one for text in texts.values() for one in re.findall(pattern, text, re.MULTILINE)})


def counts(texts):
    """Yields (label, count, goal, items) of each count."""
    behind = interfaces(texts)
    kinds, node_switches = naming(texts, r"\bNodeKind::"), switches(texts, "NodeKind")
    compared = naming(texts, r"[!=]= (?:\w+::)*Layout::|Layout::\w+ [!=]=|\bcase (?:\w+::)*Layout::")
    strategy, strategy_files = most_named(texts, "Strategy")
    layout, layout_files = most_named(texts, "Layout")
    cuda = naming(texts, r"(?i)cuda")
    keys = [key for key in matches(texts, definition % r"\w+Key|KeyText|Pattern") if key not in no_loop_keys]
    yield "files", len(texts), "", []
    yield "interfaces", len(behind), 4, [f"{one} ({len(behind[one])})" for one in behind]
    yield "classes behind them", sum(map(len, behind.values())), 14, [f"{one}: {', '.join(behind[one])}" for one in behind]
    yield "files with NodeKind::", len(kinds), "", list(kinds)
    yield "switches over it", len(node_switches), 6, node_switches
    yield "files with Layout compared", len(compared), "", list(compared)
    yield "comparisons in them", sum(compared.values()), "", [f"{path} ({count})" for path, count in compared.items()]
    yield f"files with Strategy::{strategy}", len(strategy_files), 6, strategy_files
    yield f"files with Layout::{layout}", len(layout_files), 4, layout_files
    yield "files with CUDA", len(cuda), 2, list(cuda)
    for what, goal, names in (("caches", 1, matches(texts, r"\bLruCache<(\w[\w:]*)> ?[\w&({]")), ("loop keys", 1, keys),
                              ("lowerers", 1, matches(texts, definition % r"\w*Lowerer")),
                              ("types of plans", 1, matches(texts, definition % r"\w*Plan"))):
        yield what, len(names), goal, names


def main(with_names):
    by_folder = {folder: count for folder, count in lines().items() if count}
    rows = [(f"lines of {folder}/", count, "", []) for folder, count in by_folder.items()]
    rows.append(("lines", sum(by_folder.values()), 70000, []))
    rows += counts(sources())
    print(f"{'':32}{'count':>8}{'goal':>8}")
    for what, count, goal, names in rows:
        print(f"{what:32}{count:8}{goal:>8}")
        for one in names if with_names else ():
            print(f"    {one}")
    stale = [what for what, count, _, _ in rows if count == 0]
    print("\n".join(f"counts: nothing is found for: {what}" for what in stale), end="\n" if stale else "")
    return 1 if stale else 0


if sys.argv[1:] not in ([], ["--names"]):
    sys.exit("counts.py [--names]")
sys.exit(main(len(sys.argv) > 1))
