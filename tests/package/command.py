# SPDX-License-Identifier: MIT
"""command.py PREFIX HALIDE_DIR   the installed command finds libHalide by Halide_DIR and by the Python wheel; where neither is it
says what to do"""
import os
import pathlib
import subprocess
import sys
import tempfile

prefix, halide_dir = map(pathlib.Path, sys.argv[1:])
faults = []


def look(how, environment, sentence=None):
    done = subprocess.run([prefix / "bin/frisket", "show", "adagrad", "--stage", "schedule"], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if sentence and done.returncode != 0:
        if sentence not in done.stdout:
            faults.append(f"{how}: it should say: {sentence}\nand says: {done.stdout}")
    elif "schedule: adagrad" not in done.stdout:
        faults.append(f"{how}: it ended with {done.returncode} and said: {done.stdout}")


with tempfile.TemporaryDirectory() as folder:
    tools = pathlib.Path(folder, "bin")
    tools.mkdir()
    for tool in ("dirname", "readlink", "grep"):
        (tools / tool).symlink_to(next(path for path in (pathlib.Path(place, tool) for place in os.environ["PATH"].split(":")) if path.exists()))
    base = {"HOME": folder, "FRISKET_TUNING_DB": "off", "FRISKET_CACHE_DIR": "off"}
    look("with Halide_DIR", base | {"PATH": str(tools), "Halide_DIR": str(halide_dir)})
    wheel = halide_dir.resolve().parents[2]
    if wheel.name == "halide" and (wheel / "__init__.py").is_file():
        look("with the wheel", base | {"PATH": os.environ["PATH"], "PYTHONPATH": str(wheel.parent)})
    # A libHalide that the loader finds is one more way.
    look("without either", base | {"PATH": str(tools)}, "frisket: libHalide.so was not found: python3 -m pip install halide==21.0.0")
    linked = pathlib.Path(folder, "frisket")
    linked.symlink_to(prefix / "bin/frisket")
    prefix = linked.parent
    (prefix / "bin/frisket").symlink_to(linked.readlink())
    look("through a link", base | {"PATH": str(tools), "Halide_DIR": str(halide_dir)})
sys.exit("\n".join(faults) if faults else 0)
