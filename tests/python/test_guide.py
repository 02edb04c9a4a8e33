# SPDX-License-Identifier: MIT
"""Code of docs/python.md: the first lines, and the tables of spellings of libraries that need no torch."""
import frisket as fk
import numpy as np
import pytest
import spellings

x = np.array([[1, -2, 3], [-4, 5, 6]], "float32")
ratings = fk.masked(x, x > 0)
w = np.array([1, 2, 3], "float32")
u, v = np.ones((2, 4), "float32"), np.ones((3, 4), "float32")
p, s = np.ones((2, 4), "float32"), np.zeros((2, 4), "float32")
g = fk.coo((2, 4), [[0, 1], [2, 0]], np.array([2, 3], "float32"))


def test_guide():
    # [operations]
    m = fk.masked(x, x > 0)  # True: specified; nothing is copied
    m.mean(axis=0)  # each operation runs at once; unspecified values are never seen
    (m - m.mean(axis=0)) / m.std(axis=0)  # specified where m is
    fk.softmax(m * w, axis=1)
    # [/operations]
    assert m.mean(axis=0).numpy().tolist() == [1, 5, 4.5]
    assert (m - m.mean(axis=0)).numpy().tolist() == [[0, None, -1.5], [None, 0, 1.5]]
    assert np.allclose(fk.softmax(m * w, axis=1).filled(0).sum(axis=1), 1)

    # [function]
    @fk.jit  # one function, one computation
    def loss(ratings, u, v):
        return fk.sum(fk.square(ratings - u @ v.T))

    value, (gu, gv) = fk.value_and_grad(loss, argnums=(1, 2))(ratings, u, v)
    # [/function]
    assert value.item() == 9 + 1 + 1 + 4 and gu.shape == (2, 4) and gv.count() == 12

    # [step]
    @fk.step  # arrays are updated in place, where the gradient is specified
    def adagrad(param, state_sum, grad, *, lr, eps=1e-10):
        state_sum += grad * grad
        param -= lr * grad / (fk.sqrt(state_sum) + eps)

    adagrad(p, s, g, lr=0.1)
    # [/step]
    assert np.allclose(p[g.mask], 0.9) and np.all(p[~g.mask] == 1) and s[1, 0] == 9

    table = np.ones((5, 2), np.float32)

    # [rule]
    @fk.optim.rule(state={"m": 0.0}, lr=1e-3, beta=0.9)  # names of the state, and what they begin with; options, and their defaults
    def signed(param, grad, m, lr, beta):
        m += (1 - beta) * (grad - m)  # where the gradient is specified
        param -= lr * fk.sign(m)

    opt = signed({"table": table}, lr=0.1)
    opt.step([fk.rows((5, 2), [3], np.ones((1, 2), np.float32))])
    # [/rule]
    assert np.allclose(table[3], 0.9) and np.all(table[:3] == 1)


both = np.array([[1, 2, 3], [4, 5, 6]], "float32")
mask = np.array([[True, False, True], [True, True, False]])
other_mask = np.array([[True, True, False], [True, True, True]])


@pytest.mark.parametrize("theirs, ours", spellings.rows("numpy.ma"))
def test_spellings_of_numpy_ma(theirs, ours):
    n, o = np.ma.masked_array(both, mask=~mask), np.ma.masked_array(both, mask=~other_mask)
    names = {"np": np, "fk": fk, "x": both, "mask": mask, "n": n, "o": o, "m": fk.asmasked(n), "k": fk.asmasked(o), "w": both[0],
             "z": np.array([1, np.nan, np.inf], "float32")}  # fmt: skip
    spellings.compare(theirs, ours, names)


@pytest.mark.parametrize("theirs, ours", spellings.rows("scipy.sparse"))
def test_spellings_of_scipy(theirs, ours):
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is absent")
    a, b = sparse.csr_array(both * mask), sparse.csr_array(both * other_mask)
    names = {"sparse": sparse, "fk": fk, "a": a, "b": b, "m": fk.asmasked(a), "k": fk.asmasked(b), "d": both, "v": both[0, :2],
             "pointers": [0, 1, 2], "columns": [2, 0], "i": [0, 1], "j": [2, 0]}  # fmt: skip
    spellings.compare(theirs, ours, names)


@pytest.mark.parametrize("theirs, ours", spellings.rows("numexpr and numba"))
def test_spellings_of_numexpr_and_numba(theirs, ours):
    library = theirs.partition(".")[0]
    names = {library: pytest.importorskip(library, reason=f"{library} is absent"), "fk": fk, "a": both, "b": both[::-1].copy(), "c": both.copy()}
    if library == "numexpr":
        theirs = theirs.replace('")', '", names)').replace('", out=c)', '", names, out=c.copy())')
        names["names"] = {"a": names["a"], "b": names["b"]}
    spellings.compare(theirs, ours, names)
