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
    (lambda: fk.masked(None, x > 2), TypeError, "None came, wanted an array, a list or a number"),
    (lambda: fk.masked([[1, 2], [3]], x > 2), TypeError, "a list makes no array"),
    (lambda: fk.rows(3, [0], x), TypeError, "shape is 3, wanted a tuple of integers"),
    (lambda: fk.rows((1 << 70, 3), [0], x[:1]), TypeError, "wanted an integer from"),
    (lambda: fk.coo((2, 3), [0, 1, 2], [1.0]), ValueError, "coo: 3 indices, wanted 2 for each stored element"),
    (lambda: fk.bsr((2, 4), 2, [0, 1], [0], np.ones((1, 2, 2))), TypeError, "blocksize is 2, wanted a tuple of integers"),
    (lambda: fk.bsr((2, 4), (2,), [0, 1], [0], np.ones((1, 2, 2))), TypeError, "blocksize is (2,), wanted two integers"),
    (lambda: fk.sum(m, axis="rows"), TypeError, "axis is 'rows', wanted an integer, or a tuple of integers"),
    (lambda: fk.sum(m, axis=(0, 0.5)), TypeError, "axis is (0, 0.5), wanted an integer"),
    (lambda: fk.sum(m, keepdims=x), TypeError, "keepdims is of type ndarray, wanted True or False"),
    (lambda: fk.var(m, ddof="1 less"), TypeError, "ddof is '1 less', wanted a number"),
    (lambda: fk.norm(m, ord=None), TypeError, "ord is None, wanted a number"),
    (lambda: fk.reshape(m, (2, None)), TypeError, "shape is (2, None), wanted a tuple of integers"),
    (lambda: fk.swapaxes(m, [0], 1), TypeError, "attribute dim0 has another type than it wants"),
    (lambda: fk.swapaxes(m, [None], 1), TypeError, "transpose: an attribute is of another type than the operation has: dim0 [None], dim1 1"),
    (jitted(lambda x: fk.swapaxes(x, [None], 1), x), TypeError, "dim0 [None], dim1 1"),
    (lambda: fk.roll(m, 0.5, axis=0), TypeError, "shift is 0.5, wanted an integer"),
    (lambda: fk.split(m, 0, axis=1), ValueError, "3 elements make no 0 equal parts"),
    (lambda: fk.split(m, 3, axis=2), ValueError, "split: axis is 2, and the array has 2 dimensions"),
    (lambda: fk.split(3, 3), TypeError, "split: a value of type int is no array"),
    (lambda: fk.take(m, np.array([0]), axis=None), TypeError, "axis is None, wanted an integer"),
    (lambda: fk.concatenate([]), TypeError, "concatenate: no arrays came"),
    (lambda: fk.stack(3), TypeError, "stack: 3 came, wanted a list of arrays"),
    (lambda: m[0.5:], IndexError, "0.5 is no part of a slice: write integers"),
    (lambda: m[::0], IndexError, "a slice with a step of 0"),
    (lambda: m[[[0, 1], [0]]], IndexError, "is no subscript: write a list of integers"),
    (lambda: fk.eval(lambda x: 3.0, x, out=x.copy()), TypeError, "the function returned one of type float"),
    (jitted(lambda x: fk.gradient(fk.sum(x), x, allow_unused=x), x), TypeError, "allow_unused is of type Traced"),
    (lambda: fk.save(None, x), TypeError, "save: the path is None, wanted a path: a text, or a pathlib.Path"),
    (lambda: fk.save("x.npy", None), TypeError, "has one dense array"),
    (lambda: fk.load(b"x.npy"), TypeError, "load: the path is of type bytes, wanted a path"),
    (lambda: fk.load_kernels(3), TypeError, "load_kernels: the path is 3"),
    (lambda: fk.tuning.export(None), TypeError, "export: the file is None"),
    (lambda: fk.tune(lambda x: x + 1, x, seed="a"), TypeError, "seed is 'a', wanted an integer"),
    (lambda: fk.optim.SGD([x.copy()], seed=-1), TypeError, "seed is -1, wanted an integer from 0 to"),
    (lambda: fk.optim.SGD([x.copy()], untouched=None), TypeError, "untouched is None, wanted a text"),
    (lambda: fk.optim.SGD([x.copy()]).options("first"), TypeError, "group is 'first', wanted an integer"),
    (lambda: fk.optim.SGD([x.copy()]).set_state([x]), TypeError, "wanted a dict of dicts, as opt.state returns"),
    (lambda: fk.optim.SGD([x.copy()]).step([x], skip_nonfinite=None), TypeError, "skip_nonfinite is None, wanted True or False"),
    (lambda: fk.optim.SGD([x.copy()]).save(None), TypeError, "save: the path is None"),
    (lambda: fk.optim.rule(3), TypeError, "optim.rule: 3 is no function"),
    (lambda: fk.optim.rule(update, state=3), TypeError, "update: state is 3, wanted names"),
    (lambda: fk.optim.rule(lambda param, grad, lr: None, lr="fast"), TypeError, "lambda: lr is 'fast', wanted a number"),
    (lambda: fk.build(3, fk.step(update)), TypeError, '"3" is no name for a library'),
    (lambda: fk.In["float32", np.zeros(2)], TypeError, "is no extent"),
]


@pytest.mark.parametrize("run, kind, words", rows, ids=[f"{i} {row[2]}" for i, row in enumerate(rows)])
def test_refusal(run, kind, words):
    with pytest.raises(kind) as caught:
        run()
    assert isinstance(caught.value, fk.Error)
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
