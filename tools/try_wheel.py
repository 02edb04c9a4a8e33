# SPDX-License-Identifier: MIT
"""try_wheel.py [compiler | no-compiler]   tries an installed frisket package, in which that module is expected to run:
./dev wheel runs it in fresh environments, with and without the package halide"""
import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import frisket as fk
import numpy as np

allowed = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30)}  # versions that the tag manylinux_2_35 allows


def step(param, state_sum, grad, *, lr):
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + 1e-10)


def try_calls():
    x = np.arange(12, dtype="float32").reshape(3, 4)
    m = fk.masked(x, x % 3 == 1)
    assert m.mean().item() == 5.5
    param, state, w = np.ones((3, 4), "float32"), np.zeros((3, 4), "float32"), np.ones((4, 2), "float32")
    fk.step(step)(param, state, m, lr=0.5)
    np.testing.assert_array_equal(param, np.where(x % 3 == 1, np.float32(0.5), np.float32(1)))
    value, slope = fk.value_and_grad(fk.jit(lambda w: fk.sum(fk.square(m @ w))))(w)
    assert value.item() == 2 * float(np.square(np.where(x % 3 == 1, x, 0).sum(1)).sum()) and slope.shape == (4, 2)
    optimizer = fk.optim.Adam({"param": param}, lr=0.1)
    optimizer.step([m])
    assert param[0, 0] == 1 and param[0, 1] != 0.5


def halved(param: fk.InOut["float32"], grad: fk.Masked["float32"]):
    param -= 0.5 * grad


def try_build():
    """Kernels ahead of time."""
    if shutil.which("c++") is None:
        return print("SKIP fk.build: there is no c++")
    with tempfile.TemporaryDirectory() as folder:
        kernels = fk.load_kernels(fk.build("kernels", fk.step(halved), layouts="rows", directory=folder))
        param = np.ones((3, 2), "float32")
        kernels.halved(param, fk.rows((3, 2), [1], np.ones((1, 2), "float32")))
        assert param.tolist() == [[1, 1], [0.5, 0.5], [1, 1]]


def try_rules():
    """Each rule, for parameters that are more than is interpreted."""
    shape = (80, 64)
    values = np.linspace(-1, 1, shape[0] * shape[1], dtype="float32").reshape(shape)
    for name in fk.optim.__all__:
        rule = getattr(fk.optim, name)
        if getattr(rule, "rule", None) is None:
            continue
        param = np.ones(shape, "float32")
        try:
            rule({"param": param}, lr=0.1).step([values])
        except fk.Error as error:  # Muon alone has no loops ahead of time
            assert name == "Muon" and expected == "no-compiler" and "needs the compiler" in str(error), (name, error)
            continue
        assert not (param == 1).all(), name


def try_libraries():
    """Versions of symbols that the libraries want of glibc and libstdc++."""
    libraries = sorted(pathlib.Path(fk.__file__).parent.glob("*.so"))
    for library in libraries:
        text = subprocess.run(["readelf", "-V", "-d", str(library)], stdout=subprocess.PIPE, text=True, check=True).stdout
        for name, most in allowed.items():
            found = max((tuple(map(int, v.split("."))) for v in re.findall(rf"\b{name}_([0-9.]+)", text)), default=(0,))
            assert found <= most, f"{library} wants {name} {found}, and its tag allows {most}"
        assert "RUNPATH" not in text and "RPATH" not in text, f"{library} names folders"
    return ", ".join(f"{library.name} {library.stat().st_size / 1e6:.1f} MB" for library in libraries)


expected = sys.argv[1] if len(sys.argv) > 1 else "compiler"
assert ("no-compiler" if "_core_aot" in fk._core.__file__ else "compiler") == expected, fk.doctor()
try_calls()
if expected == "compiler":
    try_build()
try_rules()
print(f"frisket {importlib.metadata.version('frisket')} works, {expected}: {fk.__file__}: {try_libraries()}")
