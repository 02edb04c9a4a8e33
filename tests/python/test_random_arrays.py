# SPDX-License-Identifier: MIT
"""Random arrays, masks, axes and subscripts: values, masks, shapes and dtypes agree with np.ma, marray and scipy.sparse."""
import warnings

import frisket as fk
import numpy as np
import pytest

pytest.importorskip("hypothesis", reason="hypothesis is absent")
from hypothesis import HealthCheck, given, settings, strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

settings.register_profile("frisket", max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.load_profile("frisket")
floats = st.sampled_from(["float32", "float64"])
dtypes = st.sampled_from(["float32", "float64", "int32", "int64", "bool"])
shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)


@st.composite
def masked_arrays(draw, shape=shapes, dtype=dtypes):
    """np.ma's array, whose values are small integers and halves."""
    shape, dtype = draw(shape), np.dtype(draw(dtype))
    size = int(np.prod(shape))
    whole = draw(st.lists(st.integers(-8, 8), min_size=size, max_size=size))
    values = (np.array(whole, "float64") / (2 if dtype.kind == "f" else 1)).reshape(shape).astype(dtype)
    mask = draw(hnp.arrays(bool, shape))
    return np.ma.MaskedArray(values, mask=mask)


def same(made, wanted, tolerance=0.0):
    """Compares a result with np.ma's; a masked number of np.ma is np.ma.masked."""
    if isinstance(made, fk.Masked):
        values, mask = made.filled(0), ~made.mask
    else:
        values, mask = np.asarray(made), np.zeros(np.shape(made), bool)
    assert values.shape == np.shape(wanted)
    assert np.array_equal(mask, np.ma.getmaskarray(wanted))
    wanted_values = np.ma.filled(wanted, 0) if wanted is not np.ma.masked else np.zeros(())
    where = ~mask
    np.testing.assert_allclose(
        np.where(where, values, 0), np.where(where, wanted_values, 0), rtol=tolerance, atol=tolerance, equal_nan=True
    )


def same_dtype(made, wanted):
    assert str(made.dtype) == str(wanted.dtype), (made.dtype, wanted.dtype)


unary = ["negative", "abs", "sin", "cos", "arctan", "tanh", "exp", "ceil", "floor", "arcsinh"]


@given(masked_arrays(dtype=floats), st.sampled_from(unary))
def test_unary(x, name):
    made, wanted = getattr(fk, name)(fk.asmasked(x)), getattr(np.ma, name)(x)
    same(made, wanted, 2e-6)
    same_dtype(made, wanted)


binary = ["add", "subtract", "multiply", "maximum", "minimum", "equal", "not_equal", "less", "greater_equal", "logical_or", "logical_xor"]


@given(st.data(), st.sampled_from(binary), dtypes, dtypes)
def test_binary(data, name, first, second):
    shapes_ = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4, min_side=0))
    x, y = (data.draw(masked_arrays(st.just(s), st.just(d))) for s, d in zip(shapes_.input_shapes, (first, second)))
    if name == "subtract" and first == second == "bool":
        return
    made = fk.intersect(getattr(fk, name), fk.asmasked(x), fk.asmasked(y))
    wanted = getattr(np.ma, name)(x, y)
    same(made, wanted)
    if {x.dtype.kind, y.dtype.kind} != {"i", "f"}:  # an int64 and a float32 become float64 only in NumPy
        same_dtype(made, np.asarray(wanted))


@given(masked_arrays(), st.data(), st.booleans())
def test_reductions(x, data, keepdims):
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1), hnp.valid_tuple_axes(x.ndim, min_size=1)))
    m = fk.asmasked(x)
    for name in ("sum", "prod", "any", "all", "count"):
        wanted = getattr(np.ma, name)(x, axis=axis, keepdims=keepdims)
        made = getattr(fk, name)(m, axis=axis, keepdims=keepdims)
        if name == "count":
            assert np.array_equal(np.asarray(made), wanted)
            continue
        same(made, wanted, 1e-6)
    if x.dtype.kind == "f":
        for name in ("mean", "var", "std"):
            same(getattr(fk, name)(m, axis=axis, keepdims=keepdims), getattr(np.ma, name)(x, axis=axis, keepdims=keepdims), 1e-5)
    extents = x.shape if axis is None else [x.shape[a] for a in (axis if isinstance(axis, tuple) else (axis,))]
    if 0 not in extents and x.dtype.kind != "b":  # np.ma refuses the largest of nothing
        for name, ours in (("max", "amax"), ("min", "amin")):
            same(getattr(fk, ours)(m, axis=axis, keepdims=keepdims), getattr(np.ma, name)(x, axis=axis, keepdims=keepdims))


@given(masked_arrays(), st.data())
def test_subscripts_and_views(x, data):
    m = fk.asmasked(x)
    key = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True, max_dims=5))
    same(m[key], x[key])
    order = data.draw(st.permutations(range(x.ndim)))
    same(m.transpose(*order), x.transpose(order))
    same(m.ravel(), x.ravel())
    axis = data.draw(st.integers(0, x.ndim - 1))
    same(fk.expand_dims(m, axis), np.ma.expand_dims(x, axis))
    same(fk.flip(m, axis), np.flip(x, axis))
    same(fk.concatenate([m, m], axis), np.ma.concatenate([x, x], axis))
    same(fk.stack([m, m], axis), np.ma.stack([x, x], axis))
    if x.shape[axis] > 0:
        ids = np.array(data.draw(st.lists(st.integers(-x.shape[axis], x.shape[axis] - 1), min_size=1, max_size=4)))
        same(fk.take(m, ids, axis), np.ma.take(x, ids, axis))


@given(masked_arrays(), st.sampled_from(["strided", "bitmask", "coo", "rows", "csr", "csc"]))
def test_layouts_hold_one_array(x, layout):
    if layout in ("csr", "csc") and x.ndim != 2:
        return
    m = fk.asmasked(x)
    if layout == "rows":  # whole rows
        x = np.ma.MaskedArray(x.data, mask=np.broadcast_to(~(~np.ma.getmaskarray(x)).any(tuple(range(1, x.ndim)), keepdims=True), x.shape))
        m = fk.asmasked(x)
    other = m.to(layout)
    same(other, x)
    same(other + other, x + x)
    same(fk.sum(other), np.ma.sum(x), 1e-6)


@given(masked_arrays(hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6), floats), st.data())
def test_sparse_matrices(x, data):
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is absent")
    kind = data.draw(st.sampled_from(["csr", "csc", "coo"]))
    dense = np.where(x.mask, 0, x.data).astype(x.dtype)
    a = getattr(sparse, f"{kind}_array")(dense)
    m = fk.asmasked(a)
    assert m.shape == a.shape and m.count() == a.nnz and m.dtype == str(a.dtype)
    assert np.array_equal(m.filled(0), dense) and np.array_equal(m.scipy().toarray(), dense)
    other = data.draw(hnp.arrays(x.dtype, (x.shape[1], 3), elements=st.integers(-4, 4)))
    product = m @ other
    np.testing.assert_allclose(fk.to_dense(product, 0) if isinstance(product, fk.Masked) else product, a @ other, rtol=1e-5)
    np.testing.assert_allclose(fk.to_dense(fk.sum(m, axis=1), 0), dense.sum(1), rtol=1e-5)
    np.testing.assert_allclose(fk.to_dense(fk.sum(m), 0), dense.sum(), rtol=1e-5)
    np.testing.assert_allclose((m * 2.0).filled(0), (a * 2.0).toarray())
    np.testing.assert_allclose(m.T.filled(0), a.T.toarray())


@given(masked_arrays(dtype=floats), st.sampled_from(["add", "multiply", "less", "maximum"]))
def test_marray(x, name):
    marray = pytest.importorskip("marray", reason="marray is absent")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mxp = marray.masked_namespace(np)
        a = mxp.asarray(x.data, mask=np.ma.getmaskarray(x))
        m = fk.asmasked(a)
        back = m.marray()
        assert np.array_equal(back.mask, a.mask) and np.array_equal(back.data[~np.asarray(a.mask)], a.data[~np.asarray(a.mask)])
        wanted = getattr(mxp, name)(a, a)
        same(getattr(fk, name)(m, m), np.ma.MaskedArray(np.asarray(wanted.data), mask=np.asarray(wanted.mask)))
        total = mxp.sum(a, axis=0)
        same(fk.sum(m, axis=0), np.ma.MaskedArray(np.asarray(total.data), mask=np.asarray(total.mask)), 1e-6)
