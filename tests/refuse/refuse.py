# SPDX-License-Identifier: MIT
"""refuse.py FILE -- COMPILER ARGUMENTS...: a wrong program is refused with its sentence.

The first line of FILE is  // says: SENTENCE.  Compiled, it must give that sentence, in the one line with "error:", and from
that line on at most 8 lines: the sentence, the place, the notes.
"""
import os
import re
import subprocess
import sys

max_lines = 8
file, compiler = sys.argv[1], sys.argv[3:]
first = open(file, encoding="utf-8").readline().rstrip("\n")
if not first.startswith("// says: ") or sys.argv[2] != "--":
    sys.exit(f'{file}: the first line is not "// says: SENTENCE"')
sentence = first.removeprefix("// says: ").strip()

run = subprocess.run([*compiler, "-fsyntax-only", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                     env={**os.environ, "LC_ALL": "C"})
lines = run.stdout.splitlines()
# A sentence that holds a quoted word may be printed in either compiler's quotes.
plain = [re.sub("[‘’`']", "'", line) for line in lines]
errors = [i for i, line in enumerate(plain) if re.search(r"\b(fatal )?error:", line)]
length = len(lines) - errors[0] if errors else 0

faults = []
if run.returncode == 0:
    faults.append("it compiles, and should not")
if len(errors) != 1:
    faults.append(f"{len(errors)} errors, wanted one")
elif re.sub("[‘’`']", "'", sentence) not in plain[errors[0]]:
    faults.append(f"the error does not say: {sentence}")
if length > max_lines:
    faults.append(f"{length} lines from the error on, at most {max_lines}")
print(f"{os.path.basename(file)}: {len(errors)} error, {length} lines")
if faults:
    sys.exit("\n".join([*faults, "the compiler said:", *lines[:60]]))
