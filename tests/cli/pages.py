# SPDX-License-Identifier: MIT
"""pages.py SCRIPT   draws pages by bench/report.py from data made by hand, and checks their contents"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

from page_text import Page

script = sys.argv[1]
faults = []
folder = tempfile.TemporaryDirectory(prefix="frisket_pages_")

times = [3e-6, 1e-6, 2e-6, 5e-6]
step = {
    "document": "frisket tuning 1", "step": "adagrad", "is_expression": False, "instructions": "step adagrad\n",
    "facts": [["step", "adagrad"], ["shape", "[2, 4]"]], "made": "2030-01-02 03:04 UTC",
    "next": {"kept": "/usual.db", "is_usual_database": True, "layout": "coo", "keep_command": "command --db tuning.db",
             "longer_command": "command --budget 120"},
    "default": {"strategy": "blend", "shortest_s": 2e-6, "times_s": times},
    "found": {"schedule": "skip tile=64", "shortest_s": 1e-6, "gain": 1.5},
    "default_against_itself": {"ratio": 1, "low": 0.99, "high": 1.01}, "spent_s": 2.5, "is_exhausted": True,
    "curve": [[0.5, 2e-6], [1.5, 1e-6]],
    "candidates": [
        {"schedule": "skip tile=64", "times_s": times, "left_after": 0, "pairs": {"ratio": 1.5, "low": 1.4, "high": 1.6}, "rejected": ""},
        {"schedule": "lines", "times_s": [4e-6], "left_after": 2, "pairs": None, "rejected": ""},
        {"schedule": "gather", "times_s": [], "left_after": 0, "pairs": None, "rejected": ""},
        {"schedule": "rows", "times_s": [], "left_after": 0, "pairs": None, "rejected": "other bytes"}],
    "refused": [{"schedule": "skip vector=64", "why": "too wide"}],
    "loops": [{"name": "default", "is": "blend", "times_s": times}, {"name": "winner", "is": "skip", "times_s": times}],
    "about_loops_by_hand": "There is no loop by hand.", "limit": {"bytes": 1e3, "bytes_a_second": 1e9}, "about_map": "The strategies.",
    "map": [{"pattern": "random", "density": 0.5, "strategies": [["skip", 1e-6], ["blend", 2e-6]], "chosen": "blend", "why_empty": ""},
            {"pattern": "random", "density": 1, "strategies": [], "chosen": "", "why_empty": "no such mask"}],
    "pictures": {"rows": 2, "columns": 4, "specified": "01100001", "why_none": "", "loops": [
        {"schedule": "skip tile=64", "strategy": "skip", "loaded": "11110001", "stored": "01110001", "read": {"grad": 5, "words": 1}}]},
}


def run(kind, text):
    """The page, or the script's message when it refuses the text."""
    source, to = (pathlib.Path(folder.name, name) for name in ("data", "page.html"))
    source.write_text(text, encoding="utf-8")
    to.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, "-B", script, kind, source, to], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={"LC_ALL": "C"})
    if done.returncode == 0 and not done.stderr and not done.stdout:
        return to.read_text(encoding="utf-8")
    if to.exists() or "Traceback" in done.stderr:
        faults.append(f"{kind}: refused, with a page or by no sentence: {done.stderr}")
    return done.stderr


def sections_of(text):
    page = Page(text)
    faults.extend(page.faults)
    return page.sections


def changed(**values):
    return {**copy.deepcopy(step), **values}


def wants(what, found, wanted):
    if found != wanted:
        faults.append(f"{what}: wanted {wanted!r}, found {found!r}")


def has(where, text, *parts):
    faults.extend(f"{where}: no {part!r} in: {text}" for part in parts if part not in text)


def what_to_do_next():
    """The commands: how a result is saved, where it is used, and how a search goes on."""
    def advice(**values):
        words = sections_of(run("tuning", json.dumps(changed(**values))))["What to do next"]["words"]
        return [line for line in words.splitlines() if line.startswith(("frisket", "FRISKET", "command"))]

    ahead = ["frisket_add_kernels(my_kernels STEPS adagrad FROM my_steps.hpp LAYOUTS coo SCHEDULES tuned.tsv)",
             "frisket build my_kernels --steps adagrad --from my_steps.hpp --layouts coo --schedules tuned.tsv"]
    wants("kept in the usual database", advice(), ["frisket tuning ls", "frisket tuning export tuned.tsv", *ahead])
    wants("kept in another database", advice(next={**step["next"], "kept": "/my own.db", "is_usual_database": False}),
          ["FRISKET_TUNING_DB='/my own.db' ./my_program", "frisket tuning export tuned.tsv --db '/my own.db'", *ahead])
    wants("an expression that is kept", advice(is_expression=True), ["frisket tuning ls"])
    wants("kept nowhere, cut short", advice(next={**step["next"], "kept": ""}, is_exhausted=False),
          ["command --db tuning.db", "FRISKET_TUNING_DB=tuning.db ./my_program", "command --budget 120"])
    wants("nothing found", advice(found=None), [])


def sections():
    text = run("tuning", json.dumps(step))
    found = sections_of(text)
    wants("sections of a step", list(found), [
        "What to do next", "What was tuned", "Best so far", "Candidates", "Limit of memory", "Speed-up", "Which strategy wins where",
        "What each strategy touches", "Rejected candidates"])
    has("verdict", text, "is 1.50 times as fast as the default, <code>blend</code>: 1.00 µs a call instead of 2.00 µs.")
    has("subject", found["What was tuned"]["words"], "shape|[2, 4]|", "4 candidates in 2.50 s, all that there are", "2030-01-02", "step adagrad")
    has("curve", found["Best so far"]["words"], "0 s seconds of the search 2.50 s", "1.50 s|1.00 µs|")
    has("candidates", found["Candidates"]["words"], "skip tile=64||1.00 µs|2.00 µs|3.00 µs|3.00 µs|4|taken: 1.50 (1.40–1.60)|",
        "lines||4.00 µs|4.00 µs|4.00 µs|4.00 µs|1|slower after round 2|")
    has("limit", found["Limit of memory"]["words"], "winner|1.00 µs|1.00 GB/s|100 %|")
    has("speed-up", found["Speed-up"]["words"], "default|1.00 µs|3.00 µs|1.00|blend|")
    has("map", found["Which strategy wins where"]["words"], "calls take blend,2.00 times that", "–: no such mask.", "skip 1.00 µs, blend 2.00 µs")
    has("pictures", found["What each strategy touches"]["words"], "skip: stores 4 elements", "skip tile=64|3|5|4|5 of grad, 1 of words|")
    has("pictures", text, '<path d="M0 0h12v3h-12zM9 3h3v3h-3z" class="loaded"/>', '<path d="M3 0h6v3h-6zM9 3h3v3h-3z" class="specified"/>')
    has("rejected", found["Rejected candidates"]["words"], "rows|other bytes|", "1 after round 2. 1 came too late", "Illegal combinations of knobs: 1")
    empty = changed(found=None, candidates=[], refused=[], curve=[], map=[], pictures={**step["pictures"], "loops": [], "why_none": "No mask."})
    empty["default"]["times_s"] = []
    found = sections_of(run("tuning", json.dumps(empty)))
    has("nothing was timed", found["Best so far"]["words"] + found["Candidates"]["words"], "Nothing was timed.", "None was timed.")
    has("no pictures", found["What each strategy touches"]["words"], "No mask.")


def escapes():
    """Texts that look like HTML appear on the page unchanged."""
    hostile = '</script></style><script src="x">&amp; \'"<!--'

    def tainted(value):
        if isinstance(value, dict):
            return {key: each if key == "document" else tainted(each) for key, each in value.items()}
        if isinstance(value, list):
            return [tainted(each) for each in value]
        is_bits = isinstance(value, str) and value and not value.strip("01")
        return value + hostile if isinstance(value, str) and value and not is_bits else value

    for data in (tainted(step), tainted(changed(found=None, is_exhausted=False)), tainted(changed(is_expression=True))):
        text = run("tuning", json.dumps(data))
        for heading, found in sections_of(text).items():
            if heading not in ("Best so far", "Limit of memory"):
                has(heading, found["words"], hostile)
        if hostile in text or "<script" in text:
            faults.append("a text of the data is part of the page's HTML")
    row = {"workload": "w", "case": hostile, "ms": 2, "best": hostile, "best_ms": 1, "goal": 1.1, "limit": 0.5, "triad_gb_s": 10}
    has("benchmarks", sections_of(run("benchmarks", json.dumps(row)))["w"]["words"], hostile, "2.00 ms", "50 %")


def refusals():
    has("other data", run("tuning", '{"document": "frisket tuning 0"}'), 'these are no data of a search for schedules, wanted "document"')
    has("no object", run("tuning", "[1]"), "these are no data of a search")
    has("damaged data", run("tuning", '{"document": '), "report.py: ")
    has("no rows", run("benchmarks", ""), "it has no rows")
    has("another word", run("drawing", "{}"), "report.py tuning DATA.json PAGE.html")


for check in (what_to_do_next, sections, escapes, refusals):
    check()
sys.exit("\n".join(faults) if faults else 0)
