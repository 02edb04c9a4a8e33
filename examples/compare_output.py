#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_output.py PROGRAM SOURCE [LAUNCHER...]: runs PROGRAM and compares what it prints with the comment that ends SOURCE."""
import difflib
import subprocess
import sys

program, source, *launcher = sys.argv[1:]
lines = open(source, encoding="utf-8").read().splitlines()
if "// Output:" not in lines:
    sys.exit(f'{source} has no "// Output:" at its end: add what the program prints')
start = len(lines) - lines[::-1].index("// Output:")
wanted = [line.removeprefix("//").removeprefix(" ").rstrip() for line in lines[start:]]
run = subprocess.run([*launcher, program], stdout=subprocess.PIPE, text=True)
if run.returncode:
    sys.exit(f"{program} ended with {run.returncode}")
found = [line.rstrip() for line in run.stdout.splitlines()]
difference = list(difflib.unified_diff(wanted, found, source, program, lineterm=""))
sys.exit("\n".join(difference) if difference else 0)
