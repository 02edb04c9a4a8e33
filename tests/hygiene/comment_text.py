# SPDX-License-Identifier: MIT
"""Comments and docstrings of C++, Python and CMake, with their lines, for comments.py and prose.py."""
import ast
import io
import re
import tokenize

from common import code, opaque

marked = re.compile(r"(//[/!]?<?|#)\s*(.*)", re.DOTALL)
# CMake's comments: no # within a literal or a word.
cmake_comment = re.compile(r'"(?:\\.|[^"\\])*"|(?<![^\s)])#[^\n]*', re.DOTALL)


def tokens(text, suffix):
    """Line, column and text of each comment."""
    if suffix == ".py":
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield *token.start, token.string
        return
    for found in (opaque if suffix in code else cmake_comment).finditer(text):
        if found.group().startswith(("//", "/*", "#")):
            yield text.count("\n", 0, found.start()) + 1, found.start() - text.rfind("\n", 0, found.start()) - 1, found.group()


def comments(text, suffix):
    """Line and text of each comment; a line right below another, with words, goes on with it."""
    before, at, block = None, 0, ""
    for line, column, comment in tokens(text, suffix):
        if comment.startswith("/*"):
            if re.search(r"\s", comment):  # without spaces: the name of a parameter
                yield line, comment[2:].removesuffix("*/").lstrip("*! \n")
            continue
        mark, words = marked.fullmatch(comment).groups()
        if before == (line - 1, column, mark):
            block += "\n" + words
        else:
            if block:
                yield at, block
            at, block = line, words
        before = (line, column, mark) if words else None
    if block:
        yield at, block
    if suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
                yield node.body[0].lineno, ast.get_docstring(node)
