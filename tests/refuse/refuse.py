# SPDX-License-Identifier: MIT
"""refuse.py COMPILER INCLUDE_FOLDER FILE...: wrong programs are refused with their sentences.
refuse.py COMPILER INCLUDE_FOLDER --accepts FILE [FLAG]: a program compiles.

The first line of a wrong program is  // says: SENTENCE.  Compiled, it must give that sentence, in the one line with
"error:", and from that line on at most 8 lines: the sentence, the position, the notes.
COMPILER `clang` is the newest clang++ here, 16 or more; without one, the script ends with 77.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from clang import find_clang

max_lines = 8
says = "// says: "


def run(command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "LC_ALL": "C"})


def precompiled(command, folder):
    """The arguments that include frisket's headers, compiled once for all programs."""
    header = folder / "frisket.hpp"
    header.write_text("#include <frisket/frisket.hpp>\n", encoding="utf-8")
    done = run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"])
    if done.returncode != 0:
        sys.exit(f"the headers do not compile:\n{done.stdout}")
    return ["-include", header]


def faults_of(command, file):
    """A line on the compiler's output, and the faults of the refusal."""
    first = pathlib.Path(file).read_text(encoding="utf-8").splitlines()[0]
    if not first.startswith(says):
        return "", [f'the first line is not "{says}SENTENCE"']
    done = run([*command, "-fsyntax-only", file])
    lines = done.stdout.splitlines()
    # A sentence that holds a quoted word may be printed in either compiler's quotes.
    plain = [re.sub("[‘’`']", "'", line) for line in lines]
    errors = [i for i, line in enumerate(plain) if re.search(r"\b(fatal )?error:", line)]
    length = len(lines) - errors[0] if errors else 0
    faults = []
    if done.returncode == 0:
        faults.append("it compiles, and should not")
    if len(errors) != 1:
        faults.append(f"{len(errors)} errors, wanted one")
    elif re.sub("[‘’`']", "'", first.removeprefix(says).strip()) not in plain[errors[0]]:
        faults.append(f"the error does not say: {first.removeprefix(says)}")
    if length > max_lines:
        faults.append(f"{length} lines from the error on, at most {max_lines}")
    return f"{os.path.basename(file)}: {len(errors)} error, {length} lines", [*faults, *lines[:60]] if faults else []


def refuse(command, files):
    """Number of programs that are not refused as they should be."""
    with tempfile.TemporaryDirectory(prefix="frisket_refuse_") as folder:
        command = [*command, *precompiled(command, pathlib.Path(folder))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda file: faults_of(command, file), files))
    for line, faults in found:
        print("\n".join([line, *faults]))
    return sum(bool(faults) for _, faults in found)


def main(compiler, includes, files):
    if compiler == "clang":
        compiler = find_clang("-fsyntax-only")
        if compiler is None:
            print("SKIP: no clang++ of version 16 or more is here (Debian: apt-get install clang-16)")
            return 77
    print(f"{compiler}:")
    command = [compiler, "-std=c++20", "-I", includes]
    if files[0] == "--accepts":
        done = run([*command, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *files[1:]])
        print(done.stdout)
        return done.returncode
    return min(refuse(command, files), 1)


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
