# SPDX-License-Identifier: MIT
"""The module without the compiler writes the bytes of the one that has it, and refuses the rest with a sentence; libHalide is chosen and checked."""
import json
import os
import pathlib
import subprocess
import sys

import frisket as fk
import numpy as np
import pytest

here = pathlib.Path(__file__).parent
wanted = "needs the compiler: pip install halide==21.0.0 on Python 3.11 to 3.13"


def run(*words, **more):
    environment = {name: value for name, value in os.environ.items() if name != "FRISKET_HALIDE"} | more
    return subprocess.run([sys.executable, "-B", *map(str, words)], env=environment, capture_output=True, text=True)


def imported(**more):
    """The last line of an import's output."""
    done = run("-c", "import frisket as fk; print(fk.doctor())", **more)
    return done.stdout if done.returncode == 0 else done.stderr.splitlines()[-1]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """(arrays, facts) of a process with the compiler and of one without."""
    found = []
    for name, halide in (("with", {}), ("without", {"FRISKET_HALIDE": "off"})):
        path = tmp_path_factory.mktemp(name) / "arrays.npz"
        done = run(here / "without_compiler.py", path, **halide)
        assert done.returncode == 0, done.stderr
        found.append((dict(np.load(path)), json.loads(done.stdout)))
    return found


def test_both_modules_write_the_same_bytes(both):
    (compiled, _), (ready, _) = both
    assert set(compiled) == set(ready) and len(compiled) > 80
    different = [name for name in compiled if compiled[name].tobytes() != ready[name].tobytes()]
    assert not different


def test_the_doctor_says_which_module_runs_and_why(both):
    (_, compiled), (_, ready) = both
    assert "_core_aot" not in compiled["module"] and "_core_aot" in ready["module"]
    assert "Halide 21.0.0: libHalide.so is /" in compiled["doctor"]
    assert "no: FRISKET_HALIDE is off" in ready["doctor"] and "compiled ahead of time for " in ready["doctor"]
    assert ready["cache"] == "no loops are kept: nothing is compiled without the compiler"
    assert compiled["type"] == ready["type"] == "frisket._core"


def test_what_needs_the_compiler_says_so(both):
    (_, _), (_, ready) = both
    sentences = ready["sentences"]
    assert all(text.endswith(wanted) for _, text in sentences.values()), sentences
    assert {kind for kind, _ in sentences.values()} == {"TargetError", "LayoutError"}
    assert sentences["eager"][1] == f"exp: 8192 elements are to be computed, and fewer than 4096 are interpreted: {wanted}"


def fake_halide(folder, version):
    """A folder with a libHalide.so that is none, whose package has a version."""
    described = folder / "cmake" / "Halide"
    described.mkdir(parents=True)
    (described / "HalideConfigVersion.cmake").write_text(f'set(PACKAGE_VERSION "{version}")\n')
    library = folder / "libHalide.so"
    library.write_bytes(b"no library")
    return library


def test_another_version_is_refused_by_name(tmp_path):
    library = fake_halide(tmp_path, "19.0.0")
    text = imported(FRISKET_HALIDE=str(library))
    assert text == (
        f"ImportError: frisket: {library}, which FRISKET_HALIDE names, is of Halide 19.0.0, and 21.0.0 is wanted: pip install "
        'halide==21.0.0 on Python 3.11 to 3.13; FRISKET_HALIDE names another libHalide.so, and "off" does without the compiler'
    )
    package = tmp_path / "site/halide"
    fake_halide(package / "lib64", "19.0.0")
    (package / "__init__.py").write_text("")
    text = imported(PYTHONPATH=os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")]))
    assert "of the package halide, is of Halide 19.0.0, and 21.0.0 is wanted" in text


def test_a_named_file_is_loaded_or_refused(tmp_path):
    if fk.libraries.halide_of_process() is None:
        pytest.skip("this process has no libHalide.so")
    found = fk.libraries.halide_of_process()
    assert f"libHalide.so is {found}" in imported(FRISKET_HALIDE=found)
    library = fake_halide(tmp_path, "21.0.0")
    text = imported(FRISKET_HALIDE=str(library))
    assert text.startswith(f"ImportError: frisket: {library} cannot be loaded: ") and "pip install halide==21.0.0" in text
    assert "cannot be loaded" in imported(FRISKET_HALIDE=str(tmp_path / "absent.so"))
    libc = next(line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "/libc.so" in line)
    assert f"{libc} is no library of Halide: pip install" in imported(FRISKET_HALIDE=libc)
