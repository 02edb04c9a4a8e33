# SPDX-License-Identifier: MIT
"""Steps and functions that fk.build compiles ahead of time have the results of traced functions; functions that cannot be built are refused in words."""
import ctypes
import json
import os
import shutil
import subprocess
from typing import Annotated, Any

import frisket as fk
import numpy as np
import pytest
from frisket.kernels import Arguments, Tensor, abi_version
from numpy.typing import NDArray

F = np.float32
rng = np.random.default_rng(3)


@fk.step
def adagrad(
    p: fk.InOut["float32"],
    s: fk.InOut["float32"],
    g: fk.Masked["float32"],
    lr: fk.Scalar["float32"],
    eps=1e-10,
):
    s += g * g
    p -= lr * g / (fk.sqrt(s) + eps)


@fk.step
def row_wise(
    p: Annotated[NDArray[F], fk.InOut["float32", "rows", 8]],
    s: Annotated[Any, "sums", fk.InOut[F, "rows", 1]],
    g: fk.Masked[F, "rows", 8],
    n: Annotated[Any, fk.Number],
):
    s += fk.mean(g * g, axis=1, keepdims=True)
    p -= 0.5 * g / (fk.sqrt(s) + 1e-10)
    n += 1


def loss(x: fk.Masked["float32", "users", 30], u: fk.In["float32", "users", 5], v: fk.In["float32", 30, 5]):
    return fk.sum(fk.square(x - u @ v.T))


@fk.jit
def halves(x: fk.In["float32", "n", 4]):
    return x[:, :2] * 2.0, x[:, x.shape[1] - 2 :]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    if shutil.which(os.environ.get("CXX") or "c++") is None:
        pytest.skip("there is no C++ compiler")
    steps = {"adagrad": adagrad, "row_wise": row_wise, "loss": fk.value_and_grad(loss, argnums=(1, 2)), "halves": halves}
    options = {"layouts": ["dense", "rows"], "targets": "x86-64-avx2", "version": "2.1"}
    return fk.build("own_kernels", steps, directory=tmp_path_factory.mktemp("built"), **options)


def test_files_and_description(built):
    kernels = fk.load_kernels(built)
    assert built.library.endswith("lib/libown_kernels.so.2.1") and os.path.exists(built.library.removesuffix(".2.1"))
    assert kernels.targets == ["x86-64-avx2"] and list(kernels.kernels) == ["adagrad", "row_wise", "loss", "halves"]
    assert kernels.adagrad.signature == (
        "p: InOut float32, written, s: InOut float32, written, g: Masked float32, lr: Scalar float64"
    )
    assert kernels.described["version"] == "2.1" and json.dumps(kernels.described["errors"]).startswith('["ok", "mask_mismatch"')
    for file in (built.c_header, built.cpp_header):
        with open(file, encoding="utf-8") as text:
            assert "Made by fk.build from test_build.py" in text.readline()


@pytest.mark.parametrize("layout", ["dense", "rows"])
def test_steps_do_what_traced_ones_do(built, layout):
    kernels = fk.load_kernels(built)
    for shape in ((6, 8), (1, 8), (300, 8)):
        values = rng.integers(-3, 4, shape).astype(F)
        g = values if layout == "dense" else fk.rows(shape, np.arange(0, shape[0], 3), values[::3])
        masked = g if layout == "rows" else fk.masked(g, np.ones(shape, bool))
        p, s = rng.random(shape, F), rng.random(shape, F)
        wanted_p, wanted_s = p.copy(), s.copy()
        kernels.adagrad(p, s, g, lr=0.5)
        adagrad(wanted_p, wanted_s, masked, 0.5)
        assert np.array_equal(p, wanted_p) and np.array_equal(s, wanted_s)
        p, s, count = rng.random(shape, F), np.zeros((shape[0], 1), F), np.zeros(1)
        wanted_p, wanted_s, n = p.copy(), s.copy(), fk.Number(0.0)
        kernels.row_wise(p, s, g, count)
        row_wise(wanted_p, wanted_s, masked, n)
        assert np.array_equal(p, wanted_p) and np.array_equal(s, wanted_s) and count[0] == n.value == 1


def test_functions_do_what_traced_ones_do(built):
    kernels = fk.load_kernels(built)
    x = fk.rows((40, 30), [1, 7, 8], rng.standard_normal((3, 30)).astype(F))
    u, v = rng.standard_normal((40, 5)).astype(F), rng.standard_normal((30, 5)).astype(F)
    value, du, dv = kernels.loss(x, u, v)
    wanted, (wu, wv) = fk.value_and_grad(loss, argnums=(1, 2))(x, u, v)
    assert np.allclose(value, wanted.item(), rtol=1e-5)
    assert np.allclose(du.filled(0), wu.filled(0), rtol=1e-4, atol=1e-5)
    assert np.allclose(dv.filled(0) if isinstance(dv, fk.Masked) else dv, wv.filled(0), rtol=1e-4, atol=1e-5)
    a = rng.random((3, 4), F)
    first, last = kernels.halves(a)
    assert np.array_equal(first, a[:, :2] * 2) and np.array_equal(last, a[:, 2:])
    with pytest.raises(fk.ShapeError, match=r"x has shape \[3, 6\], and was compiled ahead of time for \[n,4\]"):
        kernels.halves(rng.random((3, 6), F))


def test_cpp_callers_get_exceptions(built, tmp_path):
    source = tmp_path / "main.cpp"
    source.write_text(
        "#include <own_kernels.hpp>\n#include <cstdio>\n"
        'int main() try { own_kernels::adagrad({}); } catch (const own_kernels::Error& error) { std::printf("%d", error.code); }\n',
        encoding="utf-8",
    )
    compiler = os.environ.get("CXX") or "c++"
    subprocess.run([compiler, "-std=c++17", source, "-o", tmp_path / "main", f"-I{built.include}", built.library, f"-Wl,-rpath,{os.path.dirname(built.library)}"], check=True)
    assert subprocess.run([tmp_path / "main"], stdout=subprocess.PIPE, check=True).stdout == b"7"  # FRISKET_VALUE: a null pointer


def test_two_builds_are_alike(built, tmp_path):
    @fk.step
    def scaled(p: fk.InOut["float32"], by: fk.Scalar["float64"]):
        p *= by

    targets = ["x86-64-avx2", "x86-64"]
    libraries = [fk.build("k", scaled, targets=targets, directory=tmp_path / folder).library for folder in ("a", "b")]
    assert fk.load_kernels(libraries[0]).targets == targets
    first, second = (open(library, "rb").read() for library in libraries)
    assert first == second


def refused(error, sentence, steps, tmp_path, **options):
    with pytest.raises(error, match=sentence):
        fk.build("kernels", steps, **{"directory": tmp_path / "out", **options})
    assert not (tmp_path / "out").exists()


def test_annotations_are_judged(tmp_path):
    for make, error, sentence in (
        (lambda: fk.In["complex64"], fk.DTypeError, "complex64"),
        (lambda: fk.In["float32", -1], fk.BindingError, "-1 is no extent"),
        (lambda: fk.In["float32", "two words"], fk.BindingError, "'two words' is no extent"),
        (lambda: fk.Scalar["float16"], fk.BindingError, "float32, float64 or int64"),
    ):
        with pytest.raises(error, match=sentence):
            make()
    assert repr(fk.Masked[np.float32, "rows", 3]) == "fk.Masked[\"float32\", 'rows', 3]"
    assert repr(fk.In["float64", ()]) == 'fk.In["float64", ()]'

    def step(annotation, body=lambda p, x: p.__iadd__(x)):
        def f(p: fk.InOut["float32"], x: annotation):
            body(p, x)

        return fk.step(f)

    def bare(p):
        p += 1

    def function(x: fk.InOut["float32", "n"]):
        return x

    for steps, sentence in (
        (fk.step(bare), "p has no annotation"),
        (step(fk.Masked), "the annotation of x names no dtype: write fk.Masked"),
        (step(np.ndarray), "x is annotated <class 'numpy.ndarray'>: write fk.In"),
        (step(Annotated[Any, "float32"]), "x is annotated typing.Annotated"),
        (step(Annotated[Any, fk.Masked]), "the annotation of x names no dtype: write fk.Masked"),
        (step(fk.In["float32"], lambda p, x: x.__iadd__(p)), "x"),
        (step(fk.InOut["float32"]), "x is annotated fk.InOut, and the step does not update it"),
        (function, "a function updates nothing"),
        ({"double": adagrad}, "becomes a name in C"),
        ({"kernels": adagrad}, "have one name"),
        ([], "nothing to compile"),
        ([adagrad, adagrad], "two steps have one name"),
    ):
        refused(fk.BindingError, sentence, steps, tmp_path, layouts="dense")
    here = np.ones(3, F)
    refused(fk.TraceError, "surroundings", step(fk.In["float32"], lambda p, x: p.__iadd__(x * here)), tmp_path)


def test_shapes_targets_and_layouts_are_judged(tmp_path):
    def total(x: fk.In["float32"]):
        return fk.sum(x)

    def scaled(x: fk.In["float32", "rows", "dim"]):
        return fk.sum(x) / x.shape[0]

    refused(fk.ShapeError, 'total has operations on whole arrays, and no shapes: write x: fk.In', total, tmp_path)
    refused(fk.ShapeError, "no shape to x", total, tmp_path, shapes="")
    refused(fk.ShapeError, "a number of the trace depends on the extents rows, dim", scaled, tmp_path)
    refused(fk.TargetError, "there is no target \"pentium\"", adagrad, tmp_path, layouts="dense", targets=["pentium"])
    refused(fk.TargetError, "given twice", adagrad, tmp_path, layouts="dense", targets=["x86-64", "x86-64"])
    refused(fk.LayoutError, "names no layout", adagrad, tmp_path)
    refused(fk.LayoutError, "raws", adagrad, tmp_path, layouts=["raws"])


def test_what_a_machine_lacks_is_said(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    with pytest.raises(fk.IoError, match="cannot be written: .*: name another directory"):
        fk.build("kernels", adagrad, layouts="dense", directory=file / "below")
    monkeypatch.setenv("CXX", "absent-c++")
    refused(fk.IoError, "absent-c\\+\\+ was not found: install g\\+\\+", adagrad, tmp_path, layouts="dense")


@fk.step
def descend(p: fk.InOut["float32"], g: fk.Masked["float32"], by: fk.Scalar["float32"]):
    p -= by * g


@fk.jit
def doubled(x: fk.In["float32", "n", 4]):
    return x * 2.0


@pytest.fixture(scope="module")
def for_devices(tmp_path_factory):
    if shutil.which(os.environ.get("CXX") or "c++") is None:
        pytest.skip("there is no C++ compiler")
    options = {"layouts": "rows", "targets": ["x86-64", "opencl", "cuda"]}
    return fk.load_kernels(fk.build("device_kernels", [descend, doubled], directory=tmp_path_factory.mktemp("built"), **options))


class Device:
    """Memory of a device, by the C functions of a library."""

    def __init__(self, kernels, name):
        self.kernels, self.name = kernels, name.encode()

    def call(self, function, *arguments):
        self.kernels.check(self.kernels.function(f"device_{function}", ctypes.c_int)(*arguments))

    def put(self, array):
        """A tensor with the elements of an array, and its memory."""
        memory, shape = ctypes.c_void_p(), (ctypes.c_int64 * array.ndim)(*array.shape)
        self.call("malloc", self.name, ctypes.c_size_t(array.nbytes), ctypes.byref(memory))
        self.call("copy", memory, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
        tensor = Tensor(memory.value, self.kernels.codes.numbers[array.dtype], array.ndim, ctypes.addressof(shape), None)
        return tensor, (memory, shape)

    def read(self, memory, like):
        made = np.empty_like(like)
        self.call("copy", ctypes.c_void_p(made.ctypes.data), memory[0], ctypes.c_size_t(made.nbytes))
        self.call("free", memory[0])
        return made


def test_kernels_of_devices_are_in_the_library(for_devices):
    assert for_devices.targets == ["x86-64", "opencl", "cuda"]
    with open(for_devices.path, "rb") as file:
        code = file.read()
    assert b"__kernel void" in code  # OpenCL C
    assert b".target sm_80" in code and b".visible .entry" in code  # PTX
    p, x = np.ones((5, 4), F), rng.random((3, 4), F)
    for_devices.descend(p, fk.rows((5, 4), [1], x[:1]), by=0.5)  # arrays of the processor
    assert np.array_equal(p[1], 1 - 0.5 * x[0]) and np.array_equal(p[2:], np.ones((3, 4), F))
    assert np.array_equal(for_devices.doubled(x), x * 2)


def test_opencl_runs_what_was_built(for_devices):
    device = Device(for_devices, "opencl")
    try:
        device.call("synchronize", device.name)
    except fk.TargetError as error:
        pytest.skip(str(error))
    p, values = np.ones((5, 4), F), rng.random((2, 4), F)
    (tensor, p_memory), (stored, memory) = device.put(p), device.put(values)
    arguments = Arguments(for_devices.codes)
    given = arguments.masked("g", fk.rows((5, 4), [1, 3], values))
    given.values = stored
    kernel = for_devices.descend
    made = kernel.struct(ctypes.pointer(tensor), ctypes.pointer(given), 0.5)
    for_devices.check(kernel.call(ctypes.byref(made), ctypes.sizeof(made), abi_version))
    wanted = p.copy()
    wanted[[1, 3]] -= np.float32(0.5) * values
    assert np.array_equal(device.read(p_memory, p), wanted)
    assert np.array_equal(device.read(memory, values), values)


def test_absent_devices_are_said(for_devices):
    memory = ctypes.c_void_p()
    for name, words in (("vulkan", "has kernels for cpu, opencl, cuda"), ("pentium", "pentium"), ("cuda", "cuda")):
        if name == "cuda" and not fk.doctor().partition("target cuda")[2].lstrip().startswith("no"):
            continue
        with pytest.raises(fk.TargetError, match=words):
            Device(for_devices, name).call("malloc", name.encode(), ctypes.c_size_t(16), ctypes.byref(memory))


def test_targets_of_devices_are_judged(tmp_path):
    for targets, words in (
        ("opencl", "target opencl: a library for devices has loops for a processor too: add host, x86-64 for instance"),
        ("cuda", "target cuda: a library for devices has loops for a processor too"),
        (["x86-64", "vulkan"], "target vulkan: its kernels are compiled just in time only; ahead of time there are opencl and cuda"),
        (["x86-64", "x86-64-linux-opencl"], "target x86-64-linux-opencl: .*; ahead of time there are opencl and cuda, by these names"),
        (["x86-64", "cuda-cc70"], 'there is no target "cuda-cc70": there are host, .* opencl, cuda, and'),
        (["x86-64", "opencl", "opencl"], "target opencl is given twice"),
        ("arm-64", "target arm-64: the library is linked for x86-64-linux: name targets of this processor family"),
        ([], "build: targets names no processor: write targets=\"host\""),
    ):
        refused(fk.TargetError, words, adagrad, tmp_path, layouts="dense", targets=targets)
    for option in ("targets", "layouts", "shapes", "schedules"):
        for value in (3, None, [3], b"host"):
            refused(fk.BindingError, f"build: {option} is .*, wanted a text or a list of texts", adagrad, tmp_path, **{"layouts": "dense", option: value})
