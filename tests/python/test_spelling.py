# SPDX-License-Identifier: MIT
"""Sentences of errors name code as Python spells it: errors of all sources that a call from Python reaches."""
import pathlib
import re

import frisket as fk
import pytest

root = pathlib.Path(__file__).resolve().parents[2]
# Sentences of these files are read only by programs of C and C++, and sentences with these words.
elsewhere = (
    "codegen/aot", "codegen/tuning", "codegen/disk_cache", "codegen/loops/linked", "runtime/device", "runtime/kernel/aot",
    "runtime/kernel/c_", "runtime/tensor/typed_tensor", "optim/sharded", "ir/planner/report",
)  # fmt: skip
of_cpp = ("to_dlpack_legacy", "Settings::kernels", "skip_nonfinite(x) in the step of an optimizer's rule", "Argument::state")
# Code of C++ in a sentence.
cpp = re.compile(
    r"\b\w+::\w+|\bcast<|\bTensor<|\bkeepdim\)|\bclone\(\)|\bconst\b|"
    r"(?<![\w.])(to_dense|intersect|unite|everywhere|over|on|where|stack|mean|sum|masked)\("
)  # fmt: skip
literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def sentences():
    """(file, text) of each statement that makes an error: its literals, with … for the code between."""
    for folder in ("ir", "runtime", "codegen", "optim"):
        for file in sorted((root / folder).rglob("*.cpp")):
            name = str(file.relative_to(root))
            if name.startswith(elsewhere) or name == "runtime/tensor/spelling.cpp":
                continue
            for statement in file.read_text().split(";"):
                if re.search(r"\b(\w*Error|fail|refuse\w*|check|must_be_equal|raise\w*)\(", statement):
                    text = "".join(made.replace('\\"', '"') for made in literal.findall(statement) if not made.endswith(".hpp"))
                    if text and not any(words in text for words in of_cpp):
                        yield name, text


found = [(name, text) for name, text in sentences() if cpp.search(text)]


def test_there_are_sentences_that_name_code():
    assert len(found) >= 15


@pytest.mark.parametrize("name, text", found, ids=[f"{name} {i}" for i, (name, _) in enumerate(found)])
def test_code_is_spelled_as_in_python(name, text):
    spelled = fk._core.python_spelling(text)
    left = [match.group(0) for match in cpp.finditer(spelled)]
    assert not left, spelled


def test_words_that_only_contain_code_stay():
    for text in ("a cover(x)", "x.on(y)", "the region(a)", "whereon(b)"):
        assert fk._core.python_spelling(text) == text
    assert fk._core.python_spelling("write on(m, e)") == "write fk.on(m, e)"
