# SPDX-License-Identifier: MIT
"""Writes the tables and the bars of the documents from bench/races.tsv: races.py [--check], which only compares."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[1]
picture = root / "docs/assets/ratios.svg"
first = ("masked softmax, 2048", "csr x dense", "(a - a.mean", "gradients of a factorisation", "masked layer norm", "row-wise Adagrad of bags", "csr x csr", "masked Adagrad", "sparse Adagrad")
rows = [line.split("\t") for line in (root / "bench/races.tsv").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
rows = sorted(((name, float(ours), peer, float(theirs), threads) for name, ours, peer, theirs, threads, _ in rows), key=lambda row: row[1] / row[3])


def digits(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(chosen):
    yield "| workload | frisket, ms | compared with | its ms | ratio | threads |"
    yield "|---|---:|---|---:|---:|---:|"
    for name, ours, peer, theirs, threads in chosen:
        yield f"| {name.replace(' x ', ' × ')} | {digits(ours)} | {peer} | {digits(theirs)} | **{ours / theirs:.2f}** | {threads} |"


def bars():
    """Ratios as bars; those above 1 pass the line of the other library."""
    step, left, scale = 26, 350, 230
    height = step * len(rows) + 44
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" role="img" font-family="ui-sans-serif, system-ui, \'DejaVu Sans\', sans-serif" font-size="13">'
    yield "<title>Time of frisket by that of the other library</title>"
    yield f'<rect width="800" height="{height}" rx="8" fill="#f4f6f9"/>'
    for i, (name, ours, peer, theirs, _) in enumerate(rows):
        ratio, y = ours / theirs, 14 + step * i
        yield f'<text x="{left - 12}" y="{y + 14}" text-anchor="end" fill="#1f2933">{name.replace(" x ", " × ")}</text>'
        yield f'<rect x="{left}" y="{y}" width="{max(2, scale * ratio):.1f}" height="18" rx="3" fill="{"#0b6e4f" if ratio <= 1 else "#a8501b"}"/>'
        yield f'<text x="{left + max(2, scale * ratio) + 6:.1f}" y="{y + 14}" fill="#1f2933">{ratio:.2f} of {peer}</text>'
    yield f'<path d="M{left + scale} 6 v{height - 34}" stroke="#1f2933" stroke-dasharray="4 4"/>'
    yield f'<text x="{left + scale}" y="{height - 10}" text-anchor="middle" fill="#1f2933">1: as fast</text>'
    yield "</svg>\n"


def with_table(text, chosen):
    """A document whose table after the mark is that of the rows."""
    return re.sub(r"(<!-- table of bench/races.tsv -->\n\n)(?:\|[^\n]*\n)*", lambda found: found.group(1) + "\n".join(table(chosen)) + "\n", text)


wanted = {picture: "\n".join(bars())}
for document, chosen in ((root / "docs/performance.md", rows), (root / "README.md", [row for row in rows if row[0].startswith(first)])):
    wanted[document] = with_table(document.read_text(encoding="utf-8"), chosen)
stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
if "--check" in sys.argv:
    print("\n".join(f"{path.relative_to(root)}: differs from bench/races.tsv: run bench/races.py" for path in stale) or f"{len(rows)} races: all well")
    sys.exit(1 if stale else 0)
for path in stale:
    path.write_text(wanted[path], encoding="utf-8")
