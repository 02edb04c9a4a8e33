# SPDX-License-Identifier: MIT
"""run.py build BUILD_FOLDER INCLUDE_FOLDER...: builds the programs of libFuzzer with clang.
run.py TARGET BUILD_FOLDER SECONDS: runs TARGET for SECONDS, from the inputs that are stored here.
Ends with 77 without a clang that has libFuzzer."""
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.append(str(here.parent / "support"))
from clang import find_clang


def fuzzing_clang():
    """A clang++ that links a program of libFuzzer, or None."""
    source = "#include <cstdint>\n#include <cstddef>\nextern \"C\" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) { return 0; }\n"
    return find_clang("-fsanitize=fuzzer,address,undefined", source=source)


def build(folder, includes):
    clang = fuzzing_clang()
    if clang is None:
        print("SKIP: no clang++ with libFuzzer is here (Debian: apt-get install clang-16 libclang-rt-16-dev)")
        return 77
    for command in (["cmake", "-S", here / "programs", "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={clang}",
                     f"-DFRISKET_INCLUDES={includes}"],
                    ["cmake", "--build", folder]):
        if subprocess.run([str(word) for word in command]).returncode != 0:
            return 1
    return 0


def fuzz(target, folder, seconds):
    program = folder / f"fuzz_{target}"
    if not program.exists():
        print(f"SKIP: {program.name} was not built")
        return 77
    found = folder / "found" / target
    found.mkdir(parents=True, exist_ok=True)
    # New inputs are in the build folder; only useful inputs are copied to corpus/.
    return subprocess.run([program, f"-max_total_time={seconds}", "-max_len=4096", "-timeout=20", "-rss_limit_mb=4096",
                           "-print_final_stats=1", f"-artifact_prefix={folder}/{target}-", found, here / "corpus" / target],
                          env={**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=1"}).returncode


what, folder, rest = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
sys.exit(build(folder, ";".join(rest)) if what == "build" else fuzz(what, folder, int(rest[0])))
