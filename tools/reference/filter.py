# SPDX-License-Identifier: MIT
"""Writes a header for Doxygen: the words that begin a paragraph of a comment (Errors:, Source:, …) become paragraphs, and
functions of expressions get the facts that tables of the sources and documents hold.  Lines keep their numbers."""
import functools
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
words = "Shape|Units|Unspecified|Device|Cost|Errors|Threads|Source|Dtypes|Mask|Exactness"

result_of = {
    "common": "the result has {common}",
    "floating": "the result has {common} if that is a float, else float32",
    "boolean": "the result is bool",
    "logical": "the result is bool; operands are true where they differ from 0",
    "branches": "the condition is bool; the result has the common dtype of the branches",
}
accepted = {"any": "any", "numbers": "any but bool", "floats": "floats", "bits": "whole numbers and bool", "whole": "whole numbers"}
checked = {"divisor": "ValueError if a whole number is divided by 0", "exponent": "ValueError if a whole number has a negative power"}
whole_result_of = {
    "kept": "the result has that of `a`",
    "summed": "of floats the result has the same, else int64",
    "floats": "floats, which the result has too",
    "as_float": "of floats the result has the same, else float32",
    "int64": "the result is int64",
    "boolean": "the result is bool",
    "common": "the result has the common dtype",
    "numbers": "any but bool; the result has the common dtype",
}


def read(path):
    return (root / path).read_text(encoding="utf-8")


@functools.cache
def operations():
    """The initializer of the row and the meaning of each operation, by the name of its type."""
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "ir/ops").glob("*.hpp")))
    meanings = dict(re.findall(r"^struct Meaning<(\w+)> \{(.*?)^\};", sources, re.MULTILINE | re.DOTALL))
    return {name: (row, meanings[name]) for name, row in
            re.findall(r"^struct (\w+) \{\s+static constexpr OpInfo info\{(.*?)\};", sources, re.MULTILINE | re.DOTALL)}


@functools.cache
def whole_operations():
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "dsl/tensor_ops").glob("*.hpp")))
    return dict(re.findall(r"^struct (\w+)(?: : TensorOp<\w+>)? \{\s+static constexpr TensorOpInfo info\{(.*?)\};", sources,
                           re.MULTILINE | re.DOTALL))


@functools.cache
def exactness():
    """The columns of numbers of docs/functions.md, by the function's name."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in read("docs/functions.md").splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): (row[1], row[3], row[5], row[7]) for row in rows}


@functools.cache
def formulas():
    """The file of the formula of each function, by the function's name."""
    return {name: f"ir/ops/formulas/{path.name}" for path in sorted((root / "ir/ops/formulas").glob("*.hpp"))
            for name in re.findall(r"^(?:T|auto) (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)}


def column(row, name, default):
    found = re.search(rf"\.{name} = (?:\w+::)*(\w+)", row)
    return found.group(1) if found else default


def source_of(name, block):
    return f"a formula, which is in `{formulas()[name]}`" if name in formulas() and f"formulas::{name}(" in block else ""


def paragraph(word, text):
    return f"\\paragraph{{{word}}} {text}." if text else ""


def facts(operation):
    """Facts about an operation from the table of operations, and from the document of how exact they are."""
    row, block = operations()[operation]
    name = column(row.replace('"', ""), "name", "")
    arity = int(column(row, "arity", "1"))
    rule = column(row, "dtype", "common")
    dtypes = accepted[column(row, "accepts", "any")] + "; " if rule not in ("logical", "branches") else ""
    mask = "specified where the operand is"
    errors = []
    if column(row, "mask", "operands") == "branch":
        mask = "specified where the condition is, and the branch that it takes"
    elif arity > 1:
        mask = "specified where the masked operands are"
        errors.append("MaskMismatch if two masked operands specify different elements")
    if arity > 1:
        errors.append("ShapeError if shapes do not broadcast")
    if (check := column(row, "check", "none")) != "none":
        errors.append(checked[check])
    exact = ""
    if name in exactness():
        exact = "at most {} ULP in float32, {} in float64, in loops and the interpreter alike".format(
            *(exactness()[name][i] for i in (0, 2)))
    return "".join((paragraph("Dtypes", dtypes + result_of[rule].format(common="the same" if arity == 1 else "the common dtype")), paragraph("Mask", mask), paragraph("Errors", "; ".join(errors)),
                    paragraph("Exactness", exact), paragraph("Source", source_of(name, block))))


def whole_facts(operation, signature, comment):
    """Facts about an operation on whole tensors from its row, and the range of its dimensions."""
    row = whole_operations()[operation]
    masks = {"none": "the result is dense", "own": "the result is masked", "first": "the result is masked if `a` is",
             "operands": "that of `a`" if re.search(r"template <class A>", signature) else "the result is masked if an operand is"}
    if "Dims dims" in signature:
        masks["operands"] = "specified where an element of its slice is"
    lists = re.search(r"\bDims dims|InlineVector<int> dims|offset", signature)
    errors = ""
    if "DimError" not in comment and (lists or re.search(r"\bint(?:>)? (?:dim|dim0|source)\b", signature)):
        errors = "DimError if a dimension is out of range" + (" or named twice" if lists else "")
    more = f" {errors}." if errors and "Errors: " in comment else paragraph("Errors", errors)
    needs_eval = "; in eval alone, steps refuse it" if "needs_eval = true" in row else ""
    return "".join((more, paragraph("Dtypes", whole_result_of[column(row, "type", "kept")]),
                    paragraph("Mask", masks[column(row, "mask", "operands")] + needs_eval)))


def with_facts(text):
    """Appends the facts to the last line of the comment above each function of an operation."""
    pattern = re.compile(r"((?:^///.*\n)*^///.*)\n((?:template.*\n(?:^    requires.*\n)?)[^\n]*(?:\n {5,}[^\n]*)*\{\n[^}]*?"
                         r"detail::(unary|binary|ternary|whole\w*)(?:<|\()op::(\w+))", re.MULTILINE)

    def added(found):
        comment, code, kind, operation = found.groups()
        if kind.startswith("whole"):
            more = whole_facts(operation, code, comment) if operation in whole_operations() else ""
        else:
            more = facts(operation) if operation in operations() else ""
        return f"{comment}{more}\n{code}"
    return pattern.sub(added, text)


def main(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    # A comment above the namespace says what the file has; the empty line before it makes room for the command.
    text = re.sub(r"\n\n((?:///.*\n)+)(?=namespace frisket)", r"\n/// @file\n\1", text)
    text = with_facts(text)
    text = re.sub(rf"(?<=///)((?:.*[.;:)])?) +({words}): +", r"\1 \\paragraph{\2} ", text)
    if path.endswith(".h"):  # C's comments
        text = re.sub(r"\A/\* SPDX.*\n/\*", "/** @file\n", text)
        text = re.sub(r"^/\* ", "/** ", re.sub(r"(?<=\S)( +)/\* ", r"\1/**< ", text), flags=re.MULTILINE)
    if "/optim/rules/" in pathlib.Path(path).resolve().as_posix():
        # The parts of a rule are those of optim/rule.hpp; closed forms are steps that only Optimizer calls.
        text = re.sub(r"^    static constexpr Option options\[\].*?(?=^\};)",
                      lambda found: "/** @cond */" + found.group() + "/** @endcond */", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"((?:^///.*\n)*)(^template <class T>\nconstexpr auto \w+_caught_up\(\) \{.*?^\})", r"/** @cond */\1\2/** @endcond */",
                      text, flags=re.MULTILINE | re.DOTALL)
    sys.stdout.write(text)


main(sys.argv[1])
