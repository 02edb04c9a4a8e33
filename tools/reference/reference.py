# SPDX-License-Identifier: MIT
"""Makes the reference of the public headers with Doxygen: reference.py FOLDER [--skip].  What a comment lacks is an error.
Without Doxygen it says so, and ends with 1, or with --skip with 77."""
import pathlib
import re
import shutil
import subprocess
import sys

from public_headers import public_headers

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]

# Names of data say what they hold, and `= default` what a member does.
needless = re.compile(r"\((?:variable|enumvalue)\) of|=\s*default|Member operator=\(|Member (\w+)\(\1\s*&&", re.ASCII)


def main(folder, *options):
    doxygen = shutil.which("doxygen")
    if not doxygen:
        print(f"{'SKIP: ' if options else ''}no doxygen here, which makes the reference: install it (Debian: apt-get install doxygen)")
        return 77 if options else 1
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    filtered = f"{sys.executable} -B {here}/filter.py"
    (folder / "Doxyfile").write_text(
        (here / "Doxyfile").read_text(encoding="utf-8") +
        f"\nINPUT = docs/reference.md tools/reference/namespaces.dox {' '.join(sorted(public_headers(root)))}\nOUTPUT_DIRECTORY = \"{folder}\"\n"
        + f"FILTER_PATTERNS = \"*.h={filtered}\" \"*.hpp={filtered}\"\n", encoding="utf-8")
    ran = subprocess.run([doxygen, str(folder / "Doxyfile")], cwd=root, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    faults = [line for line in ran.stderr.splitlines() if line.strip() and not needless.search(line)]
    print("\n".join(sorted(set(faults))) if faults else f"{folder}/html/index.html")
    return 1 if faults or ran.returncode else 0


if len(sys.argv) < 2:
    sys.exit("reference.py FOLDER [--skip]")
sys.exit(main(*sys.argv[1:]))
