# SPDX-License-Identifier: MIT
"""Draws a page, one file without scripts:

report.py benchmarks ROWS.jsonl PAGE.html   what the benchmarks kept
report.py tuning DATA.json PAGE.html        what `frisket tune STEP --report` found; it calls this"""
import datetime
import json
import os
import pathlib
import platform
import sys

from page_pieces import duration, element, escaped, line, page, paragraph, rect, svg, words
from tuning_page import tuning_page

LEFT, BAR, SHARE_AT, SHARE, STEP = 190, 250, 700, 130, 24
WIDTH = SHARE_AT + SHARE + 60
WIDEST = 2.0  # ratios beyond this are cut, and say so


def machine():
    model = platform.processor() or platform.machine()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    cores = len(os.sched_getaffinity(0))
    threads = os.environ.get("FRISKET_NUM_THREADS", str(cores))
    return f"{model}, {cores} cores, {threads} threads, {platform.system()} {platform.machine()}"


def peers():
    """Times of other libraries, by (workload, case), and the note on how they were measured."""
    known, said = {}, []
    for row in pathlib.Path(__file__).with_name("peers.tsv").read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            said.append(row.lstrip("# "))
            continue
        workload, case, peer, ms = row.split("\t")
        known.setdefault((workload, case), []).append(f"{peer} {duration(float(ms) * 1e-3)}")
    return known, " ".join(said[:-1])  # the last names the columns


def bar(x, y, width, kind):
    return rect(x, y, width, 14, kind, 2)


def drawn(row, top):
    """One case: its ratio against the goal, then its share of the limit of memory."""
    ratio = row["ms"] / row["best_ms"]
    to_x = BAR / WIDEST
    y, base = top + 3, top + 14
    goal = LEFT + row["goal"] * to_x
    kind = "met" if ratio <= row["goal"] else "missed"
    beyond = " »" if ratio > WIDEST else ""
    parts = [
        words(LEFT - 8, base, row["case"], anchor="end"),
        bar(LEFT, y, BAR, "track"),
        bar(LEFT, y, min(ratio, WIDEST) * to_x, kind),
        line(goal, top, goal, top + 20, "goal"),
        words(LEFT + BAR + 8, base, f"{ratio:.2f}{beyond}"),
        words(LEFT + BAR + 52, base, f"{duration(row['ms'] * 1e-3)}, {row['best']} {duration(row['best_ms'] * 1e-3)}", "soft"),
    ]
    if row["limit"] > 0:
        share = min(row["limit"], 1.0)
        parts += [bar(SHARE_AT, y, SHARE, "track"), bar(SHARE_AT, y, share * SHARE, "share"),
                  words(SHARE_AT + SHARE + 8, base, f"{row['limit'] * 100:.0f} %")]
    return "".join(parts)


def workload_section(workload, rows, known):
    goals = ", ".join(sorted({f"{row['goal']:g}" for row in rows}))
    head = 18
    parts = [words(LEFT, 12, f"time by the best other's; goal {goals}", "soft"),
             words(SHARE_AT, 12, "share of the limit", "soft")]
    parts += [drawn(row, head + STEP * i) for i, row in enumerate(rows)]
    drawing = svg(WIDTH, head + STEP * len(rows), workload, *parts)
    apart = [f"{row['case']}: {', '.join(known[workload, row['case']])}"
             for row in rows if (workload, row["case"]) in known]
    note = paragraph(f'Measured apart: {escaped("; ".join(apart))}.', "soft") if apart else ""
    return f'{element("h2", escaped(workload))}<div class="scroll">{drawing}</div>{note}\n'


def benchmarks_page(rows):
    known, how = peers()
    workloads = {}
    for row in rows:
        workloads.setdefault(row["workload"], []).append(row)
    met = sum(row["ms"] <= row["goal"] * row["best_ms"] for row in rows)
    triads = [row["triad_gb_s"] for row in rows]
    about = (f"{machine()}; {datetime.date.today().isoformat()}; triad {min(triads):.0f} to {max(triads):.0f} GB/s. All of a case run in "
             "turn in one process; times are minima. The dashed line is the goal. The limit: bytes in the cache lines that must move, "
             "by the bandwidth of a triad measured in the same process.")
    return page("benchmarks", element("h1", "frisket against loops written by hand") + "\n" +
                paragraph(f"{met} of {len(rows)} cases meet their goal.") + paragraph(escaped(about), "soft") +
                paragraph(escaped(how), "soft") + "".join(workload_section(workload, of, known) for workload, of in workloads.items()))


def draw(kind, text):
    """The page of a file's text.  Errors: ValueError."""
    if kind == "tuning":
        return tuning_page(json.loads(text))
    rows = [json.loads(row) for row in text.splitlines()]
    if not rows:
        raise ValueError("it has no rows: run the benchmarks with --json and this file")
    return benchmarks_page(rows)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("benchmarks", "tuning"):
        sys.exit(__doc__)
    kind, source, to = sys.argv[1:]
    try:
        text = draw(kind, pathlib.Path(source).read_text(encoding="utf-8"))
        pathlib.Path(to).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        sys.exit(f"report.py: {source}: {error}")


main()
