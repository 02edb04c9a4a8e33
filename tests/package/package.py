# SPDX-License-Identifier: MIT
"""package.py CMAKE install BUILD PREFIX             installs into an empty PREFIX
package.py CMAKE build SOURCE BUILD [-DNAME=VALUE]  configures and builds from nothing, then runs the project's tests"""
import pathlib
import shutil
import subprocess
import sys


def run(*command):
    print("+", *command, flush=True)
    if code := subprocess.run(command).returncode:
        sys.exit(code)


cmake, verb, *rest = sys.argv[1:]
if verb == "install":
    build, prefix = rest
    shutil.rmtree(prefix, ignore_errors=True)
    run(cmake, "--install", build, "--prefix", prefix)
else:
    source, build, *options = rest
    shutil.rmtree(build, ignore_errors=True)
    run(cmake, "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options)
    run(cmake, "--build", build, "--parallel", "2")
    run(str(pathlib.Path(cmake).with_name("ctest")), "--test-dir", build, "--output-on-failure", "--no-tests=error")
