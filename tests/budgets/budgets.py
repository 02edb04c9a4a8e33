# SPDX-License-Identifier: MIT
"""Compares the costs of builds and tests with the rows of budgets.tsv.

  budgets.py BUILD SIZE [SINCE]   fails if a cost is above its row by more than `tolerances` allow; tests count that began after SINCE
  budgets.py BUILD --report       prints all costs, and the dearest commands and tests

CPU seconds of each command are in BUILD/usage (tools/measured.sh).  Rows are seconds of a machine that compiles
calibration.cpp in the seconds of the row `calibration`; other machines are scaled by their own time for that file."""
import collections
import fnmatch
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
sizes = ("quick", "full", "deep")
tolerance = 1.15  # sums of seconds
tests_of_builds = {"frisket_headers_verify_interface_header_sets"}  # targets that a test builds, which counts their seconds
tolerances = {"lines": 1, "case": 1.5}  # a case took 2.4 and 3.4 s in two runs on two busy cores
product = ("runtime", "ir", "dsl", "codegen", "optim", "mpi", "cli", "python")
suffixes = (".cpp", ".hpp", ".h", ".c", ".py")


def rows():
    """{(kind, name): value} of budgets.tsv."""
    table = {}
    for line in (here / "budgets.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, name, value = line.split("\t")[:3]
            table[kind, name] = float(value)
    return table


def calibrate(build):
    """Adds to BUILD/usage/calibration a line of CPU seconds that this machine takes for calibration.cpp now, all cores busy."""
    cores = len(os.sched_getaffinity(0))
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-c", str(here / "calibration.cpp"), "-o", "/dev/null"]
    times = []
    for _ in range(3):
        running = [subprocess.Popen(command) for _ in range(cores)]
        for process in running:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            if status != 0:
                sys.exit("budgets: calibration.cpp does not compile")
            times.append(usage.ru_utime + usage.ru_stime)
    known = build / "usage/calibration"
    known.parent.mkdir(parents=True, exist_ok=True)
    with known.open("a", encoding="utf-8") as file:
        file.write(f"{sorted(times)[len(times) // 2]:.3f}\n")


def calibrated(build):
    """Seconds for calibration.cpp: the most measured of the last run, since a machine that is shared gets slower and faster."""
    known = build / "usage/calibration"
    if not known.is_file():
        calibrate(build)
    return max(float(line) for line in known.read_text(encoding="utf-8").split())


def scale(build):
    """Seconds of this machine for a second of budgets.tsv."""
    return calibrated(build) / rows()["calibration", "seconds"]


def commands(build, file):
    """(group, name, seconds, begin) of each recorded command; the last of several runs."""
    last = {}
    path = build / "usage" / file
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else ():
        cells = line.split("\t")
        if len(cells) < 5 or cells[4] == "quiet":  # a message of the shell, and a program that lists its cases
            continue
        if file == "build.tsv" and cells[4] in tests_of_builds:
            continue
        try:
            # A test has a name; a command of the build is known by its target and its last argument.
            last[cells[3], cells[4] if file == "tests.tsv" else " ".join(cells[4:])] = (float(cells[0]) + float(cells[1]), float(cells[2]))
        except ValueError:
            continue
    return [(group, name, *cost) for (group, name), cost in last.items()]


def sums(costs):
    total = collections.Counter()
    for group, _, seconds, _ in costs:
        total[group] += seconds
    return total


def lines():
    """Lines of product code by folder."""
    count = collections.Counter()
    for folder in product:
        for path in (root / folder).rglob("*"):
            if path.suffix in suffixes and path.is_file():
                count[folder] += path.read_bytes().count(b"\n")
    return count


def quick_total(built, tests):
    """CPU seconds of the quick tests, and of the build of their programs without the product."""
    built = sum(seconds for group, seconds in sums(built).items() if group in ("tests-quick", "kernels-quick"))
    return built + sum(seconds for group, _, seconds, _ in tests if group.endswith("-quick"))


def costs_of(build, size, since):
    """{(kind, name): seconds or lines}: the limits of a size, on this machine."""
    within = sizes[:sizes.index(size) + 1]
    built = commands(build, "build.tsv")
    tests = [one for one in commands(build, "tests.tsv") if one[3] >= since and one[0].rpartition("-")[2] in within]
    larger = set(sizes) - set(within)
    cost = {("build", group): seconds for group, seconds in sums(built).items() if group.rpartition("-")[2] not in larger}
    cost |= {("tests", group): seconds for group, seconds in sums(tests).items()}
    cost |= {("case", name): seconds for group, name, seconds, _ in tests if group.endswith("-quick")}
    cost["total", "quick"] = quick_total(built, tests)
    if size == "full":
        cost["total", "ci"] = sum(s for (kind, _), s in cost.items() if kind in ("build", "tests"))
    cost |= {("lines", folder): count for folder, count in lines().items()}
    return cost


def case_row(table, name):
    """The limit of a quick case: a row of its own, which may be a pattern, or the row of all."""
    own = [value for (kind, pattern), value in table.items() if kind == "case" and fnmatch.fnmatchcase(name, pattern)]
    return own[0] if own else table["case", "quick"]


def check(build, size, since):
    """Sentences about costs that are too high."""
    table, factor, faults = rows(), scale(build), []
    for (kind, name), value in costs_of(build, size, since).items():
        row = case_row(table, name) if kind == "case" else table.get((kind, name))
        unit = "lines" if kind == "lines" else "s"
        if row is None:
            faults.append(f"{kind} {name}: {value:.0f} {unit}, and budgets.tsv has no row for it: add one")
            continue
        row_here = row if kind == "lines" else row * factor
        if value > row_here * tolerances.get(kind, tolerance):
            faults.append(f"{kind} {name}: {value:.1f} {unit}, and its row allows {row_here:.1f} here: make it cheaper, or raise the row "
                          f"and say why in the commit")
    return faults


def report(build):
    table, factor = rows(), scale(build)
    print(f"this machine takes {factor:.2f} of the seconds of budgets.tsv")
    print(f"{'kind':6} {'name':24} {'cost':>9} {'row here':>9}")
    for (kind, name), value in sorted(costs_of(build, "deep", 0).items()):
        if kind != "case":
            row = table.get((kind, name), 0) * (1 if kind == "lines" else factor)
            print(f"{kind:6} {name:24} {value:9.1f} {row:9.1f}")
    for title, file in (("dearest commands of the build", "build.tsv"), ("dearest tests", "tests.tsv")):
        print(f"\n{title}")
        for group, name, seconds, _ in sorted(commands(build, file), key=lambda one: -one[2])[:10]:
            print(f"{seconds:8.1f} s  {group:16} {name}")


def main():
    build = pathlib.Path(sys.argv[1])
    if sys.argv[2] == "--report":
        report(build)
        return
    faults = check(build, sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 0)
    print("\n".join(faults) if faults else "budgets: all well")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
