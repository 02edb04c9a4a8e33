# SPDX-License-Identifier: MIT
"""The page of a search for schedules, drawn from the data that `frisket tune STEP --report` writes (cli/report/data.cpp).

Pictures have no words: numbers stand in tables and captions, so that the page can be read as text."""
import math
import shlex

from page_pieces import (Table, code, density, details, duration, element, escaped, legend, line, number, page, paragraph, path,
                         percent, plot, rect, section, svg)

DOCUMENT = "frisket tuning 1"  # the kind and version of data that this file knows


def quantile(values, share):
    """The value that a share of some lies below; 0 if there are none."""
    return sorted(values)[math.floor(share * (len(values) - 1) + 0.5)] if values else 0


def fastest(loop):
    return quantile(loop["times_s"], 0)


def verdict(data):
    default, found = data["default"], data["found"]
    if not found:
        return (f"Nothing is confirmed to be faster than the default, {code(default['strategy'])}, "
                f"which takes {duration(default['shortest_s'])}.")
    return (f"{code(found['schedule'])} is {number(found['gain'])} times as fast as the default, {code(default['strategy'])}: "
            f"{duration(found['shortest_s'])} a call instead of {duration(default['shortest_s'])}.")


def uses(data):
    """Uses of a schedule that a database keeps."""
    following, kept = data["next"], data["next"]["kept"]
    word = shlex.quote(kept)
    if following["is_usual_database"]:
        option, rest, use = "", "; this lists it:", "frisket tuning ls"
    else:
        option, rest, use = f" --db {word}", " if the environment names that file:", f"FRISKET_TUNING_DB={word} ./my_program"
    yield f"It is kept in {kept}. Programs on this machine that compile just in time take it from there{rest}", [use]
    if data["is_expression"]:
        return
    step, layout = data["step"], following["layout"]
    yield "Kernels ahead of time take it from a file, in CMake or by the command:", [
        f"frisket tuning export tuned.tsv{option}",
        f"frisket_add_kernels(my_kernels STEPS {step} FROM my_steps.hpp LAYOUTS {layout} SCHEDULES tuned.tsv)",
        f"frisket build my_kernels --steps {step} --from my_steps.hpp --layouts {layout} --schedules tuned.tsv"]


def next_steps(data):
    """Things to do with the result: a sentence, and lines to write."""
    following, steps = data["next"], []
    if data["found"] and following["kept"]:
        steps += uses(data)
    elif data["found"]:
        steps.append(("It is kept nowhere, as no tuning database was named. To keep and use it:",
                      [following["keep_command"], "FRISKET_TUNING_DB=tuning.db ./my_program"]))
    if not data["is_exhausted"]:
        steps.append(("There are more schedules than the budget let be tried. A longer search:", [following["longer_command"]]))
    return steps or [("Every schedule was tried, and calls take the default by themselves: there is nothing to do.", [])]


def next_section(data):
    inner = ""
    for sentence, lines in next_steps(data):
        inner += paragraph(escaped(sentence))
        if lines:
            inner += element("pre", "".join(escaped(each) + "\n" for each in lines)) + "\n"
    return section("What to do next", inner)


def subject_section(data):
    count, rest = len(data["candidates"]), ", all that there are" if data["is_exhausted"] else "; there are more, which a larger budget tries"
    facts = [*data["facts"], ("search", f"{count} candidates in {number(data['spent_s'])} s{rest}"), ("made", data["made"])]
    table = Table()
    for name, text in facts:
        table.row(escaped(name), escaped(text), kinds=("name", ""))
    what = "The instructions of its loops" if data["is_expression"] else "The step's instructions"
    return section("What was tuned", f"{table}{details(what, element('pre', escaped(data['instructions'])))}")


def curve_section(data):
    points = data["curve"]
    if not points:
        return section("Best so far", paragraph("Nothing was timed."))
    width, height, edge = 640, 150, 4
    end, slowest, default = max(data["spent_s"], 1e-9), points[0][1], data["default"]["shortest_s"]

    def y(best):
        return height - edge - best / slowest * (height - 2 * edge)

    commands = ""
    table = Table("after", "shortest call so far", numbers=(0, 2))
    for spent, best in points:
        x = spent / end * width
        commands += f"H{x:.1f}V{y(best):.1f}" if commands else f"M{x:.1f} {y(best):.1f}"
        table.row(f"{number(spent)} s", duration(best))
    drawing = svg(width, height, "the best time so far over the seconds of the search, table below",
                  rect(0, 0, width, height, "track", 2), line(0, y(slowest / 2), width, y(slowest / 2), "grid"),
                  line(0, y(default), width, y(default), "goal"), path(f"{commands}H{width}", "curve"))
    about = ("The shortest call so far over the seconds of the search, from the default's first calls on. "
             f"Dashed: the default's shortest of all, {duration(default)}.")
    return section("Best so far", paragraph(about, "soft") +
                   plot(drawing, (duration(slowest), duration(slowest / 2), "0"), "shortest call",
                        ("0 s", "seconds of the search", f"{number(end)} s")) + details("The points", table))


def pairs_text(pairs):
    return f"{number(pairs['ratio'])} ({number(pairs['low'])}–{number(pairs['high'])})"


def became(candidate, is_winner):
    if candidate["pairs"]:
        return ("taken: " if is_winner else "not taken: ") + pairs_text(candidate["pairs"])
    if candidate["left_after"] > 0:
        return f"slower after round {candidate['left_after']}"
    return "in the race to its end"


def candidate_rows(data):
    """Name, end of its race, times, and whether it has won, of the default and each candidate: the fastest first."""
    rows = []
    if data["default"]["times_s"]:
        rows.append((f"the default, {code(data['default']['strategy'])}", "taken without tuning", data["default"]["times_s"], False))
    for candidate in data["candidates"]:
        if candidate["times_s"] and not candidate["rejected"]:
            is_winner = bool(data["found"] and candidate["schedule"] == data["found"]["schedule"] and candidate["pairs"])
            rows.append((code(candidate["schedule"]), became(candidate, is_winner), candidate["times_s"], is_winner))
    return sorted(rows, key=lambda row: min(row[2]))


def box(times, x, width, band):
    """From the shortest call to the upper quartile, as a box of quartiles with its median."""
    height, least = 16, 1.5
    shortest, first, half, third = (x(quantile(times, share)) for share in (0, 0.25, 0.5, 0.75))
    return svg(width, height, "spread of the times in this row", rect(0, 0, width, height, "track", 2),
               rect(x(band[0]), 0, x(band[1]) - x(band[0]), height, "band"),
               line(shortest, height / 2, third, height / 2, "whisker"),
               rect(min(first, width - least), 3, max(third - first, least), height - 6, "share", 1),
               line(half, 2, half, height - 2, "median"))


def candidates_section(data):
    rows, itself = candidate_rows(data), data["default_against_itself"]
    if not rows:
        return section("Candidates", paragraph("None was timed."))
    # Times much longer than the default's are cut off, so that near times can be told apart.
    usual = quantile(data["default"]["times_s"], 0.5)
    widest, width = max(usual, quantile(rows[0][2], 0.5)) * 2, 170

    def x(seconds):
        return min(max(seconds / widest, 0), 1) * width

    def table_of(some):
        table = Table("schedule", f"calls, from 0 to {duration(widest)}", "shortest", "25 %", "median", "75 %", "calls",
                      "what became of it", numbers=(2, 7))
        kinds = [*table.kinds[:-1], "line"]
        for name, end, times, is_winner in some:
            table.row(name, box(times, x, width, (usual * itself["low"], usual * itself["high"])),
                      *(duration(quantile(times, share)) for share in (0, 0.25, 0.5, 0.75)), len(times), escaped(end),
                      kind="winner" if is_winner else "", kinds=kinds)
        return str(table)

    shown = 20
    inner = paragraph(
        "Sorted by the shortest call. The box is from the lower to the upper quartile of a candidate's calls, its line the median, "
        "and the whisker begins at the shortest call. The band is what the default varies by against itself, in pairs of calls: "
        f"{pairs_text(itself)}. The fastest are then called in turn with the default: the last column has the median of the "
        "default's time by theirs, and its quartiles. One is taken if by that it is faster by 5 % and by more than the default "
        "differs from itself.", "soft") + table_of(rows[:shown])
    if rows[shown:]:
        inner += details(f"The other {len(rows) - shown}", table_of(rows[shown:]))
    return section("Candidates", inner)


def limit_section(data):
    loops, limit = data["loops"], data["limit"]
    least = limit["bytes"] / limit["bytes_a_second"]
    table = Table("loop", "shortest call", "useful bytes a second", "share of the limit", "from 0 to 100 %", numbers=(1, 4))
    for loop in loops:
        share, width, height = least / fastest(loop), 200, 14
        bar = svg(width, height, "share of the limit", rect(0, 0, width, height, "track", 2),
                  rect(0, 0, min(share, 1) * width, height, "share", 2))
        table.row(escaped(loop["name"]), duration(fastest(loop)), f"{number(limit['bytes'] / fastest(loop) * 1e-9)} GB/s",
                  percent(share), bar)
    return section("Limit of memory", paragraph(
        "The cache lines of specified elements, each tensor that is written counted twice, the mask and lists are "
        f"{number(limit['bytes'] * 1e-6)} MB; a triad in the same race moves {number(limit['bytes_a_second'] * 1e-9)} GB/s: a call "
        f"that comes from memory takes {duration(least)} at least. What the caches hold may beat it.") + str(table))


def speedup_section(data):
    # The default's loop is the first, then the winner's if there is one.
    loops, winner = data["loops"], data["loops"][1 if data["found"] else 0]
    table = Table("loop", "shortest call", "median", "speed-up, times", "what it is", numbers=(1, 4))
    for loop in loops:
        table.row(escaped(loop["name"]), duration(fastest(loop)), duration(quantile(loop["times_s"], 0.5)),
                  number(fastest(loop) / fastest(winner)), escaped(loop["is"]), kind="winner" if loop is winner else "")
    about = (f"How many times as fast the {winner['name']} is as the others, by their shortest calls. All of them and the triad are "
             "called in turn, so that a call finds in the caches what another left: where they would hold the whole step, calls "
             f"took less time above. {data['about_loops_by_hand']}")
    return section("Speed-up", paragraph(escaped(about)) + str(table))


IMPOSSIBLE = "–"  # in a cell of the map


def cell_text(cell):
    """Text of a cell of the map, and its kind."""
    if not cell["strategies"]:
        return IMPOSSIBLE, ""
    winner, best = cell["strategies"][0]
    text = f"{escaped(winner)}<br>{duration(best)}"
    chosen = dict(cell["strategies"]).get(cell["chosen"], best)
    worth_saying = 1.05
    if chosen > worth_saying * best:
        text += f"<br><small>calls take {escaped(cell['chosen'])},<br>{number(chosen / best)} times that</small>"
    return text, f"strategy {winner}"


def map_tables(cells):
    """The winners, a row for each pattern and a column for each density, and all times."""
    patterns = {}
    for cell in cells:
        patterns.setdefault(cell["pattern"], []).append(cell)
    winners = Table("pattern of the mask", *(f"{density(cell['density'])} specified" for cell in next(iter(patterns.values()))))
    for pattern, row in patterns.items():
        texts, kinds = zip(*map(cell_text, row))
        winners.row(escaped(pattern), *texts, kinds=("", *kinds))
    times = Table("pattern of the mask", "specified", "strategies, each with its shortest call", numbers=(1, 2))
    for cell in cells:
        if cell["strategies"]:
            times.row(escaped(cell["pattern"]), density(cell["density"]),
                      escaped(", ".join(f"{name} {duration(best)}" for name, best in cell["strategies"])))
    return str(winners) + details("Every strategy", times)


def map_section(data):
    cells, inner = data["map"], paragraph(escaped(data["about_map"]))
    if cells:
        about = "In a cell: the fastest strategy, and its shortest call."
        why = next((cell["why_empty"] for cell in cells if cell["why_empty"]), "")
        if why:
            about += f" {IMPOSSIBLE}: {why}."
        inner += paragraph(escaped(about), "soft") + map_tables(cells)
    return section("Which strategy wins where", inner)


def runs(bits, columns):
    """A path over all elements that are set: a rectangle for each run within a row.  Units: 3 pixels an element."""
    commands = ""
    for begin in range(0, len(bits), columns):
        row, x = bits[begin:begin + columns], 0
        while (x := row.find("1", x)) >= 0:
            end = row.find("0", x) if "0" in row[x:] else columns
            commands += f"M{3 * x} {3 * (begin // columns)}h{3 * (end - x)}v3h-{3 * (end - x)}z"
            x = end
    return commands


def figure(pictures, loop):
    width, height, columns = 3 * pictures["columns"], 3 * pictures["rows"], pictures["columns"]
    drawing = svg(width, height, f"what loops of {loop['strategy']} touch, numbers in the table below",
                  rect(0, 0, width, height, "track"), path(runs(loop["loaded"], columns), "loaded"),
                  path(runs(loop["stored"], columns), "stored"), path(runs(pictures["specified"], columns), "specified"))
    caption = f"{loop['strategy']}: stores {loop['stored'].count('1')} elements"
    return element("figure", drawing + element("figcaption", escaped(caption))) + "\n"


def pictures_section(data):
    title, pictures = "What each strategy touches", data["pictures"]
    if not pictures["loops"]:
        return section(title, paragraph(escaped(pictures["why_none"])))
    table = Table("schedule", "specified elements", "loaded elements", "stored elements", "read besides", numbers=(1, 4))
    for loop in pictures["loops"]:
        table.row(code(loop["schedule"]), *(bits.count("1") for bits in (pictures["specified"], loop["loaded"], loop["stored"])),
                  escaped(", ".join(f"{count} of {name}" for name, count in loop["read"].items())))
    about = (f"A piece of the mask, {pictures['rows']} rows from top to bottom of {pictures['columns']} elements from left to right, and "
             "what one call does to the tensors that the step writes, from Halide's tracing. Words and lists that calls make from the "
             "mask before the loop are not counted, what the loop reads of them is.")
    colours = "".join(legend(kind, word) for kind, word in (("specified", "specified,"), ("stored", "stored besides,"),
                                                            ("loaded", "only loaded,"), ("track", "not touched")))
    figures = "".join(figure(pictures, loop) for loop in pictures["loops"])
    return section(title, f'{paragraph(about)}{paragraph(colours, "legend")}<div class="pictures">\n{figures}</div>\n{table}')


def slower_text(data):
    """Summary of the candidates that left the race, by its rounds."""
    raced = [candidate for candidate in data["candidates"] if not candidate["rejected"]]
    rounds = [candidate["left_after"] for candidate in raced if candidate["left_after"] > 0]
    untimed = sum(not candidate["times_s"] for candidate in raced)
    text = ""
    if rounds:
        text += "Slower ones left the race: " + ", ".join(f"{rounds.count(each)} after round {each}" for each in sorted(set(rounds))) + ". "
    if untimed:
        text += f"{untimed} came too late for the race: a larger budget has time for them. "
    return text


def rejected_section(data):
    wrong, illegal = Table("schedule", "why it may not be used"), Table("schedule", "why there is none")
    for candidate in data["candidates"]:
        if candidate["rejected"]:
            wrong.row(code(candidate["schedule"]), escaped(candidate["rejected"]))
    for refused in data["refused"]:
        illegal.row(code(refused["schedule"]), escaped(refused["why"]))
    reference = "default's" if data["is_expression"] else "interpreter's"
    inner = f"{paragraph('Wrong bytes:')}{wrong}" if wrong.rows else paragraph(f"Every candidate that was compiled gave the {reference} bytes.")
    inner += paragraph(slower_text(data) + ("There are no other schedules." if data["is_exhausted"]
                                            else "There are more schedules than the budget let be tried."))
    if illegal.rows:
        inner += details(f"Illegal combinations of knobs: {len(data['refused'])}", illegal)
    return section("Rejected candidates", inner)


def tuning_page(data):
    """The page.  Errors: ValueError if the data are of another kind or version."""
    if not isinstance(data, dict) or data.get("document") != DOCUMENT:
        raise ValueError(f'these are no data of a search for schedules, wanted "document": "{DOCUMENT}"')
    sections = [next_section, subject_section, curve_section, candidates_section]
    if not data["is_expression"]:
        # Strategies and what they touch are of steps.
        sections += [limit_section, speedup_section, map_section, pictures_section]
    title = f"Tuning {data['step']}"
    return page(title, element("h1", escaped(title)) + "\n" + paragraph(verdict(data)) +
                "".join(draw(data) for draw in [*sections, rejected_section]))
