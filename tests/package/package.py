# SPDX-License-Identifier: MIT
"""package.py CMAKE install BUILD PREFIX             installs elsewhere, and moves that to an empty PREFIX
package.py CMAKE release SOURCE BUILD PREFIX [-DNAME=VALUE]
                                                    builds the contents of a release, and installs that as above
package.py CMAKE build SOURCE BUILD [-DNAME=VALUE]  configures and builds from nothing, then runs the project's tests"""
import pathlib
import shutil
import subprocess
import sys


def run(*command):
    print("+", *command, flush=True)
    if code := subprocess.run(command).returncode:
        sys.exit(code)


def install(build, prefix):
    made = pathlib.Path(prefix + ".made")
    for folder in (made, prefix):
        shutil.rmtree(folder, ignore_errors=True)
    run(cmake, "--install", build, "--strip", "--prefix", str(made))
    made.rename(prefix)


cmake, verb, *rest = sys.argv[1:]
if verb == "install":
    install(*rest)
elif verb == "release":
    source, build, prefix, *options = rest
    run(cmake, "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DFRISKET_TESTS=OFF", "-DFRISKET_BENCH=OFF",
        "-DFRISKET_EXAMPLES=OFF", *options)
    run(cmake, "--build", build, "--parallel", "2", "--target", "frisket_product")
    install(build, prefix)
else:
    source, build, *options = rest
    shutil.rmtree(build, ignore_errors=True)
    run(cmake, "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options)
    run(cmake, "--build", build, "--parallel", "2")
    run(str(pathlib.Path(cmake).with_name("ctest")), "--test-dir", build, "--output-on-failure", "--no-tests=error")
