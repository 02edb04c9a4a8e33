# SPDX-License-Identifier: MIT
"""pkgconfig.py PKG_CONFIG COMPILER PREFIX SOURCE OUT [FLAG...]   a program on the runtime is compiled with pkg-config's flags, and
runs; without pkg-config it ends with 77"""
import pathlib
import subprocess
import sys

pkg_config, compiler, prefix, source, out, *flags = sys.argv[1:]
if not pathlib.Path(pkg_config).is_file():
    print("SKIP: no pkg-config here (Debian: apt-get install pkg-config)")
    sys.exit(77)


def asked(*what):
    command = ["env", "-i", f"PKG_CONFIG_PATH={folder}", pkg_config, *what, "frisket-runtime"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()


folder = next(pathlib.Path(prefix).rglob("frisket-runtime.pc")).parent
command = [compiler, "-std=c++20", *flags, *asked("--cflags"), source, "-o", out, *asked("--libs")]
print("+", *command, flush=True)
subprocess.run(command, check=True)
subprocess.run([out], check=True)
