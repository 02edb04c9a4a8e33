# SPDX-License-Identifier: MIT
"""Finds a clang++ of version 16 or newer."""
import os
import shutil
import subprocess
import tempfile


def find_clang(*arguments, source=""):
    """The first clang++ here that compiles `source` with these arguments, or None; CLANGXX names the one to try first."""
    names = [os.environ.get("CLANGXX", "")] + [f"clang++-{version}" for version in range(22, 15, -1)] + ["clang++"]
    with tempfile.TemporaryDirectory(prefix="frisket_clang_") as folder:
        for name in (name for name in names if name and shutil.which(name)):
            done = subprocess.run([name, "-std=c++20", *arguments, "-x", "c++", "-", "-o", os.path.join(folder, "out")],
                                  input=f"#if __clang_major__ < 16\n#error\n#endif\n{source}", text=True, capture_output=True)
            if done.returncode == 0:
                return name
    return None
