# SPDX-License-Identifier: MIT
"""arm64.py CMAKE SOURCE PREFIX HALIDE_DIR CXX OUT [-DNAME=VALUE]   kernels for arm-64 that `frisket build --cross` makes run under
qemu and write the bytes of this processor's; without a compiler for arm-64 or qemu it ends with 77"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

cmake, source, prefix, halide_dir, cpp_compiler, out, *options = sys.argv[1:]
here, source, prefix, out = pathlib.Path(__file__).parent / "arm64", pathlib.Path(source), pathlib.Path(prefix), pathlib.Path(out)
arm_compiler, qemu = "aarch64-linux-gnu-g++", "qemu-aarch64"
for tool, package in ((arm_compiler, "g++-aarch64-linux-gnu"), (qemu, "qemu-user")):
    if not shutil.which(tool):
        print(f"SKIP: no {tool} here (Debian: apt-get install {package})")
        sys.exit(77)


def must(*command, **more):
    print("+", *command, flush=True)
    done = subprocess.run([str(word) for word in command], env=os.environ | {"Halide_DIR": halide_dir, "CXX": cpp_compiler} | more)
    if done.returncode:
        sys.exit(f"ended with {done.returncode}")


out.mkdir(parents=True, exist_ok=True)
toolchain = out / "toolchain.cmake"
toolchain.write_text(
    "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\nset(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)\n"
    f"set(CMAKE_CXX_COMPILER {arm_compiler})\n", encoding="utf-8")
must(cmake, "-S", source, "-B", out / "build", "-G", "Ninja", "-DFRISKET_COMPILER=OFF", "-DFRISKET_CCACHE=ON", "-DCMAKE_BUILD_TYPE=Release",
     "-DFRISKET_QUICK_TO_COMPILE=ON", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", *options)
must(cmake, "--build", out / "build")
must(cmake, "--install", out / "build", "--prefix", out / "arm")

rules = re.findall(r"^    RULE\((\w+)\)", (here / "rules.hpp").read_text(encoding="utf-8"), re.MULTILINE)
words = ["many_rules", "--optimizers", *(f"kernels_of_{rule}" for rule in rules), "--namespace", "rules", "--from", here / "rules.hpp",
         "--layouts", "strided", "bitmask", "coo", "rows", "--shapes", "param=rows,columns"]
families = {"x86-64": (cpp_compiler, prefix, []), "arm-64": (arm_compiler, out / "arm", ["--cross", out / "arm", "--compiler", arm_compiler])}
written = {}
for family, (compiler, libraries, more) in families.items():
    folder = out / family
    must(prefix / "bin/frisket", "build", *words, "--targets", family, *more, "--out", folder)
    library = next(pathlib.Path(libraries).rglob("libfrisket_optim.a")).parent
    must(compiler, "-std=c++20", "-O1", "-Wno-psabi", f"-I{folder}/include", f"-I{prefix}/include", here / "trained.cpp", "-o", folder / "trained",
         f"-L{folder}/lib", "-lmany_rules", f"-L{library}", "-lfrisket_optim", "-lfrisket_plans", "-lfrisket_runtime", "-pthread", "-Wl,--gc-sections")
    emulator = [qemu, "-L", "/usr/aarch64-linux-gnu"] if more else []
    must(*emulator, folder / "trained", folder / "parameters")
    written[family] = (folder / "parameters").read_bytes()

x86, arm = written["x86-64"], written["arm-64"]
print(f"{len(rules)} rules, {len(x86)} bytes of parameters")
if x86 != arm or not x86:
    at = next((i for i, (a, b) in enumerate(zip(x86, arm)) if a != b), min(len(x86), len(arm)))
    sys.exit(f"arm-64 writes other bytes than x86-64: {len(arm)} and {len(x86)}, the first that differs is byte {at}")
