# SPDX-License-Identifier: MIT
"""cli.py PROGRAM WHAT [FRISKET]: runs the command `frisket`, or a program like its verb tune, and checks its output."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from npy import npy_mask
from page_text import Page

program, what = sys.argv[1:3]
faults = []
version_line = r"^frisket \d+\.\d+\.\d+ \(commit (unknown|[0-9a-f]{8}), Halide \d+\.\d+\.\d+\)$"
folder = tempfile.TemporaryDirectory(prefix="frisket_cli_")
database = os.path.join(folder.name, "tuning.db")
loops = os.path.join(folder.name, "jit")


def run(*words, status=0, **environment):
    """stdout and stderr; a fault if the exit status is another."""
    known = {"FRISKET_TUNING_DB": database, "FRISKET_CACHE_DIR": loops, **environment}
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                          env={**os.environ, **known})
    if done.returncode != status:
        faults.append(f"frisket {' '.join(words)}: exit status {done.returncode}, wanted {status}: {done.stderr}")
    return done.stdout, done.stderr


def has(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.MULTILINE):
            faults.append(f"no {pattern!r} in:\n{text[:3000]}")


def fails(sentence, *words, **environment):
    out, error = run(*words, status=2, **environment)
    lines = error.splitlines()
    if out or len(lines) != 1 or not lines[0].startswith("frisket: "):
        faults.append(f"frisket {' '.join(words)}: wanted one sentence on stderr, found {out!r} and {error!r}")
    has(error, sentence)


def help_texts():
    has(run("--help")[0], "frisket doctor", "frisket show adagrad", "frisket tune adagrad", "frisket tuning ls", "frisket cache ls",
        r"^Subcommands:")
    if run()[0] != run("--help")[0]:
        faults.append("frisket alone does not print its help")
    has(run("--version")[0], version_line)
    has(run("show", "--help")[0], r"^Examples:\n  frisket show ", r"^Steps:\n .* adagrad .* muon", "  asm: ")
    has(run("doctor", "--help")[0], "what to install")
    has(run("tuning", "--help")[0], r"^Examples:\n  frisket tuning ls", "FRISKET_TUNING_DB")
    has(run("cache", "--help")[0], r"^Examples:\n  frisket cache ls", "FRISKET_CACHE_DIR", "256 MiB")


def doctor():
    out, error = run("doctor")
    has(out, r"^frisket +\d+\.\d+\.\d+, Halide 21\.", r"^processor +\S", r"^threads +\d", r"^target cpu +yes: a step was compiled and run",
        r"^target arm-64 +no: this machine's processor is of another kind|^target x86-64 +no: ", r"^target opencl +(yes|no): ",
        r"^tuning +\S+/tuning\.db: not there yet", r"^cache +\S+/jit: 0 loops, 0 bytes$")
    if error:
        faults.append(f"doctor writes to stderr: {error}")
    for target in re.findall(r"^target (opencl|cuda|vulkan) +no", out, re.MULTILINE):
        has(out, rf"^  target {target}: ")
    has(run("doctor", FRISKET_TUNING_DB="off")[0], "^tuning +off")
    has(run("doctor", FRISKET_NUM_THREADS="3")[0], "^threads +3, as FRISKET_NUM_THREADS says")
    has(run("doctor", FRISKET_CACHE_DIR="off")[0], "^cache +off")
    os.chmod(loops, 0o777)
    has(run("doctor")[0], "^cache +no: .*may be written by others", "^target cpu +yes")


def without_halide():
    """The command, next to a frisket-compile that looks for libHalide in a wrong folder."""
    copied = os.path.join(folder.name, "bin")
    os.mkdir(copied)
    shutil.copy(program, copied)
    compiling = os.path.join(os.path.dirname(program), "frisket-compile")
    section = subprocess.run(["readelf", "-d", compiling], stdout=subprocess.PIPE, text=True, check=True).stdout
    with open(compiling, "rb") as file:
        data = file.read()
    for paths in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", section):
        data = data.replace(paths.encode(), b"/nowhere".ljust(len(paths), b"/"))
    with open(os.path.join(copied, "frisket-compile"), "wb") as file:
        file.write(data)
    os.chmod(os.path.join(copied, "frisket-compile"), 0o755)
    if "libHalide" in subprocess.run(["readelf", "-d", program], stdout=subprocess.PIPE, text=True, check=True).stdout:
        faults.append("the command is linked to libHalide")

    def light(*words, status=0):
        known = {"HOME": folder.name, "PATH": copied, "FRISKET_TUNING_DB": database, "FRISKET_CACHE_DIR": loops}
        done = subprocess.run([os.path.join(copied, "frisket"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=known)
        if done.returncode != status:
            faults.append(f"frisket {' '.join(words)}: exit status {done.returncode}, wanted {status}: {done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    has(light()[0], r"^Subcommands:")
    has(light("--version")[0], version_line)
    for verb, words in (("show", "^Steps:"), ("tune", "--budget"), ("build", "--shared"), ("doctor", "what to install")):
        has(light(verb, "--help")[0], words)
    kept = os.path.join(os.path.dirname(os.path.abspath(__file__)), "records.tsv")
    has(light("tuning", "merge", kept)[0], r"tuning\.db: 2 records$")
    has(light("tuning", "ls", "--all")[0], "^adagrad +bitmask ", r"2 records$")
    has(light("cache", "ls")[0], r"jit: 0 loops, 0 bytes$")
    missing = r"libHalide\.so was not found: python3 -m pip install halide==\d+\.\d+\.\d+, or name the folder of HalideConfig\.cmake in Halide_DIR$"
    has(light("doctor", status=1)[0], r"^frisket +\d+\.\d+\.\d+, Halide 21\S+ is wanted$", r"^processor +\S", "^all targets +no: " + missing,
        r"^tuning +\S+/tuning\.db: 2 records", r"^cache +\S+/jit: 0 loops, 0 bytes$")
    for words in (("show", "adagrad"), ("tune", "adagrad", "--shape", "4,4"), ("build", "x", "--from", "x.hpp", "--steps", "y")):
        out, error = light(*words, status=2)
        if out or not re.fullmatch("frisket: " + missing + "\n", error):
            faults.append(f"frisket {' '.join(words)}: {out!r}, {error!r}")
    has(light("show", status=2)[1], "STEP is required")
    os.remove(os.path.join(copied, "frisket-compile"))
    has(light("show", "adagrad", status=2)[1], r"^frisket: \S+/frisket-compile is not there, which compiles: install all of frisket$")


def completion():
    script, _ = run("completion", "bash")
    ask = "COMP_WORDS=({}); COMP_CWORD={}; _frisket; echo ${{COMPREPLY[*]}}"
    for words, at, wanted in (("frisket sh", 1, "show"), ("frisket show --str", 2, "--strategy"), ("frisket tuning me", 2, "merge"), ("frisket show adagr", 2, "adagrad")):
        found = subprocess.run(["bash", "-c", script + ask.format(words, at)], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        if found != [wanted]:
            faults.append(f"{words}: completed as {found}, wanted {wanted}")
    has(run("completion", "zsh")[0], "^autoload -U [+]X bashcompinit", "^complete -o default -F _frisket frisket$")
    has(run("completion", "fish")[0], r"^complete -c frisket -n '__fish_seen_subcommand_from tune' -l shape$")
    fails("csh not in", "completion", "csh")


def show():
    steps = re.search(r"^Steps:\n(.*)", run("show", "--help")[0], re.MULTILINE).group(1).split()
    if len(steps) < 19:
        faults.append(f"only {len(steps)} steps")
    for step in steps:
        has(run("show", step)[0], r"^--- graph: ", r"grad")
        has(run("show", step, "--stage", "plan")[0], r"^--- plan: \w+, strategy \w+\n.*\n  walks   ")
    for target in ("x86-64-avx2", "arm-64"):
        for stage, line in (("schedule", r"^gather "), ("loops", r"^ *for \("), ("asm", r"^\s+ret")):
            out, _ = run("show", "adagrad", "--stage", stage, "--layout", "coo", "--target", target)
            has(out, rf"^--- {stage}: adagrad, strategy gather$", line)
    has(run("show", "adagrad", "--stage", "asm", "--strategy", "blend", "--target", "x86-64-avx512")[0], "%zmm")
    has(run("show", "lamb", "--stage", "loops", "--shape", "100,20")[0], r"^--- first: ", r"^--- loops: ")
    has(run("show", "adam", "--option", "amsgrad=true")[0], "max_exp_avg_sq")
    has(run("show", "sgd", "--stage", "plan", "--strategy", "strided")[0], "^--- plan: sgd, strategy strided$")
    picture = os.path.join(folder.name, "adagrad.svg")
    has(run("show", "adagrad", "--layout", "rows", "--svg", picture)[0], "adagrad.svg$")
    with open(picture, encoding="utf-8") as file:
        has(file.read(), "^<svg ", ">param takes<", ">  walks   the specified rows of grad, by a list of rows<", "^</svg>$")
    out, _ = run("show", "sgd", "--stage", "schedule", "--layout", "bitmask")
    if out.count("--- schedule: ") < 3:
        faults.append(f"one loop for each strategy was wanted: {out}")


def tuning():
    kept = os.path.join(os.path.dirname(os.path.abspath(__file__)), "records.tsv")
    with open(kept, encoding="utf-8") as file:
        text = file.read()
    has(run("tuning", "ls")[0], r"tuning\.db: 0 records$")
    fails("has no records", "tuning", "export", os.path.join(folder.name, "none.tsv"))

    has(run("tuning", "merge", kept)[0], r"records\.tsv: 2 records taken$", r"tuning\.db: 2 records$")
    has(run("tuning", "merge", kept, kept)[0], r"records\.tsv: 0 records taken$")
    has(run("tuning", "ls")[0], r"2 records, 2 of another machine or build \(--all\)$")
    has(run("tuning", "ls", "--all")[0], r"^step +layout +size +target +gain +found +schedule$",
        r"^adagrad +bitmask +2\^24 +cpu +1\.50 +2023-11-14 +skip tile=256 vector=16$", r"^adagrad +coo .* default$")
    exported = os.path.join(folder.name, "exported.tsv")
    has(run("tuning", "export", exported)[0], r"exported\.tsv: 2 records$")
    with open(exported, encoding="utf-8") as file:
        if sorted(file.read().splitlines()) != sorted(text.splitlines()):
            faults.append("what was merged is not what is exported")

    wrong = os.path.join(folder.name, "wrong.tsv")
    with open(wrong, "w", encoding="utf-8") as file:
        file.write(text.replace("tile=256", "tile=128"))
    other = os.path.join(folder.name, "other.db")
    out, error = run("tuning", "merge", wrong, "--db", other)
    has(out, r"wrong\.tsv: 1 record taken", r"other\.db: 1 records?$")
    has(error, r"^frisket: tuning records .*wrong\.tsv: line 3 is refused: it is not whole, or its checksum is wrong$")
    has(run("tuning", "clear")[0], r"tuning\.db: 2 records removed")
    has(run("tuning", "merge", other)[0], r"other\.db: 1 record taken")


def tune():
    step = ("tune", "adagrad", "--shape", "512,512", "--budget", "2")
    out, error = run(*step, "--density", "0.1")
    has(out, r"^adagrad: bitmask, 2\^18 elements, rows of 2\^9, \S+ % specified, in \S+ % of the lines$",
        r"^  default +\S+ ms  \w+$", r"^  found +\S", r"^  noise +\S+ %: the default against itself$",
        r"^  tried +\d+ schedules in \d+ s, 0 of them rejected", r"^  kept +\S+tuning\.db$")
    if error:
        faults.append(f"tune writes to stderr where there is no terminal: {error}")
    has(run("tuning", "ls")[0], r"^adagrad +bitmask +2\^18 +cpu ", r": 1 record$")
    has(run(*step, "--density", "0.1", "--pattern", "blocks", "--layout", "coo", "--db", "off")[0], "coo, 2", "nowhere")
    parts, _ = run("tune", "lamb", "--shape", "300,200", "--layout", "strided", "--density", "0.5", "--budget", "1", "--db", "off")
    has(parts, r"^\S*sum\(.*: dense, ", r"^lamb: (bitmask|strided), 2\^16 elements, ", "nowhere")
    has(run("tune", "rowwise_adagrad", "--shape", "300,200", "--layout", "rows", "--density", "0.5", "--db", "off")[0],
        "with this layout it runs over listed rows, whose loops have no schedule to choose$")
    fails("--report: a page is of one search, and lamb is tuned in parts: leave it out", "tune", "lamb", "--report", "page.html")
    fails('there is no pattern "stripes": write random, rows or blocks', *step, "--pattern", "stripes")
    fails("a share, from 0 to 1", *step, "--density", "7")
    fails("a row that is specified in part|rows", *step, "--layout", "rows", "--pattern", "random", "--density", "0.5")
    has(run(*step, "--layout", "rows", "--density", "0.5", "--db", "off")[0], "^adagrad: rows, ")
    fails("a share, from 0 to 1", *step, "--density=-0.5")
    # One row, which would broadcast.
    mask = os.path.join(folder.name, "mask.npy")
    with open(mask, "wb") as file:
        file.write(npy_mask((1, 512), b"\x01" * 512))
    fails(r"the mask in .* has shape \[1, 512\], --shape is \[512, 512\]", *step, "--mask", mask)


def expressions():
    """The program that frisket_add_kernels makes for expressions.hpp."""
    global program
    page = os.path.join(folder.name, "page.html")
    step = ("weighted", "--shape", "300,500", "--layout", "strided", "--density", "0.5", "--budget", "2")
    out, error = run(*step, "--number", "scale=3", "--report", page)
    has(out, r"^weighted: dense, 2\^17 elements, rows of 2\^\d+$", r"^  default +\S+ ms  expression$", r"^  found +\S",
        r"^  tried +\d+ schedules in \d+ s, 0 of them rejected", r"^  kept +\S+tuning\.db$")
    if error:
        faults.append(f"tune writes to stderr where there is no terminal: {error}")
    with open(page, encoding="utf-8") as file:
        shown = sections_of(file.read())
    if list(shown) != ["What to do next", "What was tuned", "Best so far", "Candidates", "Rejected candidates"]:
        faults.append(f"the page of an expression has the sections {list(shown)}")
    has(shown["What was tuned"]["words"], "weighted", r"strided, \d+ specified", r"float32 \[300, 500\]")
    has(shown["Rejected candidates"]["words"], "gave the default's bytes")
    has(run("attention", "--shape", "200,64", "--shape-of", "w=64,200", "--budget", "1", "--db", "off")[0], "^attention: dense", "nowhere")
    # The command of the document, with a shorter search.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "schedules.md"), encoding="utf-8") as file:
        documented, = re.findall(r"^\$ build/NAME_tune (.+)", file.read(), re.MULTILINE)
    has(run(*documented.replace("page.html", page).split(), "--budget", "1", "--db", "off")[0], r"^weighted: dense, 2\^20 elements", r"^  found +\S")
    fails('there is no step "adam": there are weighted, attention', "adam")
    fails("wanted a symbol of the expression and its extents", "attention", "--shape-of", "w=64x200")
    fails("wanted a symbol of the expression and its extents", "attention", "--shape-of", "w")
    has(run("--help")[0], r"^Examples:\n  cli_expressions_tune weighted ", "where eval finds it")
    program = sys.argv[3]
    has(run("tuning", "ls")[0], r"^add\(mul\(.* dense +2\^17 +cpu ", r": 1 record$")


def sections_of(text):
    page = Page(text)
    faults.extend(page.faults)
    return page.sections


def report():
    path = os.path.join(folder.name, "page.html")

    def page(*words, shape="512,512", database="off"):
        out, _ = run("tune", *words, "--shape", shape, "--budget", "2", "--db", database, "--report", path)
        has(out, r"^  report +\d+ s more", re.escape(path))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if re.search(r"https?:|//|@import|url\(", text):
            faults.append("the page names an address")
        os.remove(path)
        sections = sections_of(text)
        advice = sections["What to do next"]["words"]

        def again(**changed):
            wanted = {"shape": shape, "budget": "2", "db": database, "report": path} | changed
            return sorted(["frisket", "tune", *words] + [word for name, value in wanted.items() for word in ("--" + name, value)])

        commands = [sorted(shlex.split(line)) for line in advice.splitlines() if line.startswith("frisket tune ")]
        if "there are more: a larger --budget" in out and again(budget="8") not in commands:
            faults.append(f"no command with four times the budget in:\n{advice}")
        if "nothing that pairs confirm" in out:
            return sections
        if database == "off":
            has(advice, "kept nowhere", r"^FRISKET_TUNING_DB=tuning\.db \./my_program$")
            if again(db="tuning.db") not in commands:
                faults.append(f"no command that keeps the result in:\n{advice}")
        else:
            has(advice, rf"^FRISKET_TUNING_DB={database} \./my_program$", rf"^frisket tuning export tuned\.tsv --db {database}$",
                rf"^frisket_add_kernels\(my_kernels STEPS {words[0]} FROM my_steps\.hpp LAYOUTS {words[2]} SCHEDULES tuned\.tsv\)$",
                rf"^frisket build my_kernels --steps {words[0]} --from my_steps\.hpp --layouts {words[2]} --schedules tuned\.tsv$")
        return sections

    sections = page("adagrad", "--layout", "strided", "--density", "0.1", "--map", "4")
    wanted = {"What was tuned": (0, 11), "Best so far": (1, 2), "Candidates": (2, 3), "Limit of memory": (3, 4),
              "Speed-up": (0, 4), "Which strategy wins where": (0, 19), "What each strategy touches": (4, 5),
              "Rejected candidates": (0, 2)}
    for heading, (pictures, rows) in wanted.items():
        found = sections.get(heading, {})
        if found.get("svg", 0) < pictures or found.get("tr", 0) < rows:
            faults.append(f"{heading}: wanted {pictures} pictures and {rows} rows, found {found}")
    has(sections["What was tuned"]["words"], r"shape\|\[512, 512\]\|", "strided", "float32", "10 %, random", "frisket ", "step adagrad")
    has(sections["Best so far"]["words"], "^shortest call", "0 s seconds of the search [0-9.]+ s$")
    has(sections["Candidates"]["words"], "the default, ", r"\d ms|\d µs", "calls, from 0 to [0-9.]+ [mµn]s")
    has(sections["Speed-up"]["words"], "default", "naive loop", "by hand: select")
    places = sections["Which strategy wins where"]["words"]
    has(places, "random", "rows", "blocks", "pattern of the mask *0.1 % specified", "100 % specified", "gather ", "lines ", r"shape \[512, 512\]")
    if "not measured" in places or len(re.findall(r"^\w+\|[0-9.]+ %\|\w+ [0-9.]+ [mµn]s", places, re.MULTILINE)) != 15:
        faults.append(f"15 cells were wanted: {places}")
    # A piece of 4096 elements: the whole of them is blended, only specified elements are gathered.
    table = sections["What each strategy touches"]["words"]
    has(table, r"^blend [^|]*\|\d+\|4096\|4096\|4096 of grad, 64 of grad's words\|$", r"^gather [^|]*\|(\d+)\|\1\|\1\|\1 of grad, \1 of positions\|$")
    has(sections["Rejected candidates"]["words"], "Illegal combinations of knobs: ", "times unroll=")

    sections = page("adam", "--layout", "rows", "--pattern", "rows", "--density", "0.1", "--map", "0")
    has(sections["Speed-up"]["words"], "There is no loop by hand for this step and layout")
    has(sections["Which strategy wins where"]["words"], "one strategy alone", "were not measured, as --map 0 says")
    # More than a second has time for, and masks that the layout cannot hold.
    places = page("adagrad", "--layout", "rows", "--pattern", "rows", "--density", "0.1", "--map", "1", shape="4096,1024",
                  database=os.path.join(folder.name, "page.db"))["Which strategy wins where"]["words"]
    has(places, r"shape \[\d+, 1024\]", "–")
    if places.count("the layout rows cannot hold such a mask") != 1 or "not measured" in places:
        faults.append(f"one sentence was wanted on cells that are empty: {places}")
    fails("cannot be|folder|directory", "tune", "adagrad", "--report", os.path.join(folder.name, "nowhere", "page.html"))
    report_without_python()


def report_without_python():
    """The data of a page, where python3 is not there or fails, and the command that draws it."""
    page, data, tools = (os.path.join(folder.name, name) for name in ("its page.html", "its page.json", "tools"))
    os.mkdir(tools)
    words = ("tune", "sgd", "--shape", "64,64", "--budget", "1", "--map", "0", "--db", "off", "--report")
    out, error = run(*words, page, PATH=tools)
    if error or os.path.exists(page):
        faults.append(f"without python3 tune --report says {error!r}, or has drawn a page")
    has(out, rf"^ +{re.escape(data)} has the page's data; python3 cannot be started \(.+\), this draws it: python3 -B /\S+/report\.py tuning ")
    with open(data, encoding="utf-8") as file:
        if json.load(file)["step"] != "sgd":
            faults.append("the data of the page of sgd are of something else")
    subprocess.run(shlex.split(out[out.index("this draws it: "):].removeprefix("this draws it: ")), check=True)
    with open(page, encoding="utf-8") as file:
        if list(sections_of(file.read()))[:2] != ["What to do next", "What was tuned"]:
            faults.append("the command that draws the page draws another one")

    failing = os.path.join(tools, "python3")
    with open(failing, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 3\n")
    os.chmod(failing, 0o755)
    error = run(*words, page, status=2, PATH=tools)[1]
    has(error, rf"^frisket: tune: {re.escape(data)} has the page's data; this command, which draws it, failed: python3 -B /\S+/report\.py tuning ")
    # A name that ends in .json: only the data.
    alone = os.path.join(folder.name, "alone.json")
    has(run(*words, alone, PATH=tools)[0], rf"^ +{re.escape(alone)}$")
    with open(alone, encoding="utf-8") as file:
        json.load(file)


def cache():
    has(run("cache", "ls")[0], r"jit: 0 loops, 0 bytes$")
    has(run("cache", "clear")[0], r"jit: 0 loops removed$")
    # A program of one step, whose gradient is coo.
    example = os.path.join(os.path.dirname(program), "01_first_step")
    subprocess.run([example], env={**os.environ, "FRISKET_CACHE_DIR": loops}, stdout=subprocess.DEVNULL, check=True, timeout=300)
    out, _ = run("cache", "ls")
    has(out, r"^step +target +bytes +used, UTC +loops$", r"^adagrad +cpu +\d+  20\d\d-\d\d-\d\d \d\d:\d\d  gather unroll=", r"jit: [1-9]\d* loops, \d+ bytes$")
    kept = sorted(os.listdir(loops))
    with open(os.path.join(loops, kept[0]), "r+b") as file:
        file.truncate(100)
    has(run("cache", "ls")[0], rf"^damaged +- +100  .*{kept[0]}$")
    shutil.copy(os.path.join(loops, kept[0]), os.path.join(loops, "0" * 32 + ".loops"))
    kept = sorted(os.listdir(loops))
    sizes = [os.path.getsize(os.path.join(loops, name)) for name in kept]
    has(run("cache", "ls")[0], rf"jit: {len(sizes)} loops, {sum(sizes)} bytes$")
    has(run("cache", "clear")[0], rf"jit: {len(kept)} loops removed$")
    if os.listdir(loops):
        faults.append("cache clear leaves something")
    os.chmod(loops, 0o777)
    fails("may be written by others", "cache", "ls")


def commands():
    """Every command of the documents and of all helps, unchanged but for shorter searches."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    texts = [run(*verb, "--help")[0] for verb in ((), ("doctor",), ("show",), ("tune",), ("build",), ("tuning",), ("cache",))]
    texts = [re.sub(r"\\\n *", "", text) for text in texts]  # one line each
    lines = [line for text in texts for line in re.findall(r"^  frisket ((?:\S| (?! ))+)", text, re.MULTILINE)]
    for place, _, names in os.walk(root):
        if not re.search(r"/(\.|build)", place[len(root):]):
            for name in (name for name in names if name.endswith(".md")):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    lines += re.findall(r"^ *\$ (?:build/bin/)?frisket ([^#\n]+)", file.read().replace("\\\n", " "), re.MULTILINE)
    if len(lines) < 20:
        faults.append(f"only {len(lines)} commands are found")
    # Files that the commands name.
    os.chdir(folder.name)
    with open("mask.npy", "wb") as file:
        file.write(npy_mask((4096, 4096), (b"\x01" + bytes(63)) * (4096 * 64)))
    kept = os.path.join(os.path.dirname(os.path.abspath(__file__)), "records.tsv")
    run("tuning", "merge", kept, "--db", "box.db")
    for header in ("adagrad.hpp", "losses.hpp"):
        shutil.copy(os.path.join(root, "examples", "06_ahead_of_time", header), ".")
    # Kernels for arm-64 need a frisket for it: they are a test of their own.
    lines = [line for line in lines if "--cross" not in line]
    order = ["doctor", "show", "build", "tune", "tuning ls", "tuning export", "tuning merge", "tuning clear", "cache ls", "cache clear"]
    known = dict.fromkeys(" ".join(line.split()) for line in lines)
    for line in sorted(known, key=lambda line: [line.startswith(verb) for verb in order].index(True)):
        words = shlex.split(line)
        if words[0] == "tune":
            words = [word for i, word in enumerate(words) if "--budget" not in words[max(i - 1, 0):i + 1]]
            words += ["--budget", "1", "--map", "0"]
        out, error = run(*words)
        if not out or (error and words[0] != "tuning"):
            faults.append(f"frisket {line}: stdout {out[:200]!r}, stderr {error!r}")


def errors():
    fails('there is no optimizer "nothing"; there are sgd', "show", "nothing")
    fails('there is no stage "tree": there are graph, plan, schedule, loops, asm', "show", "sgd", "--stage", "tree")
    fails("has no loops of strategy \"rows\": it has gather", "show", "sgd", "--stage", "plan", "--layout", "coo", "--strategy", "rows")
    fails("no target \"z80\": there are cpu", "show", "sgd", "--stage", "loops", "--target", "z80")
    for stage in ("graph", "plan"):
        fails('layout.* "?round', "show", "sgd", "--stage", stage, "--layout", "round")
        fails("no target \"z80\": there are cpu", "show", "sgd", "--stage", stage, "--target", "z80")
        fails('no strategy "zigzag": there are dense', "show", "sgd", "--stage", stage, "--strategy", "zigzag")
    fails('option lr is "-1", wanted a finite number of at least 0', "show", "sgd", "--option", "lr=-1")
    fails("extents are 0 or more", "show", "sgd", "--shape=-3,4")
    for budget in ("-1", "0", "nan", "inf", "1e30", "soon"):
        fails(f"--budget: {budget} is no time: wanted seconds, above 0: ", "tune", "sgd", f"--budget={budget}")
    fails("--map: -1 is no time: wanted seconds, 0 or more: ", "tune", "sgd", "--map=-1")
    fails("write float32", "show", "sgd", "--dtype", "int32")
    fails("wanted a name and a value", "show", "sgd", "--option", "lr")
    fails("frisket --help says", "show")
    fails("frisket --help says", "paint")
    fails("frisket --help says", "doctor", "--loudly")
    fails("tuning database is|there is no tuning database", "tuning", "ls", FRISKET_TUNING_DB="off")
    fails("no loops are kept", "cache", "ls", FRISKET_CACHE_DIR="off")
    fails("is not there", "tuning", "merge", os.path.join(folder.name, "nothing.db"))
    fails("it will not be used", "tuning", "ls", "--db", __file__)
    fails("neither a tuning database nor an export", "tuning", "merge", __file__)


{"help": help_texts, "doctor": doctor, "without_halide": without_halide, "completion": completion, "show": show, "tune": tune, "expressions": expressions, "report": report, "tuning": tuning, "cache": cache,
 "commands": commands, "errors": errors}[what]()
print("\n".join(faults) if faults else f"frisket {what}: all well")
sys.exit(1 if faults else 0)
