# SPDX-License-Identifier: MIT
"""statics.py NM LIBRARY...: no variable of a function is initialized by code under the compiler's guard, on which a
child of fork waits for ever if another thread was initializing it: runtime/support/made_once.hpp."""
import re
import subprocess
import sys

import common

# Variables of namespaces are initialized while a program is loaded.
marker = re.compile(r"guard variable for (.*\)(?: const)?(?:\[abi:\w+\])?::.*)")
# Names of other libraries, and the command, which never forks while it has threads.
others = ("Halide::", "CLI::", "halide_handle_traits", "frisket::cli::")

nm, *libraries = sys.argv[1:]
faults = set()
for library in libraries:
    symbols = subprocess.run([nm, "-C", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    guarded = marker.findall(symbols)
    faults.update(f"{name}: write made_once, or make it constinit" for name in guarded if not name.startswith(others))
common.finish(sorted(faults), f"{len(libraries)} libraries")
