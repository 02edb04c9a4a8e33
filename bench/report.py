# SPDX-License-Identifier: MIT
"""Makes one page of what the benchmarks kept: report.py ROWS.jsonl PAGE.html."""

import datetime
import html
import json
import os
import pathlib
import platform
import sys

STYLE = (pathlib.Path(__file__).parent.parent / "cli/report/style.css").read_text()

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


def duration(ms):
    if ms < 1e-3:
        return f"{ms * 1e6:.0f} ns"
    return f"{ms * 1e3:.1f} µs" if ms < 0.1 else f"{ms:.2f} ms"


def peers():
    """Times of other libraries, by (workload, case), and the note on how they were measured."""
    known, said = {}, []
    for line in (pathlib.Path(__file__).parent / "peers.tsv").read_text().splitlines():
        if line.startswith("#"):
            said.append(line.lstrip("# "))
            continue
        workload, case, peer, ms = line.split("\t")
        known.setdefault((workload, case), []).append(f"{peer} {duration(float(ms))}")
    return known, " ".join(said[:-1])  # the last names the columns


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.0f}" y="{y}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>'


def bar(x, y, width, kind):
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="14" rx="2" class="{kind}"/>'


def drawn(row, top):
    """One case: its ratio against the goal, then its share of the limit of memory."""
    ratio = row["ms"] / row["best_ms"]
    to_x = BAR / WIDEST
    y, base = top + 3, top + 14
    goal = LEFT + row["goal"] * to_x
    kind = "met" if ratio <= row["goal"] else "missed"
    beyond = " »" if ratio > WIDEST else ""
    parts = [
        text(LEFT - 8, base, row["case"], anchor="end"),
        bar(LEFT, y, BAR, "track"),
        bar(LEFT, y, min(ratio, WIDEST) * to_x, kind),
        f'<line x1="{goal:.1f}" x2="{goal:.1f}" y1="{top}" y2="{top + 20}" class="goal"/>',
        text(LEFT + BAR + 8, base, f"{ratio:.2f}{beyond}"),
        text(LEFT + BAR + 52, base, f"{duration(row['ms'])}, {row['best']} {duration(row['best_ms'])}", "soft"),
    ]
    if row["limit"] > 0:
        share = min(row["limit"], 1.0)
        parts += [bar(SHARE_AT, y, SHARE, "track"), bar(SHARE_AT, y, share * SHARE, "share"),
                  text(SHARE_AT + SHARE + 8, base, f"{row['limit'] * 100:.0f} %")]
    return "".join(parts)


def section(workload, rows, known):
    goals = ", ".join(sorted({f"{row['goal']:g}" for row in rows}))
    head = 18
    height = head + STEP * len(rows)
    parts = [text(LEFT, 12, f"time by the best other's; goal {goals}", "soft"),
             text(SHARE_AT, 12, "share of the limit", "soft")]
    parts += [drawn(row, head + STEP * i) for i, row in enumerate(rows)]
    svg = (f'<svg width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
           f'aria-label="{html.escape(workload)}">{"".join(parts)}</svg>')
    apart = [f"{row['case']}: {', '.join(known[workload, row['case']])}"
             for row in rows if (workload, row["case"]) in known]
    note = f'<p class="soft">Measured apart: {html.escape("; ".join(apart))}.</p>' if apart else ""
    return f'<h2>{html.escape(workload)}</h2><div class="scroll">{svg}</div>{note}'


def page(rows):
    known, how = peers()
    workloads = {}
    for row in rows:
        workloads.setdefault(row["workload"], []).append(row)
    met = sum(row["ms"] <= row["goal"] * row["best_ms"] for row in rows)
    triads = [row["triad_gb_s"] for row in rows]
    body = "".join(section(workload, of, known) for workload, of in workloads.items())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>frisket: benchmarks</title><style>{STYLE}</style></head><body>
<h1>frisket against loops written by hand</h1>
<p>{met} of {len(rows)} cases meet their goal.</p>
<p class="soft">{html.escape(machine())}; {datetime.date.today().isoformat()}; triad {min(triads):.0f} to {max(triads):.0f} GB/s.
All of a case run in turn in one process; times are minima. The dashed line is the goal. The limit: bytes in the
cache lines that must move, by the bandwidth of a triad measured in the same process.</p>
<p class="soft">{html.escape(how)}</p>
{body}
</body></html>
"""


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: report.py ROWS.jsonl PAGE.html")
    rows = [json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text().splitlines()]
    if not rows:
        sys.exit(f"{sys.argv[1]} has no rows: run the benchmarks with --json {sys.argv[1]}")
    pathlib.Path(sys.argv[2]).write_text(page(rows))
    print(f"wrote {sys.argv[2]}")


main()
