# SPDX-License-Identifier: MIT
"""fk.jit, fk.step, fk.eval and gradients: when a function is traced, its arguments and results."""
import copy
import dataclasses
import pickle

import frisket as fk
import numpy as np
import pytest

x = np.arange(6, dtype="float32").reshape(2, 3)
m = fk.masked(x, x > 2)


def counted(function):
    """The function, and a list that grows with each trace."""
    traces = []

    def traced(*args, **keywords):
        traces.append(args)
        return function(*args, **keywords)

    return traced, traces


def test_a_function_is_traced_once_for_each_kind_of_call():
    function, traces = counted(lambda a, b: a * b)
    compiled = fk.jit(function)
    for scale in (2.0, 3.0, 4.5):
        assert np.array_equal(compiled(x, scale), x * np.float32(scale))
    assert len(traces) == 1
    compiled(x[:, :2], 2.0)
    compiled(x.astype("float64"), 2.0)
    compiled(x, 2)
    compiled(m, 2.0)
    assert len(traces) == 5


def test_a_step_of_elementwise_operations_serves_all_shapes():
    function, traces = counted(_descend)
    compiled = fk.step(function)
    for shape in ((2, 3), (4,), (2, 2, 2)):
        p = np.ones(shape, "float32")
        compiled(p, np.ones(shape, "float32"), 0.25)
        assert np.all(p == 0.75)
    assert len(traces) == 1


def _descend(p, g, lr):
    p -= lr * g


def test_a_step_with_reductions_is_traced_for_its_shapes():
    @fk.step
    def normalized(p, g):
        p -= g / fk.norm(g)

    p = np.zeros((2, 2), "float32")
    normalized(p, np.full((2, 2), 3, "float32"))
    assert np.allclose(p, -0.5)


def test_updates_touch_what_is_specified():
    @fk.step
    def adagrad(param, state_sum, grad, *, lr, eps=1e-10):
        state_sum += grad * grad
        param -= lr * grad / (fk.sqrt(state_sum) + eps)

    p, s = np.arange(8, dtype="float32").reshape(2, 4), np.full((2, 4), 0.5, "float32")
    before, sums = p.copy(), s.copy()
    g = fk.coo((2, 4), [[0, 1, 1], [2, 0, 2]], np.array([3, 4, 5], "float32"))
    adagrad(p, s, g, lr=0.1)
    dense = g.filled(0)
    assert np.allclose(s, sums + dense**2)
    assert np.allclose(p, before - np.float32(0.1) * dense / (np.sqrt(s) + 1e-10))
    adagrad(p, s, g.to("csr"), lr=0.2)
    assert np.array_equal(p[~g.mask], before[~g.mask])


def test_updates_of_all_elements_are_said_on_purpose():
    def decayed(p, g, wanted):
        p -= g
        fk.everywhere(p)[...] = p * wanted

    p = x.copy()
    fk.step(decayed)(p, m, 0.5)
    assert np.array_equal(p, np.where(m.mask, 0, x) * 0.5)

    @fk.step
    def restricted(p, g):
        fk.over(g)
        p *= 2.0

    p = x.copy()
    restricted(p, m)
    assert np.array_equal(p, np.where(m.mask, 2 * x, x))


def test_assignments_and_later_reads():
    @fk.step
    def swap(a, b):
        old = a * 1.0
        a[...] = b
        b[:] = old + a

    a, b = x.copy(), x * 10
    swap(a, b)
    assert np.array_equal(a, x * 10) and np.array_equal(b, x + x * 10)


def test_structures_go_in_and_out():
    @dataclasses.dataclass
    class Pair:
        first: object
        second: object

    @fk.jit
    def both(pair, table, flip):
        total = pair.first + table["w"][0]
        return {"sum": total, "rest": (pair.second, [total * 2]), "none": None, "flip": flip}

    got = both(Pair(x, m), {"w": [x, x]}, True)
    assert np.array_equal(got["sum"], 2 * x) and np.array_equal(got["rest"][1][0], 4 * x)
    assert isinstance(got["rest"][0], fk.Masked) and got["none"] is None and got["flip"] is True


def test_static_arguments_and_bools_are_part_of_the_trace():
    function, traces = counted(lambda a, n, deep: a ** n if deep else a)
    compiled = fk.jit(lambda a, n, deep: function(a, n, deep), static_argnames=("n",))
    assert np.array_equal(compiled(x, 2, True), x**2) and np.array_equal(compiled(x, 3, True), x**3)
    assert np.array_equal(compiled(x, 3, False), x) and len(traces) == 3


def test_captured_arrays_are_arguments():
    weights = np.ones((3, 2), "float32")
    compiled = fk.jit(lambda a: a @ weights)
    assert np.array_equal(compiled(x), x @ weights)
    weights[...] = 2
    assert np.array_equal(compiled(x), x @ weights)


def test_jitted_functions_call_each_other():
    inner = fk.jit(lambda a: a * 2)
    assert np.array_equal(fk.jit(lambda a: inner(a) + 1)(x), 2 * x + 1)


def test_methods_and_copies():
    class Model:
        @fk.jit
        def shifted(self, a):
            return a + 1

    model = Model()
    assert np.array_equal(model.shifted(x), x + 1)
    function = fk.jit(lambda a: a + 1)
    assert copy.deepcopy(function) is function


def test_strides_and_dtypes():
    assert np.array_equal(fk.add(x[::-1, ::-2], 1.0), x[::-1, ::-2] + 1)
    assert np.array_equal(fk.jit(lambda a: a * 2)(x[::-1].T), x[::-1].T * 2)
    for dtype in ("bool", "uint8", "int32", "int64", "float16", "float64"):
        values = (x > 2).astype(dtype)
        assert fk.sum(values) == 3 and fk.jit(lambda a: fk.sum(a))(values) == 3


def test_eval_is_one_expression():
    assert fk.eval(lambda a: fk.sum(a), m).item() == 12
    assert fk.eval(lambda a: fk.median(a), m).item() == 4
    assert np.array_equal(fk.eval(lambda a: a[a > 3], x), [4, 5])
    out = np.zeros_like(x)
    assert fk.eval(lambda a: a + 1, x, out=out) is out and np.array_equal(out, x + 1)


def loss(r, u, v):
    return fk.sum(fk.square(r - u @ v.T))


def test_gradients_are_as_sparse_as_they_are():
    generator = np.random.default_rng(0)
    u, v = generator.normal(size=(2, 4)), generator.normal(size=(3, 4))
    r = fk.masked(x.astype("float64"), np.array([[0, 0, 0], [1, 0, 1]], bool))
    value, (gu, gv) = fk.value_and_grad(loss, argnums=(1, 2))(r, u, v)
    error = np.where(r.mask, u @ v.T - x, 0)
    assert np.isclose(float(value), (error**2).sum())
    assert np.allclose(gu.filled(0), 2 * error @ v) and np.allclose(gv.filled(0), 2 * error.T @ u)
    assert not gu.mask[0].any() and not gv.mask[1].any()
    assert np.allclose(fk.grad(loss, argnums=1, fill=0.0)(r, u, v), gu.filled(0))


def test_an_embedding_has_a_gradient_of_rows():
    table, ids = np.ones((10, 2), "float32"), np.array([3, 7, 3])
    g = fk.grad(lambda t, i: fk.sum(fk.square(t[i])))(table, ids)
    assert g.layout == "rows" and g.indices.tolist() == [3, 7] and np.array_equal(g.stored_values, [[4, 4], [2, 2]])


def test_gradients_of_gradients():
    second = fk.grad(lambda a: fk.sum(fk.grad(lambda b: fk.sum(b**3))(a)))
    assert np.allclose(second(x).filled(0), 6 * x)


def test_check_grad():
    data = fk.masked(np.linspace(0.5, 2, 6).reshape(2, 3), x > 1)
    assert fk.check_grad(lambda a: fk.sum(fk.log(a) * a), data)


def _flat(a):
    """a, with a gradient of 0, which is wrong."""
    return fk.round(a * 1e7) * 1e-7


@pytest.mark.parametrize("layout", ["strided", "bitmask", "csr", "csc", "coo", "rows"])
def test_check_grad_of_masked_and_dense_arguments(layout):
    values, u, v = np.linspace(0.5, 2, 20).reshape(4, 5), np.linspace(-1, 1, 8).reshape(4, 2), np.linspace(0, 1, 10).reshape(5, 2)
    ratings = fk.rows((4, 5), [1, 3], values[:2]) if layout == "rows" else fk.masked(values, values % 0.3 > 0.1).to(layout)

    def misfit(ratings, u, v):
        assert ratings.is_masked and not u.is_masked and not v.is_masked
        return fk.sum(fk.square(ratings - u @ v.T))

    assert fk.check_grad(misfit, ratings, u, v)
    assert not fk.check_grad(lambda r, u, v: misfit(_flat(r), u, v), ratings, u, v, eps=1e-5)
    assert not fk.check_grad(lambda r, u, v: misfit(r, _flat(u), v), ratings, u, v, eps=1e-5)
    assert not fk.check_grad(lambda r, u, v: misfit(r, u, _flat(v)), ratings, u, v, eps=1e-5)
    numerical = fk.check_grad_report(misfit, ratings, u, v)[1]
    assert np.all((numerical[:20, 0] != 0) <= ratings.mask.ravel()) and np.any(numerical[20:28, 0]) and np.any(numerical[28:, 0])


def test_values_of_check_grad_end_with_it():
    kept = []
    assert fk.check_grad(lambda a: kept.append(a) or fk.sum(a * 2), np.ones(3))
    assert repr(kept[0]) == "<traced value of check_grad, whose trace has ended>"
    for use in (lambda a: a.shape, lambda a: a.dtype, lambda a: a.is_masked, lambda a: len(a), lambda a: a + 1):
        with pytest.raises(fk.TraceError, match="used after its trace has ended"):
            use(kept[0])


def test_check_grad_of_structures_ids_and_numbers():
    table, ids = np.linspace(0, 1, 8).reshape(4, 2), np.array([0, 2, 2])
    assert fk.check_grad(lambda given, ids, k: fk.sum(fk.square(given["t"][ids])) * k, {"t": table}, ids, 3.0)
    assert not fk.check_grad(lambda t, ids: fk.sum(_flat(t)[ids]), table, ids, eps=1e-5)
    for call, words in (
        (lambda: fk.check_grad(lambda a: fk.sum(a), table.astype("float32")), "wanted float64"),
        (lambda: fk.check_grad(lambda a: None, table), "None came where an array"),
        (lambda: fk.check_grad(lambda a: fk.sum(a), table, eps=0), "eps is 0, wanted a positive number"),
    ):
        with pytest.raises(fk.Error, match=words):
            call()


def test_explain_prints_a_plan():
    text = fk.explain(loss, m, np.ones((2, 4), "float32"), np.ones((3, 4), "float32"))
    assert "sum(square(" in text
    p = x.copy()
    assert "_descend" in fk.explain(fk.step(_descend), p, m, 0.5) and np.array_equal(p, x)


def test_numbers_that_a_step_keeps():
    @fk.step
    def decayed(p, g, rate):
        p -= rate * g
        rate *= 0.5

    p, rate = np.zeros(4, np.float32), fk.Number(1)
    for _ in range(3):
        decayed(p, np.ones(4, np.float32), rate)
    assert np.all(p == -1.75) and rate.value == 0.125 and float(rate) == 0.125 and repr(rate) == "Number(0.125)"
    rate.value = 2
    decayed(p, np.ones(4, np.float32), rate=rate)
    assert np.all(p == -3.75) and rate.value == 1
    assert len(decayed.traces) == 1

    @fk.step
    def whole(p, count):
        p -= fk.mean(p)
        count[...] = count + 1

    count = fk.Number(0)
    whole(p, count)
    whole(p, count)
    assert count.value == 2
    with pytest.raises(fk.Error):  # before anything is written
        decayed(np.zeros(4, np.float32), np.ones(3, np.float32), rate)
    assert rate.value == 1
    with pytest.raises(fk.BindingError, match="which a step keeps: give a function float"):
        fk.jit(lambda x, n: x * n)(p, rate)
    assert pickle.loads(pickle.dumps(rate)).value == 1
