# SPDX-License-Identifier: MIT
"""No file is longer than 400 lines, no line than 110 columns, but for lines that an example prints; functions of more than 40 lines are reported, not refused."""
import re

from common import files, finish, name

max_file, max_line, max_function = 400, 110, 40
opens = re.compile(r"^(\s*)[^\s#/{}].*\)[^;]*\{\s*(//.*)?$")
no_function = re.compile(r"^\s*(if|for|while|switch|else|do|try|catch|namespace|struct|class|enum|union|TEST_CASE|SECTION)\b")
faults, count = [], 0


def functions(lines):
    """(first line, length) of each block that looks like a function: from its opening line to the } under its indent."""
    for start, line in enumerate(lines):
        found = opens.match(line)
        if found and not no_function.match(line):
            close = re.compile("^" + found.group(1) + "}")
            end = next((i for i in range(start + 1, len(lines)) if close.match(lines[i])), start)
            yield start + 1, end - start + 1


verbatim = {"examples/01_first_step.cpp"}  # the listing of the design, to the letter

for path in files("runtime", "ir", "dsl", "codegen", "optim", "python", "tests", "examples", "tools", "bench"):
    lines, count = path.read_text(encoding="utf-8").splitlines(), count + 1
    if len(lines) > max_file:
        faults.append(f"{name(path)}: {len(lines)} lines, at most {max_file}: split it")
    printed = lines.index("// Output:") if "// Output:" in lines else len(lines)
    faults += [f"{name(path)}:{i}: {len(line)} columns, at most {max_line}"
               for i, line in enumerate(lines, 1) if len(line) > max_line and i <= printed and name(path) not in verbatim]
    for first, length in functions(lines):
        if length > max_function:
            print(f"note: {name(path)}:{first}: a function of {length} lines, better at most {max_function}")

finish(faults, f"{count} files")
