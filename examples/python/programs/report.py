# SPDX-License-Identifier: MIT
"""Options, a progress bar, time by phase, and loss curves as SVG, for the programs of this folder."""
import argparse
import contextlib
import math
import pathlib
import statistics
import sys
import time

data = pathlib.Path(__file__).resolve().parents[2] / "data"
colors = ("#0b62a4", "#c7522a")


def options(description, **more):
    """Options of the command line: those of every program, and one for each keyword, with its default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--small", action="store_true", help="run on little data, to see that it runs")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers")
    parser.add_argument("--plot", metavar="FILE", help="write the loss curves to FILE, as SVG")
    parser.add_argument("--torch", action="store_true", help="train the same model in PyTorch as well, and compare")
    for name, default in more.items():
        parser.add_argument("--" + name, type=str if default is None else type(default), default=default, help=" ")
    return parser.parse_args()


class Report:
    """One run of a program: its phases with their times, its loss curves, its closing number."""

    def __init__(self, title, chosen):
        self.title, self.chosen = title, chosen
        self.seconds, self.epoch_seconds, self.curves = {}, {}, {}

    @contextlib.contextmanager
    def phase(self, name):
        """Measures a block."""
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0) + time.perf_counter() - start

    def epochs(self, name, count):
        """Numbers of epochs, which are measured as a phase; a bar on stderr shows them if it is a terminal."""
        spent, is_seen = self.epoch_seconds.setdefault(name, []), sys.stderr.isatty()
        for epoch in range(count):
            with self.phase(name):
                start = time.perf_counter()
                yield epoch
                spent.append(time.perf_counter() - start)
            if is_seen:
                done, left = epoch + 1, statistics.median(spent) * (count - epoch - 1)
                loss = f", loss {self.curves[name][-1]:.4g}" if name in self.curves else ""
                bar = f"{name} [{'#' * (30 * done // count):30}] {done}/{count}{loss}, {left:.0f} s left"
                print(f"\r{bar:<78}", end="\n" if done == count else "", file=sys.stderr, flush=True)

    def loss(self, name, value):
        """Appends a point to a curve."""
        self.curves.setdefault(name, []).append(float(value))

    def compare(self, what, ours, theirs):
        """Prints the quality that frisket and PyTorch reach, and their medians of seconds an epoch."""
        a, b = (statistics.median(self.epoch_seconds[name]) for name in ("frisket", "PyTorch"))
        print(f"{what}: frisket {ours:.4f}, PyTorch {theirs:.4f}")
        print(f"seconds an epoch: frisket {a:.4f}, PyTorch {b:.4f}, ratio {a / b:.2f}")

    def close(self, what, value):
        """Prints seconds by phase and, as the last line, the closing number; writes the plot."""
        first = f"; the first epoch, with compilation, {self.epoch_seconds['frisket'][0]:.2f}"
        print("seconds: " + ", ".join(f"{name} {spent:.2f}" for name, spent in self.seconds.items()) + first)
        if self.chosen.plot:
            pathlib.Path(self.chosen.plot).write_text(svg(self.title, self.curves), encoding="utf-8")
        print(f"{what}: {value:.4f}")


def _ticks(low, high):
    """Three to eight round numbers from `low` to `high`."""
    unit = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= (high - low) / 6)
    return [step * i for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def svg(title, curves):
    """The text of an SVG with a line for each curve, {name: losses}, over epochs."""
    longest = max(max(map(len, curves.values())), 2)
    losses = [loss for curve in curves.values() for loss in curve if math.isfinite(loss)] or [0.0]
    low, high = min(losses), max(losses)
    low, high = (low, high) if high > low else (low - 1, high + 1)
    x = lambda epoch: 70 + 550 * (epoch - 1) / (longest - 1)
    y = lambda loss: 350 - 300 * (loss - low) / (high - low)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" font-size="13">',
        f'<title>{title}</title><rect width="640" height="400" fill="white"/>',
        f'<text x="345" y="28" text-anchor="middle" font-size="16">{title}</text>',
        '<text x="345" y="392" text-anchor="middle">epoch</text>',
        '<text x="18" y="200" text-anchor="middle" transform="rotate(-90 18 200)">loss</text>',
    ]
    for tick in _ticks(low, high):
        parts.append(f'<path d="M70 {y(tick):.1f}H620" stroke="#ddd"/>')
        parts.append(f'<text x="62" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.4g}</text>')
    for tick in _ticks(1, longest):
        if tick == int(tick):
            parts.append(f'<text x="{x(tick):.1f}" y="370" text-anchor="middle">{int(tick)}</text>')
    for i, (name, curve) in enumerate(curves.items()):
        line = " ".join(f"{x(k + 1):.1f},{y(loss):.1f}" for k, loss in enumerate(curve) if math.isfinite(loss))
        dashes = ' stroke-dasharray="6 4"' if i else ""
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colors[i % 2]}" stroke-width="2"{dashes}/>')
        parts.append(f'<text x="615" y="{60 + 18 * i}" text-anchor="end" fill="{colors[i % 2]}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])
