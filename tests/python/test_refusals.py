# SPDX-License-Identifier: MIT
"""Calls that are refused, and the sentence that names the remedy; nothing is written before."""
import frisket as fk
import numpy as np
import pytest

x = np.arange(6, dtype="float32").reshape(2, 3)
m = fk.masked(x, x > 2)
other = fk.masked(x, x > 3)


def jitted(function, *args, **keywords):
    return lambda: fk.jit(function)(*args, **keywords)


def stepped(function, *args, **keywords):
    return lambda: fk.step(function)(*args, **keywords)


def branch(x):
    return x if x > 0 else -x


def assign_part(p):
    p[0] = 1.0


def add_in_place(p):
    p += 1.0
    return p


def update(p, g):
    p -= g


def update_all_beside_masked(p, g):
    p -= g
    p *= 0.5


def update_other_mask(p, a, b):
    p += a * b


def closed():
    kept = []
    fk.jit(lambda x: kept.append(x) or x * 2)(x)
    return kept[0] + 1


# A call, the class of its error (one that Python users catch), and words of its sentence.
rows = [
    (jitted(branch, x), TypeError, "write fk.where"),
    (jitted(lambda x: float(x), x), TypeError, "float(x) of a traced value"),
    (jitted(lambda x: int(x), x), TypeError, "int(x) of a traced value"),
    (jitted(lambda x: np.asarray(x), x), TypeError, "np.asarray(x) of a traced value"),
    (jitted(lambda x: x.item(), x), TypeError, "item() of a traced value"),
    (closed, TypeError, "used after its trace has ended"),
    (jitted(lambda x: fk.median(x), x), ValueError, "median depends on values"),
    (jitted(lambda x: x[x > 0], x), ValueError, "index_bool depends on values"),
    (jitted(add_in_place, x), TypeError, "a function of fk.jit updates nothing"),
    (jitted(lambda x: fk.gradient(x * 2.0, np.ones(3)), x), TypeError, "not traced"),
    (jitted(lambda x, n: fk.gradient(fk.sum(x * n), n), x, 2.0), TypeError, "a gradient by a number"),
    (lambda: fk.grad(lambda x: x * 2)(x), ValueError, "wanted one number"),
    (lambda: fk.grad(lambda x: fk.sum(x), argnums=3)(x), TypeError, "argnums are 3"),
    (lambda: fk.gradient(x, x), TypeError, "fk.grad(f)(x)"),
    (stepped(assign_part, x.copy()), TypeError, "an update of a part"),
    (stepped(lambda p: None, x), TypeError, "a step updated nothing"),
    (stepped(lambda p: p * 2, x), TypeError, "a step returned a value"),
    (stepped(update, m, x), TypeError, "g"),
    (stepped(update_other_mask, x.copy(), m, other), ValueError, "mask"),
    (stepped(update_all_beside_masked, x.copy(), m), ValueError, "fk.everywhere(p)[...] = ..."),
    (lambda: m - other, ValueError, " fk.to_dense("),
    (lambda: fk.everywhere(x), TypeError, "fk.everywhere takes an array that a step updates"),
    (lambda: fk.over(m), TypeError, "fk.over takes a masked argument"),
    (stepped(update, np.broadcast_to(np.float32(1), (2, 3)), x), ValueError, "read-only"),
    (stepped(update, x, x), ValueError, "p"),
    (stepped(update, x.copy(), np.ones((5,), "float32")), ValueError, "shape"),
    (stepped(update, x.astype("int64"), x), TypeError, 'p is int64 and takes float32: write fk.cast(x, "int64")'),
    (lambda: m + other, ValueError, "operand 1 of add"),
    (lambda: np.asarray(m), TypeError, "would forget the mask"),
    (lambda: np.mean([fk.sum(m)]), TypeError, "write float(x) or x.item()"),
    (lambda: bool(m), ValueError, "fk.any(x)"),
    (lambda: float(m[0, 0]), ValueError, "unspecified"),
    (lambda: np.add.reduce(m), TypeError, "np.add.reduce"),
    (lambda: np.linalg.svd(m), TypeError, "np.svd has no row"),
    (lambda: m["a"], IndexError, "is no subscript"),
    (lambda: m[0, 0, 0], ValueError, "3 subscripts of a value of 2 dimensions"),
    (lambda: m[5], IndexError, "5"),
    (lambda: fk.sum(m, axis=0, dim=1), TypeError, "axis and dim are one argument"),
    (lambda: fk.sum(m, axis=7), ValueError, "7"),
    (lambda: fk.add(m, "a"), TypeError, "is no array"),
    (lambda: fk.add(m, [1, 2, 3]), TypeError, "is no array"),
    (lambda: fk.add(m, x.astype("complex64")), TypeError, "x.astype"),
    (lambda: fk.add(m, x.astype(">f4")), TypeError, "byte order"),
    (lambda: fk.add(m, 1 << 70), TypeError, "does not fit int64"),
    (lambda: fk.masked(x, np.ones((3, 3), bool)), ValueError, "shape"),
    (lambda: fk.masked(x, x), TypeError, "bool"),
    (lambda: fk.rows((2, 3), [5], x[:1]), ValueError, "5"),
    (lambda: fk.coo((2, 3), [[0], [7]], [1.0]), ValueError, "7"),
    (lambda: m.to("crs"), ValueError, "crs"),
    (lambda: m.to("dense"), ValueError, "dense"),
    (lambda: fk.intersect(np.add, m, other), TypeError, "write fk.add"),
    (lambda: fk.unite(fk.sub, m, other), ValueError, "identity"),
    (lambda: fk.split(x, 2, axis=1), ValueError, "split_size="),
    (lambda: fk.jit(lambda x: x, static_argnames="y"), TypeError, "there is no argument y"),
    (lambda: fk.eval(lambda x: x + 1, x, out=np.zeros(3)), ValueError, "out= has shape"),
    (lambda: fk.astype(x, "complex64"), TypeError, "complex64"),
]


@pytest.mark.parametrize("run, kind, words", rows, ids=[f"{i} {row[2]}" for i, row in enumerate(rows)])
def test_refusal(run, kind, words):
    with pytest.raises(kind) as caught:
        run()
    assert isinstance(caught.value, (fk.Error, TypeError, ValueError))
    assert words in str(caught.value)


def test_nothing_is_written_before_a_check():
    p, s = x.copy(), x.copy()

    @fk.step
    def both(p, s, a, b):
        p += a
        s += a * b

    with pytest.raises(fk.MaskMismatch):
        both(p, s, m, other)
    assert np.array_equal(p, x) and np.array_equal(s, x)


def test_classes_are_those_that_python_users_catch():
    for cls in fk.codes.values():
        assert issubclass(cls, fk.Error)
        assert issubclass(cls, (ValueError, TypeError, IndexError, RuntimeError, OSError))


def test_without_torch_one_sentence_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("frisket.torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(vars(fk), "torch", raising=False)
    with pytest.raises(ImportError, match="fk.torch needs PyTorch: pip install torch"):
        fk.torch
    with pytest.raises(AttributeError, match="has no attribute torhc"):
        fk.torhc
