# SPDX-License-Identifier: MIT
"""subproject.py CMAKE SOURCE BUILD HOW... [--build] [-DNAME=VALUE]: a project takes the sources into its build by each HOW, add_subdirectory or
FetchContent with SOURCE_DIR; with --build its program is built and run, too."""
import pathlib
import shutil
import subprocess
import sys

cmake, source, build, *words = sys.argv[1:]
options = [word for word in words if word.startswith("-D")]
for how in (word for word in words if not word.startswith("-")):
    folder = pathlib.Path(build) / how
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([cmake, "-S", pathlib.Path(__file__).with_name("subproject"), "-B", folder, "-G", "Ninja", f"-DHOW={how}", f"-DFRISKET={source}",
                    *(["-DFETCHCONTENT_FULLY_DISCONNECTED=ON"] if how == "FetchContent" else []), "-DCMAKE_BUILD_TYPE=Release", *options], check=True, stdout=subprocess.DEVNULL)
    if "--build" in words:
        subprocess.run([cmake, "--build", folder, "--parallel", "2", "--target", "main"], check=True, stdout=subprocess.DEVNULL)
        printed = subprocess.run([folder / "main"], stdout=subprocess.PIPE, text=True, check=True).stdout
        if "0.5000" not in printed:
            sys.exit(f"{how}: the program prints {printed!r}")
    print(f"{how}: all well")
