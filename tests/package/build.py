# SPDX-License-Identifier: MIT
"""build.py PKG_CONFIG PREFIX HALIDE_DIR EXAMPLE OUT CC CXX [FLAG...]   `frisket build` makes libraries that C programs are compiled with by pkg-config's flags,
the same bytes each time, and refuses wrong arguments; without pkg-config it ends with 77"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

pkg_config, prefix, halide_dir, example, out, c_compiler, cpp_compiler, *flags = sys.argv[1:]
prefix, example, out = pathlib.Path(prefix), pathlib.Path(example), pathlib.Path(out)
if not pathlib.Path(pkg_config).is_file():
    print("SKIP: no pkg-config here (Debian: apt-get install pkg-config)")
    sys.exit(77)
environment = os.environ | {"Halide_DIR": halide_dir, "CXX": cpp_compiler, "CXXFLAGS": " ".join(flags)}
faults = []


def run(*command, **more):
    print("+", *command, flush=True)
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment | more)


def must(*command, **more):
    done = run(*command, **more)
    if done.returncode:
        sys.exit(f"{done.stdout}\nended with {done.returncode}")
    return done.stdout


def build(*words):
    return run(prefix / "bin/frisket", "build", *words)


def made(name, folder, *words):
    done = build(name, *words, "--out", folder)
    if done.returncode:
        sys.exit(f"{done.stdout}\nfrisket build ended with {done.returncode}")


def prints(file, name, folder):
    """A program of C, compiled with pkg-config's flags, prints the lines at its end."""
    places = [folder / "lib/pkgconfig", next(prefix.rglob("frisket-runtime.pc")).parent]
    said = must(pkg_config, "--cflags", "--libs", name, PKG_CONFIG_PATH=":".join(map(str, places))).split()
    program = folder / file.stem
    must(c_compiler, "-std=c99", *flags, file, "-o", program, *said, *flags)
    lines = file.read_text(encoding="utf-8").splitlines()
    wanted = [line.removeprefix("//").removeprefix(" ").rstrip() for line in lines[lines.index("// Output:") + 1:]]
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, env=os.environ | {"LD_LIBRARY_PATH": str(folder / "lib")})
    if [line.rstrip() for line in done.stdout.splitlines()] != wanted:
        faults.append(f"{file.name} prints {done.stdout}, wanted {wanted}")
    return program


def files_of(folder):
    return {file.name: file.read_bytes() for file in (folder / "lib").iterdir() if file.is_file()}


shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
static = ("--steps", "adagrad", "--from", example / "adagrad.hpp", "--layouts", "strided", "coo", "rows",
          "--targets", "x86-64-avx2", "x86-64")
shared = ("--steps", "row_wise", "--functions", "loss", "--from", example / "losses.hpp", "--layouts", "csr", "rows",
          "--shapes", "loss: ratings=users,items users=users,rank items=items,rank",
          "row_wise: table=rows,dim table_grad=rows,dim row_sum=rows,1", "--shared", "2.1")
made("my_kernels", out / "static", *static)
prints(example / "client.c", "my_kernels", out / "static")
made("my_losses", out / "shared", *shared)
program = prints(example / "losses.c", "my_losses", out / "shared")
if "libmy_losses.so.2 =>" not in must("ldd", program, LD_LIBRARY_PATH=str(out / "shared/lib")):
    faults.append("losses is not linked to libmy_losses.so.2")
library = out / "shared/lib/libmy_losses.so.2.1"
exported = {line.split()[-1] for line in must("nm", "-D", "--defined-only", library).splitlines()}
header = (out / "shared/include/my_losses.h").read_text(encoding="utf-8")
if exported != set(re.findall(r"FRISKET_EXPORT[^(]* \*?(\w+)\(", header)):
    faults.append(f"{library.name} exports {sorted(exported)}, not what its header declares")

# A second build of the same sources writes the same bytes, in another folder as well.
made("my_kernels", out / "static_again", *static)
made("my_losses", out / "shared_again", *shared)
for kind in ("static", "shared"):
    if files_of(out / kind) != files_of(out / f"{kind}_again"):
        faults.append(f"a second build of the {kind} library has other bytes")

good = ("--from", example / "adagrad.hpp", "--layouts", "coo", "--out", out / "wrong")
wrong = {
    ("my-kernels", "--steps", "adagrad", *good): 'build: "my-kernels" is no name for a kernel library',
    ("adagrad", "--steps", "adagrad", *good): "build: adagrad: the library and its step have one name: call the library adagrad_kernels",
    ("kernels", *good): "build: kernels: there is nothing to compile: name --steps, --functions or --optimizers",
    ("kernels", "--steps", "2nd", *good): 'build: kernels: "2nd" is no name of a variable of',
    ("kernels", "--steps", "adagrad", "--from", "other.hpp"): "build: kernels: the header other.hpp is not there",
    ("kernels", "--shared", "1", "--optimizers", "adagrad", *good): "build: kernels: optimizers are C++, and a shared library exports C functions alone",
    ("kernels", "--steps", "adagrad", *good, "--targets", "x87"): 'frisket: target: there is no target "x87"',
    ("kernels", "--steps", "nothing", *good): "build: this command failed: ",
}
for words, sentence in wrong.items():
    done = build(*words)
    if done.returncode != 2 or sentence not in done.stdout:
        faults.append(f"frisket build {' '.join(map(str, words))} ended with {done.returncode}, should say: {sentence}\nand says: {done.stdout}")

sys.exit("\n".join(faults) if faults else 0)
