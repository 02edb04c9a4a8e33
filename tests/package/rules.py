# SPDX-License-Identifier: MIT
"""rules.py targets CMAKE SOURCE PREFIX HALIDE_DIR CXX OUT [-DNAME=VALUE]   every rule x layout ahead of time, for each target that
this processor can run, writes the bytes of just in time and of the interpreter
rules.py arm-64 …   kernels for arm-64 that `frisket build --cross` makes run under qemu and write the bytes of this processor's;
without a compiler for arm-64 or qemu it ends with 77"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

what, cmake, source, prefix, halide_dir, cpp_compiler, out, *options = sys.argv[1:]
here, source, prefix, out = pathlib.Path(__file__).parent / "rules", pathlib.Path(source), pathlib.Path(prefix), pathlib.Path(out)
arm_compiler, qemu = "aarch64-linux-gnu-g++", "qemu-aarch64"
rules = re.findall(r"^    RULE\((\w+)\)", (source / "optim/optim.hpp").read_text(encoding="utf-8"), re.MULTILINE)
libraries_of = {"ahead": ["optim", "plans", "runtime"], "just": ["optim", "compiler", "plans", "runtime"]}
faults = []


def run(*command, **more):
    print("+", *command, *(f"{name}={value}" for name, value in more.items()), flush=True)
    return subprocess.run([str(word) for word in command], stderr=subprocess.PIPE, text=True,
                          env=os.environ | {"Halide_DIR": halide_dir, "CXX": cpp_compiler} | more)


def must(*command, **more):
    done = run(*command, **more)
    if done.returncode:
        sys.exit(f"{done.stderr}\nended with {done.returncode}")


def build(folder, layouts, targets, *more):
    must(prefix / "bin/frisket", "build", "many_rules", "--optimizers", *(f"kernels_of_{rule}" for rule in rules), "--namespace", "rules",
         "--from", here / "rules.hpp", "--layouts", *layouts, "--shapes", "param=rows,columns", "--targets", *targets, *more, "--out", folder)


def link(compiler, folder, kind, libraries, *more):
    """The program on kernels of a kind."""
    libraries = next(pathlib.Path(libraries).rglob("libfrisket_optim.a")).parent
    mine = ["-lmany_rules"] if kind == "ahead" else ["-DJUST_IN_TIME"]
    must(compiler, "-std=c++20", "-O1", "-Wno-psabi", f"-I{folder}/include", f"-I{here}", f"-I{prefix}/include", here / "trained.cpp",
         "-o", folder / kind, f"-L{folder}/lib", *mine, f"-L{libraries}", *(f"-lfrisket_{name}" for name in libraries_of[kind]), *more,
         "-pthread", "-Wl,--gc-sections")
    return folder / kind


def same(name, written, wanted):
    if written == wanted and written:
        return
    at = next((i for i, (a, b) in enumerate(zip(written, wanted)) if a != b), min(len(written), len(wanted)))
    faults.append(f"{name} writes other bytes: {len(written)} for {len(wanted)}, the first that differs is byte {at}")


def targets():
    layouts = ["strided", "bitmask", "coo", "csr", "csc", "bsr", "bsc", "rows", "two_four"]
    known = ["x86-64", "x86-64-avx2", "x86-64-avx512"]
    build(out, layouts, known)
    ahead = link(cpp_compiler, out, "ahead", prefix)
    halide = pathlib.Path(halide_dir).resolve().parents[1]
    sqlite = next(iter(prefix.rglob("libsqlite3.so*")), "-lsqlite3")
    just = link(cpp_compiler, out, "just", prefix, f"-L{halide}", "-lHalide", f"-Wl,-rpath,{halide}", sqlite, f"-Wl,-rpath,{pathlib.Path(sqlite).parent}", "-ldl")
    must(just, out / "interpreted", "--interpret")
    wanted = (out / "interpreted").read_bytes()
    must(just, out / "just_in_time", FRISKET_TUNING_DB="off")
    same("just in time", (out / "just_in_time").read_bytes(), wanted)
    for target in known:
        done = run(ahead, out / target, FRISKET_TARGET=target)
        if "cannot run target" in done.stderr:
            print(f"this processor cannot run {target}")
        elif done.returncode:
            faults.append(f"{target} ended with {done.returncode}: {done.stderr}")
        else:
            same(target, (out / target).read_bytes(), wanted)
    print(f"{len(rules)} rules x {len(layouts) + 1} layouts x {len(known)} targets, {len(wanted)} bytes of parameters each")


def cross_project(toolchain):
    """The example's programs, of a project that CMake compiles for arm-64."""
    example, project = source / "examples/06_ahead_of_time", out / "cross"
    must(cmake, "-S", here.parent / "cross", "-B", project, "-G", "Ninja", f"-DEXAMPLE={example}", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
         f"-DCMAKE_PREFIX_PATH={out / 'arm'}", f"-DFRISKET_COMMAND={prefix / 'bin/frisket'}", f"-DFRISKET_BUILD_COMPILER={cpp_compiler}",
         *(option for option in options if option.startswith("-DCMAKE_MAKE_PROGRAM")))
    must(cmake, "--build", project)
    for name, file in (("from_cpp", "main.cpp"), ("from_c", "client.c"), ("losses", "losses.c"), ("trainer", "trainer.cpp")):
        done = subprocess.run([qemu, "-L", "/usr/aarch64-linux-gnu", project / name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = (example / file).read_text(encoding="utf-8").splitlines()
        wanted = [line.removeprefix("//").removeprefix(" ").rstrip() for line in lines[lines.index("// Output:") + 1:]]
        if [line.rstrip() for line in done.stdout.splitlines()] != wanted:
            faults.append(f"{name} on arm-64 prints {done.stdout}{done.stderr}")
    again = subprocess.run([cmake, "--build", project], stdout=subprocess.PIPE, text=True).stdout
    if "no work to do" not in again:
        faults.append(f"a second build of kernels for arm-64 makes them again: {again}")


def arm64():
    for tool, package in ((arm_compiler, "g++-aarch64-linux-gnu"), (qemu, "qemu-user")):
        if not shutil.which(tool):
            print(f"SKIP: no {tool} here (Debian: apt-get install {package})")
            sys.exit(77)
    out.mkdir(parents=True, exist_ok=True)
    toolchain = out / "toolchain.cmake"
    toolchain.write_text(
        "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\nset(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)\n"
        f"set(CMAKE_CXX_COMPILER {arm_compiler})\n", encoding="utf-8")
    must(cmake, "-S", source, "-B", out / "build", "-G", "Ninja", "-DFRISKET_COMPILER=OFF", "-DFRISKET_CCACHE=ON", "-DCMAKE_BUILD_TYPE=Release",
         "-DFRISKET_QUICK_TO_COMPILE=ON", f"-DFRISKET_BUILD_COMPILER={cpp_compiler}", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", *options)
    must(cmake, "--build", out / "build")
    must(cmake, "--install", out / "build", "--prefix", out / "arm")
    layouts = ["strided", "bitmask", "coo", "csr", "rows", "two_four"]
    build(out / "x86-64", layouts, ["x86-64"])
    build(out / "arm-64", layouts, ["arm-64"], "--cross", out / "arm", "--compiler", arm_compiler)
    must(link(cpp_compiler, out / "x86-64", "ahead", prefix), out / "on_x86")
    cross_project(toolchain)
    must(qemu, "-L", "/usr/aarch64-linux-gnu", link(arm_compiler, out / "arm-64", "ahead", out / "arm"), out / "on_arm")
    same("arm-64", (out / "on_arm").read_bytes(), (out / "on_x86").read_bytes())


{"targets": targets, "arm-64": arm64}[what]()
sys.exit("\n".join(faults) if faults else 0)
