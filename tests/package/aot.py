# SPDX-License-Identifier: MIT
"""aot.py example CMAKE SOURCE BUILD [-DNAME=VALUE]   builds the example of ahead-of-time kernels in a copy, and checks the output, links and contents of its programs
aot.py refusals CMAKE SOURCE BUILD [-DNAME=VALUE]   each wrong frisket_add_kernels is refused with its sentence
aot.py not_found CMAKE SOURCE BUILD [-DNAME=VALUE]  so are projects that have not found their packages"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from npy import npy_mask

what, cmake, source, build, *options = sys.argv[1:]
source, build = pathlib.Path(source), pathlib.Path(build)
faults = []
# Loops call functions of Halide's runtime, for threads and devices for instance.
compiler = re.compile("Halide::(?!Runtime::|Internal::GPUCompilationCache)")


def run(*command):
    """Output and status of a command, which is printed."""
    print("+", *command, flush=True)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout, done.returncode


def must(*command):
    text, status = run(*command)
    if status:
        sys.exit(f"{text}\nended with {status}")
    return text


def configure(folder, into, *more):
    return run(cmake, "-S", folder, "-B", into, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options, *more)


def wanted_output(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("//").removeprefix(" ").rstrip() for line in lines[lines.index("// Output:") + 1:]]


def printed(program):
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        faults.append(f"{program.name} ended with {done.returncode}")
    return [line.rstrip() for line in done.stdout.splitlines()]


def example():
    copy = build / "source"
    shutil.copytree(source, copy)
    text, status = configure(copy, build / "out")
    if status:
        sys.exit(text)
    must(cmake, "--build", build / "out")
    programs = {build / "out" / "from_cpp": copy / "main.cpp", build / "out" / "from_c": copy / "client.c",
                build / "out" / "on_a_device": copy / "on_a_device.c",
                build / "out" / "losses": copy / "losses.c", build / "out" / "trainer": copy / "trainer.cpp"}
    for program, file in programs.items():
        if printed(program) != wanted_output(file):
            faults.append(f"{program.name} prints {printed(program)}, wanted {wanted_output(file)}")
        if "libHalide" in must("ldd", program):
            faults.append(f"{program.name} needs libHalide")
        if compiler.search(must("nm", "-C", program)):
            faults.append(f"{program.name} contains Halide's compiler")
    if compiler.search(must("nm", "-C", build / "out" / "libmy_kernels.a")):
        faults.append("the kernel library refers to Halide's compiler")

    # A shared library shows only the functions of its header.
    shared = build / "out" / "libmy_losses.so.1"
    shown = {line.split()[-1] for line in must("nm", "-D", "--defined-only", shared).splitlines()}
    declared = set(re.findall(r"FRISKET_EXPORT[^(]* \*?(\w+)\(", next(build.rglob("my_losses.h")).read_text(encoding="utf-8")))
    if shown != declared or not declared:
        faults.append(f"libmy_losses.so.1 exports {sorted(shown)}, its header declares {sorted(declared)}")
    if "libHalide" in must("ldd", shared):
        faults.append("libmy_losses.so.1 needs libHalide")
    if "[libmy_losses.so.1]" not in must("readelf", "-d", shared):
        faults.append("libmy_losses.so.1 has no soname of its own")

    # Its steps are tuned, and the schedules found are compiled.
    must(cmake, "--build", build / "out", "--target", "my_kernels_tune")
    tune, database = build / "out" / "my_kernels_tune", build / "tuning.db"
    if "my_kernels_tune adagrad --shape" not in must(tune, "--help"):
        faults.append("my_kernels_tune --help shows no example")
    page = build / "page.html"
    found = must(tune, "adagrad", "--shape", "512,512", "--number", "lr=0.1", "--budget", "2", "--db", database,
                 "--report", page, "--map", "1")
    if "adagrad: bitmask, 2^18 elements" not in found or f"kept      {database}" not in found:
        faults.append(f"my_kernels_tune says: {found}")
    for part in ("Limit of memory", "Which strategy wins where", "There is no loop by hand for this step and layout."):
        if part not in page.read_text(encoding="utf-8"):
            faults.append(f"my_kernels_tune --report: the page says nothing of: {part}")
    # The examples of its help, unchanged but for shorter searches and a mask that is small.
    examples = re.findall(r"^  my_kernels_tune (?!show)(.+)", must(tune, "--help"), re.MULTILINE)
    if len(examples) < 2:
        faults.append(f"my_kernels_tune --help has only {len(examples)} examples")
    (build / "mask.npy").write_bytes(npy_mask((4096, 4096), (b"\x01" + bytes(63)) * (4096 * 64)))
    for example in examples:
        words = re.sub(r" --budget \S+", "", example).replace("mask.npy", str(build / "mask.npy")).split()
        if "kept      nowhere" not in must(tune, *words, "--budget", "1", "--db", "off"):
            faults.append(f"my_kernels_tune {example} does not end")
    # Its steps are shown, and the steps of the other library.
    must(cmake, "--build", build / "out", "--target", "my_losses_tune")
    losses = build / "out" / "my_losses_tune"
    extents = ("--shape-of", "ratings=300,200", "--shape-of", "users=300,8", "--shape-of", "items=200,8")
    found = must(losses, "loss", *extents, "--layout", "csr", "--density", "0.1", "--budget", "1", "--db", database)
    if not re.search(r"^loss: .*\n  default .* ms  expression$", found, re.MULTILINE) or str(database) not in found:
        faults.append(f"my_losses_tune loss says: {found}")
    extents = ("--shape-of", "table=300,200", "--shape-of", "table_grad=300,200", "--shape-of", "row_sum=300,1")
    found = must(losses, "row_wise", *extents, "--layout", "csr", "--density", "0.1", "--budget", "1", "--db", "off")
    if found.count("  kept      nowhere") < 2:
        faults.append(f"my_losses_tune row_wise shows no parts: {found}")
    for words, part in (((tune, "show", "adagrad"), "step adagrad"),
                        ((tune, "show", "adagrad", "--layout", "coo", "--stage", "plan"), "plan: adagrad, strategy gather"),
                        ((losses, "show", "row_wise", "--shape", "64,8", "--shape-of", "row_sum=64,1"), "step row_wise"),
                        ((losses, "show", "loss", "--shape-of", "ratings=40,60", "--shape-of", "users=40,8", "--shape-of", "items=60,8"),
                         "mask_of ratings: bool[40, 60]")):
        if part not in must(*words):
            faults.append(f"{' '.join(map(str, words))} does not print: {part}")
    refused, status = run(losses, "show", "loss", "--stage", "loops", "--shape", "8,8")
    if status != 2 or "my_losses_tune: loss is a function, whose loops depend on its arguments" not in refused:
        faults.append(f"my_losses_tune show loss --stage loops says: {refused}")
    refused, status = run(tune, "adam")
    if status != 2 or 'my_kernels_tune: there is no step "adam": there are adagrad' not in refused:
        faults.append(f"my_kernels_tune refuses a step with: {refused}")

    # Objects are made again only if their step changed.
    objects = {file: file.stat().st_mtime_ns for file in (build / "out").rglob("*.kernels/*_[0-9].o")}
    for file in ("adagrad.hpp", "losses.hpp"):
        with open(copy / file, "a", encoding="utf-8") as header:
            header.write("\n// A comment.\n")
    must(cmake, "--build", build / "out")
    again = [file.name for file, time in objects.items() if file.stat().st_mtime_ns != time]
    if again or not objects:
        faults.append(f"a comment has these objects made again: {again}")

    # A change of the header is a change of the kernels.
    header = copy / "adagrad.hpp"
    header.write_text(header.read_text(encoding="utf-8").replace("lr * grad", "2 * lr * grad"), encoding="utf-8")
    must(cmake, "--build", build / "out")
    if printed(build / "out" / "from_c") == wanted_output(copy / "client.c"):
        faults.append(f"the header has changed and the kernels have not: {printed(build / 'out' / 'from_c')}")


# Faults of a project, with the message for each, when it is configured or when it is built.
good = "STEPS adagrad FROM adagrad.hpp LAYOUTS coo"
wrong = {
    "configured": {
        "my-kernels " + good: '"my-kernels" is no name for a kernel library',
        "adagrad " + good: "adagrad: the library and its step have one name",
        "kernels FROM adagrad.hpp LAYOUTS coo": "kernels: which steps, and from which header",
        "kernels STEPS adagrad FROM other.hpp LAYOUTS coo": "kernels: the header other.hpp is not there",
        "kernels STEPS 2nd FROM adagrad.hpp LAYOUTS coo": 'kernels: "2nd" is no name of a step',
        "kernels STEPS adagrad FROM adagrad.hpp LAYOUTS heap": 'there is no layout "heap"',
        "kernels " + good + " SCHEDULES tuned.tsv": "kernels: the schedules tuned.tsv are not there",
        "kernels SHARED OPTIMIZERS adagrad FROM adagrad.hpp LAYOUTS coo": "kernels: OPTIMIZERS are C++, and a SHARED library exports C functions alone",
        "kernels SOURCES x " + good: 'kernels: does not know "SOURCES;x"',
    },
    "built": {
        "kernels STEPS adagrad FROM adagrad.hpp LAYOUTS mask=coo": "frisket: adagrad: LAYOUTS says mask=coo, and the step",
        "kernels STEPS adagrad FROM adagrad.hpp": "frisket: adagrad: LAYOUTS names no layout",
        "kernels " + good + " SCHEDULES adagrad.hpp": "adagrad.hpp: is neither a tuning database nor an export of one",
        "kernels " + good + " TARGETS cuda": "frisket: target cuda: a library for devices has loops for a processor too",
        "kernels " + good + " TARGETS host vulkan": "frisket: target vulkan: its kernels are compiled just in time only",
        "kernels " + good + " TARGETS x87": 'frisket: target: there is no target "x87"',
    },
}


def refusals():
    for stage, cases in wrong.items():
        for number, (arguments, sentence) in enumerate(cases.items()):
            folder = build / f"{stage}_{number}"
            folder.mkdir(parents=True)
            shutil.copy(source / "adagrad.hpp", folder)
            (folder / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES C CXX)\n"
                f"find_package(frisket CONFIG REQUIRED)\nfrisket_add_kernels({arguments})\n", encoding="utf-8")
            text, status = configure(folder, folder / "out")
            if stage == "built" and status == 0:
                text, status = run(cmake, "--build", folder / "out")
            if status == 0:
                faults.append(f"frisket_add_kernels({arguments}) is accepted")
            elif sentence not in " ".join(text.split()):
                faults.append(f"frisket_add_kernels({arguments}) should say: {sentence}\nand says: {text}")


def not_found():
    # A Halide that is too old, and a Python without the wheel.
    old = build / "old/lib/cmake/Halide"
    old.mkdir(parents=True)
    (old / "HalideConfigVersion.cmake").write_text('set(PACKAGE_VERSION "19.0.0")\n', encoding="utf-8")
    (build / "old/lib/libHalide.so").touch()
    (build / "halide.py").touch()
    os.environ["PYTHONPATH"] = str(build)
    os.environ.pop("Halide_DIR", None)
    # Components asked for, options, and messages for things that a project lacks.
    lacks = (
        ("COMPONENTS runtime", (), "compiling kernels needs all of frisket: write find_package(frisket CONFIG REQUIRED) without "
                                   "COMPONENTS runtime, which finds Halide 21"),
        ("COMPONENTS runtimes", (), "there is no component runtimes: there are runtime, frisket and mpi"),
        ("", ("-DHalide_DIR=", "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF"),
         "Halide 21 was not found: say python3 -m pip install halide==21.0.0, or name the folder"),
        ("", (f"-DHalide_DIR={old}",), "libHalide.so is Halide 19.0.0, wanted Halide 21: say python3 -m pip install halide==21.0.0"),
    )
    for number, (components, more, sentence) in enumerate(lacks):
        folder = build / str(number)
        folder.mkdir(parents=True)
        shutil.copy(source / "adagrad.hpp", folder)
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(lacking LANGUAGES C CXX)\n"
            f"find_package(frisket CONFIG REQUIRED {components})\nfrisket_add_kernels(kernels {good})\n", encoding="utf-8")
        text, status = configure(folder, folder / "out", *more)
        if status == 0:
            faults.append(f"find_package(frisket {components}) {' '.join(more)} is accepted")
        elif sentence not in " ".join(text.split()):
            faults.append(f"find_package(frisket {components}) {' '.join(more)} should say: {sentence}\nand says: {text}")


shutil.rmtree(build, ignore_errors=True)
build.mkdir(parents=True)
{"example": example, "refusals": refusals, "not_found": not_found}[what]()
sys.exit("\n".join(faults) if faults else 0)
