# SPDX-License-Identifier: MIT
"""Each program of examples/python/programs learns its task: the number in its last line reaches a bound."""
import pathlib
import subprocess
import sys

import pytest

folder = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "programs"
# Numbers that a program prints, each with the least and the greatest that it may be.
full = {
    "recommender": {"RMSE held out / noise": (0.9, 1.05)},
    "text_classifier": {"AUC": (0.98, 1), "zero weights of buckets in use": (0.9, 1)},
    "imputation": {"RMSE / RMSE of column means": (0.3, 0.75)},
    "message_passing": {"accuracy": (0.9, 1)},
    "transformer": {"accuracy of copies": (0.99, 1), "bits a letter": (2.9, 3.3)},
    "word_vectors": {
        "pairs nearer than the median": (24, 30),
        "pairs nearer than the median before training": (0, 23),
    },
}
small = {
    "recommender": {"RMSE held out / noise": (0.9, 1.15)},
    "text_classifier": {"AUC": (0.8, 1)},
}


def check(program, bounds, *arguments):
    command = [sys.executable, "-B", str(folder / f"{program}.py"), *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 0 and run.stderr == "", run.stderr
    printed = dict(line.split(": ", 1) for line in run.stdout.splitlines())
    for name, (low, high) in bounds.items():
        assert low <= float(printed[name]) <= high, name


@pytest.mark.parametrize("program", full)
def test_on_all_data(program, tmp_path):
    plot = tmp_path / "loss.svg"
    check(program, full[program], "--plot", str(plot))
    assert plot.read_text(encoding="utf-8").count("<polyline") == 1


@pytest.mark.parametrize("program", small)
def test_on_little_data(program):
    check(program, small[program], "--small")
