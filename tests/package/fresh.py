# SPDX-License-Identifier: MIT
"""fresh.py CMAKE SOURCE OPTION...   the first configure of a tree tells the command the folder of the libraries"""
import pathlib
import re
import subprocess
import sys
import tempfile

cmake, source, *options = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([cmake, "-S", source, "-B", folder, "-G", "Ninja", "-DFRISKET_TESTS=OFF", *options], check=True)
    folders = re.findall(r'FRISKET_LIBDIR=(\S*)', pathlib.Path(folder, "build.ninja").read_text())
if not folders or any(name in ('\\"\\"', '""') for name in folders):
    sys.exit(f"FRISKET_LIBDIR is {folders}, wanted the value of CMAKE_INSTALL_LIBDIR")
