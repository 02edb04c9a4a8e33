# SPDX-License-Identifier: MIT
"""Runs frisket_mpi_check for every optimizer and form of gradient, without MPI and on several numbers of ranks: the hash of parameter
and state must be one, or all must refuse with the reason.

Usage: table.py PROGRAM sample|full MPIRUN...   sample: one form of each optimizer, on 2 ranks
"""
import subprocess
import sys

program, size, mpirun = sys.argv[1], sys.argv[2], sys.argv[3:]
optimizers = ("sgd adagrad rowwise_adagrad adam adamw sparse_adam rmsprop adadelta adamax nadam radam rprop asgd lion ftrl lamb lars "
              "adafactor muon").split()
mixing = {"lamb", "lars", "adafactor", "muon"}
table = ["--rows", "300", "--dim", "8", "--listed", "60", "--steps", "3"]
dense = ["--layout", "dense", "--rows", "30", "--dim", "8", "--steps", "3"]
forms = {
    "rows": ["--layout", "rows", *table],
    "coo": ["--layout", "coo", "--partition", "round_robin", *table],
    "csr": ["--layout", "csr", "--partition", "hash", *table],
    "dense": dense,
    "sharded state": [*dense, "--sharded-state"],
}
more = {
    "caught up": ["--optimizer", "sgd", "--untouched", "caught_up", "--layout", "rows", *table],
    "dense equivalent": ["--optimizer", "adam", "--untouched", "dense_equivalent", "--layout", "coo", *table],
    "one owner": ["--optimizer", "adam", "--layout", "rows", "--partition", "last", *table],
    "bfloat16, rounded at random": ["--optimizer", "adam", "--dtype", "bfloat16", "--stochastic-rounding", "--layout", "rows", *table],
    "float16, rounded at random": ["--optimizer", "adagrad", "--dtype", "float16", "--stochastic-rounding", *dense, "--sharded-state"],
    "clipped by the norm": ["--optimizer", "adam", "--clip-norm", "0.5", "--layout", "rows", *table],
    "float64": ["--optimizer", "adamw", "--dtype", "float64", "--layout", "rows", *table],
}
faults = []


def said(arguments, ranks):
    """The line that the program ends with; ranks: None for optim::Optimizer, 0 for no mpirun."""
    command = [program, "--plain", *arguments] if ranks is None else [program, *arguments] if ranks == 0 else \
        [*mpirun, str(ranks), program, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    lines = [line for line in run.stdout.splitlines() if line.startswith(("hash", "refused"))]
    return lines[0] if lines else f"nothing: {run.stdout[-300:]} {run.stderr[-300:]}"


def check(name, arguments, is_refused):
    counts = (2,) if size == "sample" else (0, 1, 2, 4, 8)
    found = {count: said(arguments, count) for count in counts}
    if is_refused:
        bad = {count: text for count, text in found.items() if "several rows together" not in text}
    else:
        wanted = said(arguments, None)
        bad = {count: text for count, text in found.items() if text != wanted or not wanted.startswith("hash")}
    if bad:
        faults.append(f"{name}: {bad}")
    return "refused" if is_refused else "differ" if bad else "same"


print("| optimizer | " + " | ".join(forms) + " |")
for number, optimizer in enumerate(optimizers):
    cells = []
    for place, (form, arguments) in enumerate(forms.items()):
        if size == "sample" and place != number % len(forms):
            cells.append("-")
            continue
        cells.append(check(f"{optimizer}, {form}", ["--optimizer", optimizer, *arguments], optimizer in mixing and form != "dense"))
    print(f"| {optimizer} | " + " | ".join(cells) + " |", flush=True)
for name, arguments in more.items():
    print(f"{name}: {check(name, arguments, False)}", flush=True)
print("\n".join(faults))
sys.exit(1 if faults else 0)
