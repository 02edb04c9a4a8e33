# SPDX-License-Identifier: MIT
"""Writes the page of the Python functions from their docstrings: python_reference.py FILE, with the package on PYTHONPATH."""
import inspect
import pathlib
import sys

import frisket as fk

# Modules in the order of the page, with their titles; helpers are in others.
titles = {
    "masked": "Masked arrays", "operations": "Operations on whole arrays", "elementwise": "Elementwise operations", "operators": "Masks and updates",
    "tracing": "Functions and steps", "gradients": "Gradients and evaluation", "files": "Files", "tools": "Tools", "kernels": "Kernels ahead of time",
}  # fmt: skip


def entry(name, value, level="###"):
    """A heading, the signature and the docstring."""
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = "(...)"
    yield f"{level} fk.{name}\n\n```python\nfk.{name}{signature}\n```\n"
    yield f"{inspect.getdoc(value)}\n"


def named(module):
    """Names and objects that the package has from one of its modules; each object under its first name and its others."""
    found = {}
    for name in dir(fk):
        value = getattr(fk, name)
        if callable(value) and getattr(value, "__module__", "") == f"frisket.{module}" and inspect.getdoc(value) and not name.startswith("_"):
            found.setdefault(id(value), (value, []))[1].append(name)
    return sorted((names[0], names[1:], value) for value, names in found.values())


def members(name, value):
    """Rows of the methods and properties of a class."""
    yield "| member | |\n|---|---|"
    for member in sorted(vars(value)):
        text = inspect.getdoc(getattr(value, member))
        if not member.startswith("_") and text:
            yield f"| `{name}.{member}` | {text.splitlines()[0]} |"
    yield ""


def page():
    yield "# Python functions\n\nEach function with its signature and meaning, from its docstring. [The Python package](python.md) explains how they go together.\n"
    for module, title in titles.items():
        yield f"## {title}\n"
        for name, others, value in named(module):
            yield from entry(name, value)
            if others:
                yield f"Also `{'`, `'.join(f'fk.{other}' for other in others)}`.\n"
            if inspect.isclass(value):
                yield from members(name, value)
    yield "## Optimizers\n"
    for name in sorted(fk.optim.names.values() if isinstance(getattr(fk.optim, "names", None), dict) else dir(fk.optim)):
        value = getattr(fk.optim, name, None)
        if inspect.isclass(value) and issubclass(value, fk.optim.Optimizer):
            yield from entry(f"optim.{name}", value)
    yield from members("Optimizer", fk.optim.Optimizer)
    yield from entry("optim.rule", fk.optim.rule)
    yield "## Errors\n\nSee [Errors](errors.md).\n"


pathlib.Path(sys.argv[1]).write_text("\n".join(page()), encoding="utf-8")
