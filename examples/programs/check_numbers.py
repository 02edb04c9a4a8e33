#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_numbers.py 'NAME=LOW..HIGH'... -- COMMAND...: runs a command and compares the numbers of its lines `NAME: NUMBER` with bounds."""
import subprocess
import sys

split = sys.argv.index("--")
run = subprocess.run(sys.argv[split + 1 :], stdout=subprocess.PIPE, text=True)
print(run.stdout, end="")
if run.returncode:
    sys.exit(f"the program ended with {run.returncode}")
printed = dict(line.split(": ", 1) for line in run.stdout.splitlines() if ": " in line)
for bound in sys.argv[1:split]:
    name, _, limits = bound.rpartition("=")
    low, high = map(float, limits.split(".."))
    if name not in printed or not low <= float(printed[name]) <= high:
        sys.exit(f"{name}: {printed.get(name, 'not printed')}, wanted {low} to {high}")
