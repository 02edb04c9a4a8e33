# SPDX-License-Identifier: MIT
"""headers.py CMAKE BUILD: every public header compiles on its own, and nothing it includes is Halide.h."""
import subprocess
import sys

cmake, build = sys.argv[1:]
run = subprocess.run([cmake, "--build", build, "--target", "all_verify_interface_header_sets"],
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(run.stdout[-6000:])
sys.exit(run.returncode)
