# SPDX-License-Identifier: MIT
"""two_versions.py CMAKE SOURCE PREFIX HALIDE_DIR CC CXX OUT [-DNAME=VALUE]   a library of kernels that is built with this frisket,
and one that is built with another version of it, work in one process"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

cmake, source, prefix, halide_dir, c_compiler, cpp_compiler, out, *options = sys.argv[1:]
here, source, prefix, out = pathlib.Path(__file__).parent / "two_versions", pathlib.Path(source), pathlib.Path(prefix), pathlib.Path(out)


def must(*command, **more):
    print("+", *command, flush=True)
    done = subprocess.run([str(word) for word in command], env=os.environ | {"Halide_DIR": halide_dir, "CXX": cpp_compiler} | more)
    if done.returncode:
        sys.exit(f"ended with {done.returncode}")


# The next version: a copy of the sources with the next number of the interface.
shutil.rmtree(out, ignore_errors=True)
copy = out / "next"
for folder in ("runtime", "ir", "dsl", "codegen", "optim", "mpi", "cmake", "docs", "examples"):
    shutil.copytree(source / folder, copy / folder)
for file in ("CMakeLists.txt", "README.md", "CHANGELOG.md", "NOTICES.md", "LICENSE"):
    shutil.copy(source / file, copy)
(copy / ".deps").symlink_to(source / ".deps")
header = copy / "runtime/kernel/c_api.h"
text = header.read_text(encoding="utf-8")
version = int(re.search(r"define FRISKET_ABI_VERSION (\d+)", text).group(1))
header.write_text(text.replace(f"FRISKET_ABI_VERSION {version}", f"FRISKET_ABI_VERSION {version + 1}"), encoding="utf-8")
must(cmake, "-S", copy, "-B", out / "build", "-G", "Ninja", "-DFRISKET_COMPILER=OFF", "-DFRISKET_CCACHE=ON", "-DCMAKE_BUILD_TYPE=Release",
     "-DFRISKET_QUICK_TO_COMPILE=ON", f"-DFRISKET_BUILD_COMPILER={cpp_compiler}", f"-DCMAKE_CXX_COMPILER={cpp_compiler}", *options)
must(cmake, "--build", out / "build")
must(cmake, "--install", out / "build", "--prefix", out / "prefix")

kernels = ("--steps", "adagrad", "--from", source / "examples/06_ahead_of_time/adagrad.hpp", "--layouts", "coo", "--shared", "1")
more = {"first": (), "second": ("--cross", out / "prefix", "--compiler", cpp_compiler)}
objects, libraries = [], []
for name, words in more.items():
    folder = out / name
    must(prefix / "bin/frisket", "build", f"{name}_kernels", *kernels, *words, "--out", folder)
    must(c_compiler, "-std=c99", "-D_GNU_SOURCE", f"-I{folder}/include", "-c", here / f"{name}.c", "-o", folder / "calls.o")
    objects.append(folder / "calls.o")
    libraries += [f"-L{folder}/lib", f"-l{name}_kernels", f"-Wl,-rpath,{folder}/lib"]
must(c_compiler, "-D_GNU_SOURCE", f"-DFIRST_VERSION={version}", f"-DSECOND_VERSION={version + 1}", here / "main.c", *objects, "-o", out / "calls",
     *libraries, "-pthread")
must(out / "calls")
