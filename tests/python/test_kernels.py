# SPDX-License-Identifier: MIT
"""Steps and functions of a shared library that was compiled ahead of time have the results and the refusals of traced functions."""
import os
import shutil
import threading

import frisket as fk
import numpy as np
import pytest

path = os.environ.get("FRISKET_TEST_KERNELS")
if not path:
    pytest.skip("FRISKET_TEST_KERNELS names no library of kernels", allow_module_level=True)
# [load]
kernels = fk.load_kernels(path)  # libmine.so, of frisket_add_kernels(mine SHARED …) or `frisket build mine`
# [/load]
rng = np.random.default_rng(7)


def gradient(layout, shape=(6, 8)):
    values = rng.integers(-3, 4, shape).astype(np.float32)
    masked = fk.masked(values, rng.random(shape) < 0.4)
    return masked.to(layout)


def traced(p, s, g, *, lr, eps):
    s += g * g
    p -= lr * g / (fk.sqrt(s) + eps)


def test_the_library_says_what_it_has():
    assert set(kernels.kernels) == {"row_wise", "adagrad", "loss_and_gradients", "soft"}
    assert "adagrad" in dir(kernels) and kernels.targets and "adagrad" in repr(kernels)
    assert kernels.adagrad.signature.startswith("b: InOut float32, written, grad: Masked float32")
    assert repr(kernels.adagrad).endswith("layouts strided, coo>")
    assert "Function soft" in kernels.soft.__doc__
    with pytest.raises(AttributeError, match="it has row_wise"):
        kernels.adam


@pytest.mark.parametrize("layout", ["strided", "bitmask", "coo", "csr", "csc"])
def test_a_step_updates_in_place(layout):
    a, b = np.ones((6, 8), np.float32), np.zeros((6, 8), np.float32)
    p, s, g = a.copy(), b.copy(), gradient(layout)
    kernels.adagrad(b=b, grad=g, a=a, lr=0.5, eps=1e-10)
    fk.step(traced)(p, s, g, lr=0.5, eps=1e-10)
    assert np.array_equal(a, p) and np.array_equal(b, s) and not np.all(a == 1)


def test_views_and_dense_gradients():
    memory = np.ones((12, 16), np.float32)
    a, b, g = memory[::2, ::2], np.zeros((6, 8), np.float32, order="F"), np.full((6, 8), 2, np.float32)
    kernels.adagrad(b, fk.masked(g, np.ones((6, 8), bool)), a, 0.5, 0.0)
    assert np.all(a == 0.5) and np.all(memory[1::2] == 1) and np.all(b == 4)


def test_functions_give_arrays():
    m, u, v = gradient("coo", (40, 64)), rng.standard_normal((40, 5)).astype("f4"), rng.standard_normal((64, 5)).astype("f4")
    value, du, dv = kernels.loss_and_gradients(m, u, v)
    wanted, (wu, wv) = fk.value_and_grad(lambda m, u, v: fk.sum(fk.square(m - u @ v.T)), argnums=(1, 2))(m, u, v)
    assert np.allclose(value, wanted.item())
    for found, want in ((du, wu), (dv, wv)):
        found = found if isinstance(found, fk.Masked) else fk.asmasked(found)
        assert np.allclose(found.filled(0), want.filled(0), rtol=1e-5, atol=1e-5)
    soft = kernels.soft(m, scale=2.0)
    assert np.array_equal(soft.mask, m.mask)
    assert np.allclose(soft.filled(0), fk.softmax(m * 2.0, axis=1).filled(0), atol=1e-6)
    full = kernels.soft(fk.masked(np.ones((2, 4), np.float32), np.ones((2, 4), bool)), 1)
    assert isinstance(full, np.ndarray) and np.all(full == 0.25)


def test_what_is_refused_changes_nothing(tmp_path):
    a, b, g = np.ones((6, 8), np.float32), np.zeros((6, 8), np.float32), gradient("strided")
    for arguments, error, wanted in (
        ((b, g, a, 0.5), fk.BindingError, "the argument eps is missing"),
        ((b, g, a, 0.5, 1, 2), fk.BindingError, "takes 5 arguments, and 6 came"),
        ((b, g, a.astype("f8"), 0.5, 1), fk.DTypeError, "float64"),
        ((b, g, a.astype("c8"), 0.5, 1), fk.DTypeError, "complex64"),
        ((b, g, a[:5], 0.5, 1), fk.ShapeError, "adagrad"),
        ((a, g, a, 0.5, 1), fk.InvalidValueError, "memory"),
        ((g, g, a, 0.5, 1), fk.BindingError, "write x.filled"),
    ):
        with pytest.raises(error, match=wanted):
            kernels.adagrad(*arguments)
    with pytest.raises(fk.BindingError, match="rate is not known"):
        kernels.adagrad(b, g, a, rate=1)
    with pytest.raises(fk.BindingError, match="given twice"):
        kernels.adagrad(b, g, a, b=b)
    a.flags.writeable = False
    with pytest.raises(fk.BindingError, match="read-only"):
        kernels.adagrad(b, g, a, 0.5, 1)
    assert np.all(a == 1) and np.all(b == 0)
    with pytest.raises(fk.IoError, match="cannot be loaded"):
        fk.load_kernels(tmp_path / "libabsent.so")
    with pytest.raises(fk.BindingError, match="is not called libNAME.so"):
        fk.load_kernels(tmp_path / "kernels.dll")
    other = tmp_path / "libother.so"
    shutil.copy(path, other)
    with pytest.raises(fk.LayoutError, match="other_describe"):
        fk.load_kernels(other)
    assert fk.load_kernels(other, name="aot_shared").kernels.keys() == kernels.kernels.keys()


def test_threads_may_call_at_once():
    g, arrays = gradient("coo"), [np.ones((6, 8), np.float32) for _ in range(8)]

    def run(a):
        b = np.zeros((6, 8), np.float32)
        for _ in range(200):
            kernels.adagrad(b, g, a, 0.1, 1e-10)

    threads = [threading.Thread(target=run, args=(a,)) for a in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, arrays[0]) for a in arrays)
