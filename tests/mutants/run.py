# SPDX-License-Identifier: MIT
"""Builds the sources with planted faults, chooses one after the other, and prints which test finds it.

  run.py                       every fault of the table
  run.py --only runtime/io     the faults of one folder; a fault's name does as well; may be given again
  run.py --resume              those that have no result yet; what was found before stays
  run.py --fuzz                and how long the fuzzer takes for those in numeric code, up to 60 s of one core
  run.py --table               only the table of the results so far"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import faults
import plant

work = faults.root / "build-mutants"
tree, results_file, clean_file, loops = work / "tree", work / "results.jsonl", work / "clean.json", work / "loops"
build = tree / "build"
targets = ("test_runtime", "test_ir", "test_dsl", "test_codegen", "test_codegen_quick", "test_kernels", "test_aot", "test_spec", "test_spec_quick", "test_golden", "test_disk_cache",
           "test_tuning", "test_devices", "test_optimizers", "conformance", "optimizers", "frisket_fuzz", "frisket_command", "01_first_step",
           "test_mpi", "test_mpi_memory", "frisket_mpi_check", "train_forever", "read_checkpoint")
left_out = ("hygiene", "refuse", "package", "examples", "fuzz")  # labels: of sources, what shows; --fuzz asks the fuzzer
sizes = ("quick", "full")  # sizes that ./dev test full runs
fuzz_seconds = 60
writing = threading.Lock()


def build_all():
    plant.plant(tree)
    if not (build / "build.ninja").is_file():
        subprocess.run(["cmake", "--preset", "mutants"], cwd=tree, check=True)
    subprocess.run(["cmake", "--build", str(build), "--parallel", str(os.cpu_count()), "--target", *targets], check=True)


class Suite:
    """A program of tests, which runs whole: its name, its command and where."""
    def __init__(self, name, command, folder, environment, skip, cases=()):
        self.name, self.folder, self.environment, self.skip = name, folder, environment, skip
        self.is_catch = os.path.basename(command[0]).startswith("test_")
        self.command = [*command, *(cases or (("~[deep]",) if self.is_catch else ()))]
        self.whole = command

    def only(self, pattern):
        """The cases whose names fit."""
        return Suite(self.name, self.whole, self.folder, self.environment, self.skip, (pattern,))


def suites():
    """Suites that ctest runs: all cases of a program of Catch2 are one suite, any other test is one."""
    asked = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, stdout=subprocess.PIPE, text=True)
    found = {}
    for test in json.loads(asked.stdout)["tests"]:
        properties = {one["name"]: one["value"] for one in test.get("properties", ())}
        label, _, size = (properties.get("LABELS") or ["none-deep"])[0].rpartition("-")
        if label in left_out or size not in sizes or "FIXTURES_REQUIRED" in properties:
            continue
        if "command" not in test:
            print(f"SKIP {test['name']}: it is not built")
            continue
        # The launcher that records CPU seconds has two words of its own.
        is_measured = test["command"][0].endswith("measured.sh")
        command, folder = test["command"][3 if is_measured else 0:], properties["WORKING_DIRECTORY"]
        environment = dict(one.split("=", 1) for one in properties.get("ENVIRONMENT", ()) if "=" in one)
        program = os.path.basename(command[0])
        if program.startswith("test_"):
            name, command = program, [command[0], "--abort", "--reporter", "automake", "--skip-benchmarks"]
        elif label == "cli":
            name = "cli_" + command[-1]
        elif label == "mpi":
            name = re.sub(r"\W+", "_", test["name"])
        else:
            name = test["name"]
        found.setdefault(name, Suite(name, command, folder, environment, properties.get("SKIP_RETURN_CODE")))
    return list(found.values())


def run_suite(suite, fault, loops_folder, limit):
    """(how it ended: "passed", "skipped" or the test that fails, seconds)."""
    with tempfile.TemporaryDirectory(prefix="frisket_mutant_") as passing:
        os.chmod(passing, 0o1777)  # some tests become another user
        environment = {**os.environ, **suite.environment, "FRISKET_TUNING_DB": "off", "FRISKET_CACHE_DIR": str(loops_folder),
                       "TMPDIR": passing, "FRISKET_MUTANT": fault}
        begin = time.monotonic()
        process = subprocess.Popen(suite.command, cwd=suite.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", start_new_session=True)
        try:
            output, status = process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"{suite.name}: takes more than {limit:.0f} s", time.monotonic() - begin
        seconds = time.monotonic() - begin
    if status == 0:
        return "passed", seconds
    if suite.skip is not None and status == suite.skip and suite.skip != 4:
        return "skipped", seconds
    if suite.is_catch:
        failed = re.findall(r"^:test-result: (?:FAIL|XFAIL) (.*)$", output, re.MULTILINE)
        if not failed and status == 4:  # some case prints SKIP
            return "passed", seconds
        if status == 2 and ":test-result:" not in output:
            sys.exit(f"no case of {suite.name} is called {suite.command[-1]}: change `tests` of {fault} in faults/")
        case = failed[0] if failed else f"ends with status {status}"
    else:
        failed = re.search(r"^FAILED +([^ :]+)", output, re.MULTILINE)
        if not failed:
            return suite.name, seconds
        case = failed[1]
    return f"{suite.name}: {case}", seconds


turns = itertools.count()  # numbers runs of the fuzzer: those at a time run on cores of their own


def run_fuzz(fault, seed=1):
    """Seconds of one core until the fuzzer finds it, or None."""
    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (fuzz_seconds, fuzz_seconds + 5))
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[-1 - turn % len(cores)]})
    turn = next(turns)
    with tempfile.TemporaryDirectory(prefix="frisket_mutant_") as passing:
        environment = {**os.environ, "FRISKET_TUNING_DB": "off", "FRISKET_CACHE_DIR": "off", "TMPDIR": passing, "FRISKET_MUTANT": fault,
                       "FRISKET_NUM_THREADS": "1"}
        process = subprocess.Popen([str(build / "bin/frisket_fuzz"), "--programs", "10000000", "--seed", str(seed), "--threads", "1",
                                    "--tries", "0"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   errors="replace", start_new_session=True, preexec_fn=limited)
        is_found = any(line.startswith("FAULT") for line in iter(process.stdout.readline, ""))
        if is_found:
            os.killpg(process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        process.stdout.close()
    seconds = usage.ru_utime + usage.ru_stime
    is_crash = os.WIFSIGNALED(status) and os.WTERMSIG(status) not in (signal.SIGXCPU, signal.SIGKILL)
    return round(seconds, 1) if is_found or is_crash else None


def digest(row):
    return hashlib.sha256(repr((row.id, row.file, row.old, row.new)).encode()).hexdigest()[:16]


def known_results(rows):
    """Results known of each fault as the table has it now."""
    wanted = {(row.id, digest(row)) for row in rows}
    known = {row.id: {} for row in rows}
    if results_file.is_file():
        for line in results_file.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            if (one["fault"], one["digest"]) in wanted:
                known[one["fault"]].update(one)
    return known


def keep(result):
    with writing, open(results_file, "a", encoding="utf-8") as file:
        file.write(json.dumps(result) + "\n")


def check_clean(all_suites, seconds):
    """Runs the suites that have no seconds yet without a fault, and adds them.  Ends the program if one fails."""
    for suite in all_suites:
        if suite.name in seconds:
            continue
        how, took = run_suite(suite, "", loops, 3600)
        print(f"  {took:7.1f} s  {suite.name}: {how}", flush=True)
        if how == "skipped":
            print(f"SKIP {suite.name}: it cannot run here")
        elif how != "passed":
            sys.exit(f"{suite.name} fails without a fault: {how}")
        else:
            seconds[suite.name] = took
            clean_file.write_text(json.dumps(seconds), encoding="utf-8")


def loops_of(row, folder):
    """Compiled loops on disk that a fault cannot have changed, or none."""
    if row.folder == "codegen/disk_cache" or row.folder.startswith("cli"):
        return folder / "own"
    if row.folder.startswith("codegen"):
        return "off"
    subprocess.run(["cp", "-al", str(loops), str(folder / "copy")], check=True)
    return folder / "copy"


def order_of(row, all_suites, seconds):
    """The cases that the row names, then whole suites: those that it names, then the rest from the quickest on."""
    runnable = [suite for suite in all_suites if suite.name in seconds]
    cases = [suite.only(pattern) for program, _, pattern in (asked.partition(" ") for asked in row.tests) if pattern
             for suite in runnable if suite.name == program]

    def rank(suite):
        asked = [i for i, one in enumerate(row.tests) if suite.name == one.split()[0] or suite.name.startswith(one + "_")]
        return (asked[0] if asked else len(row.tests), seconds[suite.name])
    return cases + sorted(runnable, key=rank)


def examine(row, all_suites, seconds, with_fuzz):
    result = {"fault": row.id, "digest": digest(row)}
    with tempfile.TemporaryDirectory(prefix="mutant_", dir=work) as name:
        folder, found, spent = pathlib.Path(name), None, 0.0
        disk = loops_of(row, folder)
        for suite in order_of(row, all_suites, seconds):
            how, took = run_suite(suite, row.id, disk, max(300.0, 20 * seconds[suite.name]))
            spent += took
            if how != "passed":
                found = how
                break
    result.update(found=found, seconds=round(spent, 1))
    print(f"{row.id}: {found or 'SURVIVES'} ({spent:.1f} s)", flush=True)
    keep(result)
    if with_fuzz and row.numeric:
        examine_by_fuzzer(row)


def examine_by_fuzzer(row):
    fuzzed = run_fuzz(row.id)
    print(f"{row.id}: the fuzzer {'takes ' + str(fuzzed) + ' s' if fuzzed is not None else 'sees nothing'}", flush=True)
    keep({"fault": row.id, "digest": digest(row), "fuzz": fuzzed, "fuzzed": True})


def print_table(rows):
    known = known_results(rows)
    print("\n| folder | fault | what is planted | found by | s | fuzzer, s |\n|---|---|---|---|---|---|")
    counts = collections.Counter()
    for row in rows:
        one = known[row.id]
        if "found" not in one:
            by, seconds = "not run", ""
            counts["left"] += 1
        else:
            by, seconds = one["found"] or "**nothing**", f"{one['seconds']:.0f}"
            counts["found" if one["found"] else "survived"] += 1
        fuzzed = "" if not row.numeric or "fuzzed" not in one else "-" if one["fuzz"] is None else f"{one['fuzz']:.0f}"
        counts["numeric"] += row.numeric and "fuzzed" in one
        counts["fuzzed"] += row.numeric and one.get("fuzz") is not None
        print(f"| {row.folder} | {row.id} | {row.fault} | {by.replace('|', chr(92) + '|')} | {seconds} | {fuzzed} |")
    print(f"\n{counts['found']} found, {counts['survived']} survived, {counts['left']} not run; "
          f"of {counts['numeric']} in numeric code the fuzzer found {counts['fuzzed']} within {fuzz_seconds} s of one core")
    return counts["survived"] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="FOLDER", help="faults of this folder, or of this name")
    parser.add_argument("--resume", action="store_true", help="keep the results there are, and run what has none")
    parser.add_argument("--fuzz", action="store_true", help="ask the fuzzer too")
    parser.add_argument("--fuzz-only", action="store_true", help="ask the fuzzer alone")
    parser.add_argument("--table", action="store_true", help="print the results there are, and run nothing")
    parser.add_argument("--no-build", action="store_true", help="take the programs that there are")
    parser.add_argument("--jobs", type=int, default=1, help="faults that are examined at a time")
    given = parser.parse_args()
    rows = faults.load()
    chosen = [row for row in rows if not given.only or row.folder in given.only or row.id in given.only]
    if not chosen:
        sys.exit(f"there is no fault of {', '.join(given.only)}")
    if given.table:
        print_table(chosen)
        return
    work.mkdir(exist_ok=True)
    if not given.no_build:
        build_all()
    if not given.resume and not given.only and not given.fuzz_only:
        results_file.unlink(missing_ok=True)
        shutil.rmtree(loops, ignore_errors=True)
    known = known_results(chosen)

    def is_left(row, what):
        return not (given.resume and what in known[row.id])
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        tasks = []
        if not given.fuzz_only:
            all_suites = suites()
            seconds = json.loads(clean_file.read_text(encoding="utf-8")) if given.resume and clean_file.is_file() else {}
            print("without a fault:")
            check_clean(all_suites, seconds)
            tasks = [pool.submit(examine, row, all_suites, seconds, given.fuzz and is_left(row, "fuzzed")) for row in chosen
                     if is_left(row, "found")]
            if given.fuzz:
                tasks += [pool.submit(examine_by_fuzzer, row) for row in chosen
                          if row.numeric and is_left(row, "fuzzed") and not is_left(row, "found")]
        else:
            tasks = [pool.submit(examine_by_fuzzer, row) for row in chosen if row.numeric and is_left(row, "fuzzed")]
        for task in tasks:
            task.result()
    sys.exit(0 if print_table(chosen) else 1)


if __name__ == "__main__":
    main()
