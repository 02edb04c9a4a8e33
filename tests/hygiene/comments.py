# SPDX-License-Identifier: MIT
"""Every comment and docstring of C++, Python and CMake begins with a noun or a verb: with none of the words below; and headers that users
include begin with a sentence about the file."""
import re
import sys

from comment_text import comments
from common import code, files, finish, name, root

sys.path.append(str(root / "tools/reference"))
from public_headers import public_headers

poor = re.compile(r"(what|whether|of|the same|those)\b", re.IGNORECASE)


def found(text, suffix):
    """Lines of comments that begin with a poor word."""
    return sorted(line for line, words in comments(text, suffix) if poor.match(words))


# Planted comments, and the lines at which they are to be found.
planted = (
    ("/// Whether.\nint i;  // of it\nint j;  ///< Those.\n/* what */ int k;\n/** The same. */\n", ".cpp", [1, 2, 3, 4, 5]),
    ("/// A sum\n/// of two.\n///\n/// Of three.\n// Of four.\nint i;  // a list\n        // of five\n// of six\n", ".hpp", [4, 5, 8]),
    ('const char* s = "// what";\nauto r = R"(// what\n/* of it */)";\nint f(int /*of*/);\n/// Whatever it is.\n// Offsets of it.\n', ".cpp", []),
    ('"""What it is."""\nx = 1  # of it\ny = "# of"\n\n\ndef f():\n    """Those."""\n    # A list\n    # of two.\n', ".py", [1, 2, 7]),
    ('# Of it.\nset(a "# of")\nset(b c#what)  # whether\n# A list\n# of two.\n', ".cmake", [1, 3]),
)
faults = [f"comments.py finds lines {found(text, suffix)}, wanted {lines}, of\n{text}" for text, suffix, lines in planted
          if found(text, suffix) != lines]

count = 0
for path in files(suffixes=(*code, ".py", ".cmake", ".txt")):
    if path.suffix == ".txt" and path.name != "CMakeLists.txt":
        continue
    count += 1
    text = path.read_text(encoding="utf-8")
    faults += [f"{name(path)}:{line}: begins with {poor.match(words).group()!r}, wanted a noun or a verb: {words.splitlines()[0][:60]}"
               for line, words in comments(text, ".cmake" if path.suffix == ".txt" else path.suffix) if poor.match(words)]

for header in sorted(public_headers(root)):
    if not re.match(r"(// |/\* )[A-Z]", ((root / header).read_text(encoding="utf-8").splitlines() + [""])[1]):
        faults.append(f"{header}: wanted a sentence about the file below its licence")

finish(faults, f"{count} files")
