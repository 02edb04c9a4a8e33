# SPDX-License-Identifier: MIT
"""The table of planted faults, the sources and run.py agree: each fault occurs once and a test that is built, and
every folder has enough faults."""
import collections
import re
import sys

import faults
import run

least, least_of_folder = 60, 5
rows = faults.load()
wrong = []

# Catch2 matches whole names, with * at either end; commas are between patterns.
case = re.compile(r'\b(?:TEMPLATE_(?:LIST_)?)?TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
cases = ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)) for path in (faults.root / "tests").rglob("*.cpp")
         for found in case.findall(path.read_text(encoding="utf-8"))]


def names_no_case(pattern):
    """Patterns of names that no case has; tags are not looked up."""
    patterns = [one for one in pattern.split(",") if one and not one.startswith("[")]
    return [one for one in patterns
            if not any(re.fullmatch(".*".join(map(re.escape, one.split("*"))), name) for name in cases)]


for row in rows:
    wrong += [f"{row.id}: no case is called {one!r}: change its tests in faults/"
              for asked in row.tests for one in names_no_case(asked.partition(" ")[2])]
    wrong += [f"{row.id}: run.py does not build {program}: name it in its targets"
              for program in {asked.split()[0] for asked in row.tests}
              if program.startswith("test_") and program not in run.targets]
by_file = collections.defaultdict(list)
for row in rows:
    by_file[row.file].append(row)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", row.id):
        wrong.append(f"{row.id}: a name is of lower case letters, digits and _")
    if row.old == row.new:
        wrong.append(f"{row.id}: changes nothing")
for file, own in by_file.items():
    if not (faults.root / file).is_file():
        wrong.append(f"{own[0].id}: there is no {file}")
        continue
    try:
        faults.places((faults.root / file).read_text(encoding="utf-8"), own)
    except ValueError as error:
        wrong.append(str(error))
for id, count in collections.Counter(row.id for row in rows).items():
    if count > 1:
        wrong.append(f"{id}: {count} faults have this name")
count_of = collections.Counter(row.folder for row in rows)
wrong += [f"{folder}: {count_of[folder]} faults, wanted {least_of_folder} at least" for folder in faults.folders
          if count_of[folder] < least_of_folder]
wrong += [f"{folder}: name the folder in faults.py" for folder in count_of if folder not in faults.folders]
if len(rows) < least:
    wrong.append(f"{len(rows)} faults, wanted {least} at least")
print("\n".join(wrong) if wrong else f"{len(rows)} planted faults: all well")
sys.exit(1 if wrong else 0)
