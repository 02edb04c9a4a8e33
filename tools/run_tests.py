# SPDX-License-Identifier: MIT
"""Builds and runs tests: ./dev test.

  run_tests.py                     quick tests
  run_tests.py full|deep [MINUTES] quick tests, then those of the larger sizes, label after label; a label that has passed for the
                                   same sources is not run again.  None begins that would not end within MINUTES by its budget
  run_tests.py LABEL               quick and full tests of a label; builds only their programs
  run_tests.py WORDS               quick and full tests with these words in their names

The last lines: CPU and wall seconds by phase, and what passed, failed and was left out."""
import hashlib
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(root / "tests/budgets"))
import budgets

build = root / "build"
cores = len(os.sched_getaffinity(0))
begin = time.time() - float(os.environ.get("FRISKET_CI_SECONDS", 0))  # seconds that a caller has used before


class Phases:
    """Seconds of each phase, and what became of each label."""
    def __init__(self):
        self.seconds, self.passed, self.failed, self.left = [], [], [], []

    def run(self, name, command):
        """True if the command ends with 0."""
        print("+", " ".join(f"'{word}'" if re.search(r"[^\w./=:+,-]", word) else word for word in command), flush=True)
        wall, cpu = time.monotonic(), cpu_seconds()
        status = subprocess.run(command, cwd=root, check=False).returncode
        self.seconds.append((name, time.monotonic() - wall, cpu_seconds() - cpu))
        return status == 0

    def label(self, name, command):
        (self.passed if self.run(name, command) else self.failed).append(name)

    def finish(self, what):
        for name, wall, cpu in self.seconds:
            print(f"{name:28} {wall:7.0f} s wall {cpu:7.0f} s CPU")
        print(f"{what}: {time.time() - begin:.0f} s; passed {' '.join(self.passed) or 'nothing'}; failed {' '.join(self.failed) or 'nothing'}; "
              f"left out {' '.join(self.left) or 'nothing'}")
        sys.exit(1 if self.failed else 0)


phases = Phases()


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def output(*command):
    return subprocess.run(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def build_target(target):
    if not phases.run(f"build {target}", ["cmake", "--build", str(build), "--parallel", str(cores), "--target", target]):
        phases.failed.append(f"build {target}")
        phases.finish("tests are not run")


def ctest(*select):
    return ["ctest", "--test-dir", str(build), "--output-on-failure", "--no-tests=error", "--parallel", str(cores), *select]


def labels():
    """Labels of all tests, with their sizes."""
    return sorted(set(re.findall(r"^  (\S+)$", output("ctest", "--test-dir", str(build), "--print-labels"), re.MULTILINE)))


def sources_id():
    """A commit and what differs from it; empty where git knows nothing."""
    commit = output("git", "rev-parse", "--short", "HEAD").strip()
    changes = output("git", "diff", "HEAD") + output("git", "ls-files", "--others", "--exclude-standard") if commit else ""
    return commit + (f"+{hashlib.sha256(changes.encode()).hexdigest()[:12]}" if changes else "")


class Passed:
    """Labels that have passed for these sources."""
    folder = build / "passed"

    def __init__(self):
        self.id = sources_id()
        self.folder.mkdir(parents=True, exist_ok=True)

    def has(self, label):
        file = self.folder / label
        return bool(self.id) and file.is_file() and file.read_text(encoding="utf-8") == self.id

    def add(self, label):
        (self.folder / label).write_text(self.id, encoding="utf-8")


def expected_seconds(label):
    """Wall seconds of a label by its row in budgets.tsv."""
    return budgets.rows().get(("tests", label), 0) * budgets.scale(build) / cores


def check_budgets(size):
    budgets.calibrate(build)
    if not phases.run(f"budgets {size}", [sys.executable, "-B", str(root / "tests/budgets/budgets.py"), str(build), size, str(int(begin))]):
        phases.failed.append(f"budgets {size}")


def run_size(size, minutes, passed):
    """Tests of one size: quick ones at once, others label after label, the dearest first."""
    budgets.calibrate(build)
    build_target("all" if size == "deep" else f"frisket_{size}")
    if size == "quick":
        groups = [("quick", "[-]quick$")]
    else:
        own = [label for label in labels() if label.endswith("-" + size)]
        groups = [(label, f"^{label}$") for label in sorted(own, key=lambda label: -expected_seconds(label))]
    for name, regex in groups:
        if passed.has(name):
            phases.passed.append(name)
        elif minutes and time.time() + expected_seconds(name) > begin + minutes * 60:
            phases.left.append(name)
        else:
            phases.label(name, ctest("--label-regex", regex))
            if name in phases.passed:
                passed.add(name)
    check_budgets(size)


def run_sizes(size, minutes):
    passed = Passed()
    (build / "usage/calibration").unlink(missing_ok=True)
    for one in budgets.sizes[:budgets.sizes.index(size) + 1]:
        run_size(one, minutes, passed)
        if phases.failed:
            break
    phases.finish(f"{size} tests of {passed.id or 'no commit'}")


def run_some(what):
    """Tests of a label, or with words in their names."""
    if output("ninja", "-C", str(build), "-t", "query", f"tests_{what}"):
        build_target(f"tests_{what}")
        select = ("--label-regex", f"^{what}-(quick|full)$")
    else:
        build_target("frisket_full")
        select = ("--tests-regex", what, "--label-regex", "[-](quick|full)$")
    phases.label(what, ctest(*select))
    phases.finish(f"tests of {what}")


def main():
    arguments = sys.argv[1:]
    size = arguments[0] if arguments else "quick"
    minutes = arguments[1] if len(arguments) > 1 else "0"
    if size not in budgets.sizes:
        run_some(size)
    if not minutes.isdigit():
        print(f'dev test {size}: minutes are "{minutes}", wanted a whole number', file=sys.stderr)
        sys.exit(2)
    run_sizes(size, int(minutes))


if __name__ == "__main__":
    main()
