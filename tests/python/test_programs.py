# SPDX-License-Identifier: MIT
"""Each program of examples/python/programs learns what it should: the number in its last line reaches a bound."""
import pathlib
import subprocess
import sys

import pytest

folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "programs"
# Program, closing number at the least and at the most.
full = [
    ("recommender", 0.9, 1.05),
]
small = [
    ("recommender", 0.9, 1.15),
]


def closing_number(program, *arguments):
    command = [sys.executable, "-B", str(folder / f"{program}.py"), *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return float(run.stdout.splitlines()[-1].rpartition(": ")[2])


@pytest.mark.parametrize(("program", "low", "high"), full, ids=[row[0] for row in full])
def test_on_all_data(program, low, high, tmp_path):
    plot = tmp_path / "loss.svg"
    assert low <= closing_number(program, "--plot", str(plot)) <= high
    assert plot.read_text(encoding="utf-8").count("<polyline") == 1


@pytest.mark.parametrize(("program", "low", "high"), small, ids=[row[0] for row in small])
def test_on_little_data(program, low, high):
    assert low <= closing_number(program, "--small") <= high
