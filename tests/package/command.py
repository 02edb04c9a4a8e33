# SPDX-License-Identifier: MIT
"""command.py PREFIX HALIDE_DIR   the installed command finds libHalide by Halide_DIR and by the Python wheel; without both it prints a remedy;
verbs that compile nothing run everywhere; the page of a search is drawn by the installed script"""
import os
import pathlib
import subprocess
import sys
import tempfile

prefix, halide_dir = map(pathlib.Path, sys.argv[1:])
records = pathlib.Path(__file__).resolve().parents[1] / "cli/records.tsv"
faults = []


def run(environment, *words):
    return subprocess.run([prefix / "bin/frisket", *words], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def look(how, environment, sentence=None):
    done = run(environment, "show", "adagrad", "--stage", "schedule")
    if sentence and done.returncode != 0:
        if sentence not in done.stdout or done.returncode != 2:
            faults.append(f"{how}: it should say: {sentence}\nand says: {done.stdout}, status {done.returncode}")
    elif "schedule: adagrad" not in done.stdout:
        faults.append(f"{how}: it ended with {done.returncode} and said: {done.stdout}")
    for words in (("--version",), ("show", "--help"), ("tuning", "merge", records, "--db", f"{folder}/tuning.db"), ("doctor",)):
        done = run(environment, *words)
        if not done.stdout or (done.returncode != 0 and words != ("doctor",)):
            faults.append(f"{how}: {words} ended with {done.returncode} and said: {done.stdout}")


def draw(environment):
    """Checks that the installed script draws the page of a search, and leaves nothing in the tree."""
    page, before = pathlib.Path(folder, "page.html"), sorted(prefix.rglob("*"))
    done = run(environment, "tune", "sgd", "--shape", "64,64", "--budget", "1", "--map", "0", "--report", page)
    if done.returncode != 0 or "<h2>Candidates</h2>" not in (page.read_text(encoding="utf-8") if page.exists() else ""):
        faults.append(f"tune --report ended with {done.returncode} and said: {done.stdout}")
    done = run(environment | {"PATH": str(tools)}, "tune", "sgd", "--shape", "64,64", "--budget", "1", "--map", "0", "--report", page)
    script = prefix / "share/frisket/report.py"
    if done.returncode != 0 or f"python3 -B {script} tuning {page.with_suffix('.json')} {page}\n" not in done.stdout:
        faults.append(f"tune --report without python3 ended with {done.returncode} and said: {done.stdout}")
    if not script.is_file() or sorted(prefix.rglob("*")) != before:
        faults.append(f"{script} is not there, or has left something in the tree")


with tempfile.TemporaryDirectory() as folder:
    tools = pathlib.Path(folder, "bin")
    tools.mkdir()
    base = {"HOME": folder, "FRISKET_TUNING_DB": "off", "FRISKET_CACHE_DIR": "off"}
    look("with Halide_DIR", base | {"PATH": str(tools), "Halide_DIR": str(halide_dir)})
    draw(base | {"PATH": os.environ["PATH"], "Halide_DIR": str(halide_dir)})
    wheel = halide_dir.resolve().parents[2]
    if wheel.name == "halide" and (wheel / "__init__.py").is_file():
        look("with the wheel", base | {"PATH": os.environ["PATH"], "PYTHONPATH": str(wheel.parent)})
    # A libHalide that the loader finds is one more way.
    look("without either", base | {"PATH": str(tools)}, "frisket: libHalide.so was not found: python3 -m pip install halide==21.0.0")
    linked = pathlib.Path(folder, "frisket")
    linked.symlink_to(prefix / "bin/frisket")
    prefix = linked.parent
    (prefix / "bin/frisket").symlink_to(linked.readlink())
    look("through a link", base | {"PATH": str(tools), "Halide_DIR": str(halide_dir)})
sys.exit("\n".join(faults) if faults else 0)
