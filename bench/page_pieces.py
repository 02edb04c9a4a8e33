# SPDX-License-Identifier: MIT
"""Pieces of a page that is one file and needs no script: text, tables and drawings as HTML.

Arguments named `inner` and the cells of tables are HTML; all others are text, which is escaped here."""
import html
import math
import pathlib

STYLE = pathlib.Path(__file__).with_name("style.css")


def escaped(text):
    return html.escape(str(text))


def of_kind(kind):
    return f' class="{escaped(kind)}"' if kind else ""


def element(name, inner, kind=""):
    return f"<{name}{of_kind(kind)}>{inner}</{name}>"


def code(text):
    return element("code", escaped(text))


def paragraph(inner, kind=""):
    return element("p", inner, kind) + "\n"


def section(title, inner):
    return f"<section>\n{element('h2', escaped(title))}\n{inner}</section>\n"


def details(summary, inner):
    """A section that unfolds when its summary is clicked; where pages are text, it is always shown."""
    return f"<details>{element('summary', escaped(summary))}\n{inner}</details>\n"


def number(value, digits=3):
    """A value to the given number of digits: "1.25"."""
    whole = 1 if value == 0 else math.floor(math.log10(abs(value))) + 1
    return f"{value:.{max(0, digits - max(whole, 1))}f}"


def duration(seconds):
    """A time as it is read: "12.3 µs", "1.23 ms"."""
    for unit, scale in (("ns", 1e9), ("µs", 1e6), ("ms", 1e3)):
        if seconds * scale < 1e3:
            return f"{number(seconds * scale)} {unit}"
    return f"{number(seconds)} s"


def percent(share):
    """A share as it was measured: "23.8 %"."""
    return f"{number(share * 100, 2 if share < 0.1 else 3)} %"


def density(share):
    """A share as it was given: "0.1 %"."""
    return f"{share * 100:g} %"


class Table:
    """Rows under heads; the heads from `numbers[0]` up to `numbers[1]` are of numbers.  Without heads: rows alone."""

    def __init__(self, *heads, numbers=(0, 0)):
        self.kinds = ["number" if numbers[0] <= i < numbers[1] else "" for i in range(len(heads))]
        self.heads = "".join(element("th", escaped(head), kind) for head, kind in zip(heads, self.kinds))
        self.rows = ""

    def row(self, *cells, kind="", kinds=None):
        """Adds a row; `kinds` of its cells are those of the heads unless others are given."""
        inner = "".join(element("td", cell, of) for cell, of in zip(cells, kinds or self.kinds))
        self.rows += element("tr", inner, kind) + "\n"

    def __str__(self):
        heads = f"<thead><tr>{self.heads}</tr></thead>\n" if self.heads else ""
        return f'<div class="scroll"><table>\n{heads}<tbody>\n{self.rows}</tbody></table></div>\n'


def at(x):
    """A coordinate: rounded to tenths, without zeros at its end."""
    return f"{x:.1f}".removesuffix(".0")


def svg(width, height, says, *parts):
    """A drawing; `says` is its label for those who do not see it, kinds of its parts are classes of the style sheet."""
    width, height = at(width), at(height)
    return (f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="{escaped(says)}">{"".join(parts)}</svg>')


def rect(x, y, width, height, kind, radius=0):
    round_corners = f' rx="{at(radius)}"' if radius else ""
    return f'<rect x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}"{round_corners}{of_kind(kind)}/>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{at(x1)}" y1="{at(y1)}" x2="{at(x2)}" y2="{at(y2)}"{of_kind(kind)}/>'


def path(commands, kind):
    """A path by SVG's commands, "M0 0h3v3h-3z"; nothing if there are none."""
    return f'<path d="{commands}"{of_kind(kind)}/>' if commands else ""


def words(x, y, text, kind="", anchor="start"):
    return f'<text x="{at(x)}" y="{at(y)}"{of_kind(kind)} text-anchor="{anchor}">{escaped(text)}</text>'


def plot(drawing, upright, height, level):
    """A drawing between its axes, three words for each, from its top or its left on; `height`: what the upright one measures."""
    def ends(axis, kind):
        return f'<div class="{kind}">{" ".join(element("span", escaped(word)) for word in axis)}</div>'
    return (f'<div class="scroll"><div class="plot"><div class="title">{escaped(height)}</div>'
            f'{ends(upright, "upright")}{drawing}{ends(level, "level")}</div></div>\n')


def legend(kind, word):
    """A word with the colour that it stands for."""
    side = 11
    return f"{svg(side, side, '', rect(0, 0, side, side, kind))} {escaped(word)}"


def page(title, body):
    """The file: title, style sheet and body."""
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
            f"<title>frisket: {escaped(title)}</title><style>\n{STYLE.read_text(encoding='utf-8')}</style></head><body>\n"
            f"{body}</body></html>\n")
