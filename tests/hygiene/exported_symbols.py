# SPDX-License-Identifier: MIT
"""exported_symbols.py NM LIBRARY: a shared library of kernels exports the names of the list below and no other.  The list is part of the promises of versions
(docs/versions.md)."""
import pathlib
import re
import subprocess
import sys

import common

# NAME_FUNCTION for the library's name; `sized` for each step and function.
functions = {"describe", "from_dlpack", "last_error"}

nm, library = sys.argv[1:]
name = re.fullmatch(r"lib(\w+)\.so[.\d]*", pathlib.Path(library).name).group(1)
symbols = subprocess.run([nm, "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
exported = {line.split()[-1].removeprefix(f"{name}_") for line in symbols.splitlines()}
calls = {one for one in exported if one.endswith("_sized")}
faults = [f"{name} exports {one}, which docs/versions.md does not promise" for one in sorted(exported - calls - functions)]
faults += [f"{name} does not export {name}_{one}" for one in sorted(functions - exported)]
if not calls:
    faults.append(f"{name} exports no step and no function")
common.finish(faults, f"{len(exported)} symbols")
