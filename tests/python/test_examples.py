# SPDX-License-Identifier: MIT
"""Each Python program of examples/python and examples/tutorial prints the lines of its last comment."""
import pathlib
import subprocess
import sys

import pytest

folder = pathlib.Path(__file__).resolve().parents[2] / "examples"
examples = sorted([*folder.glob("python/*.py"), *folder.glob("tutorial/*.py")])


@pytest.mark.parametrize("path", examples, ids=[path.name for path in examples])
def test_example(path):
    for package in ("torch", "polars"):
        if f"import {package}" in path.read_text(encoding="utf-8"):
            pytest.importorskip(package, reason=f"{package} is absent")
    wanted = path.read_text(encoding="utf-8").partition("# Prints:\n")[2]
    wanted = "".join(line.removeprefix("#").removeprefix(" ") for line in wanted.splitlines(keepends=True))
    run = subprocess.run([sys.executable, "-B", str(path)], stdout=subprocess.PIPE, text=True, check=True)
    assert run.stdout == wanted
