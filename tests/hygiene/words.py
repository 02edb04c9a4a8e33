# SPDX-License-Identifier: MIT
"""Every source names its licence in its first lines; no file names its path on somebody's machine."""
import re

from common import files, finish, name

tag = "SPDX-License-Identifier: MIT"
tagged = (".hpp", ".cpp", ".h", ".c", ".inc", ".py", ".sh", ".cmake", ".in")
text = tagged + (".md", ".txt", ".json", ".yml", "")
# Spelled with a class of one letter, so that this file passes.
machine = re.compile(r"(?<![\w.}])/(?:h[o]me|w[o]rk|ro[o]t|U[s]ers|m[n]t)/\w|[A-Z]:\\\\")
faults, count = [], 0

for path in files(suffixes=text):
    try:
        content = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        continue
    count += 1
    if (path.suffix in tagged or path.name == "CMakeLists.txt") and tag not in "\n".join(content.splitlines()[:3]):
        faults.append(f"{name(path)}: its first lines do not say {tag}")
    faults += [f"{name(path)}:{i}: a path of one machine: {line.strip()[:80]}"
               for i, line in enumerate(content.splitlines(), 1) if machine.search(line)]

finish(faults, f"{count} files")
