# SPDX-License-Identifier: MIT
"""Sums what gcov counts in a build with --coverage: coverage.py BUILD.  Prints, by folder, how many lines the tests that have
run there reached; BUILD/coverage.txt lists the lines of each file that they did not."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
folders = ("runtime", "ir", "dsl", "codegen", "optim", "cli")


def gcov_of(build):
    """The gcov that belongs to the compiler of a build: g++-12 has gcov-12."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)", cache, re.MULTILINE).group(1)
    name = re.sub(r"^(?:.*-)?(?:g|c)\+\+", "gcov", os.path.basename(compiler))
    if not name.startswith("gcov") or not shutil.which(name):
        sys.exit(f"coverage: {compiler} has no gcov here: build with g++")
    return name


def counts_of(gcov, file):
    """Counts how often each line of our files was run, in one object."""
    ran = subprocess.run([gcov, "--json-format", "--stdout", str(file)], capture_output=True, cwd=file.parent, check=True)
    for text in ran.stdout.splitlines():
        for source in json.loads(text)["files"] if text.strip() else ():
            path = pathlib.Path(os.path.normpath(source["file"]))
            name = path.relative_to(root).as_posix() if path.is_relative_to(root) else source["file"]
            if name.startswith(tuple(f"{folder}/" for folder in folders)):
                yield from ((name, line["line_number"], line["count"]) for line in source["lines"])


def ranges(numbers):
    """The numbers as text, "3-5 9"."""
    runs = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def main(build):
    files = sorted(build.rglob("*.gcda"))
    if not files:
        sys.exit(f"coverage: no test has run in {build}: ./dev coverage builds and runs them")
    gcov = gcov_of(build)
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda file: list(counts_of(gcov, file)), files):
            for name, line, count in found:
                counts[name][line] = max(counts[name][line], count)
    rows = collections.defaultdict(lambda: [0, 0])
    with open(build / "coverage.txt", "w", encoding="utf-8") as report:
        for name in sorted(counts):
            missed = [line for line, count in counts[name].items() if count == 0]
            if missed:
                report.write(f"{name}: {ranges(missed)}\n")
            for row in (os.path.dirname(name), "all"):
                rows[row][0] += len(counts[name]) - len(missed)
                rows[row][1] += len(counts[name])
    for name in sorted(rows, key=lambda row: (row == "all", row)):
        reached, lines = rows[name]
        print(f"{name:32}{reached:7} of {lines:6} lines {100 * reached / lines:6.1f} %")
    print(f"lines that no test reached: {build}/coverage.txt")


if len(sys.argv) != 2:
    sys.exit("coverage.py BUILD")
main(pathlib.Path(sys.argv[1]).resolve())
