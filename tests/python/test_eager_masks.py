# SPDX-License-Identifier: MIT
"""Operations that run one by one: a reduction is joined with its operand; other masks that differ are refused."""
import gc
import weakref

import frisket as fk
import numpy as np
import pytest

rng = np.random.default_rng(48)
values = rng.normal(size=(5, 4)).astype("float32")
mask = rng.random((5, 4)) < 0.6
mask[:, 2] = False  # a column that is specified nowhere
mask[:, 3] = True


def masked():
    return fk.masked(values, mask)


def of_numpy():
    return np.ma.MaskedArray(values, mask=~mask)


def check(made, wanted):
    """Equal to np.ma's result, masks and specified elements."""
    wanted = wanted.numpy() if isinstance(wanted, fk.Masked) else np.ma.asarray(wanted)
    assert np.array_equal(made.mask, ~np.ma.getmaskarray(wanted))
    assert np.allclose(made.numpy().filled(7), wanted.filled(7), rtol=1e-5, atol=1e-6)


def test_anomaly_and_standard_score():
    a, n = masked(), of_numpy()
    check(a - a.mean(0), n - n.mean(0))
    check(a.mean(axis=0) - a, n.mean(0) - n)
    check((a - a.mean(0)) / a.std(0), (n - n.mean(0)) / n.std(0))
    check(a - a.mean(axis=1, keepdims=True), n - n.mean(1)[:, None])
    check(a / a.sum(), n / n.sum())
    check(a - fk.median(a, axis=0), a - fk.eval(lambda a: fk.to_dense(fk.median(a, axis=0), 0.0), a).astype("float32"))


def test_softmax_of_a_product():
    w = rng.normal(size=(5, 4)).astype("float32")
    m = masked()
    made = fk.softmax(m * w, axis=1)
    assert np.array_equal(made.mask, mask)
    assert np.allclose(made.filled(0).sum(1)[mask.any(1)], 1)
    check(fk.exp(m) / fk.sum(fk.exp(m), axis=1, keepdims=True), fk.softmax(m, axis=1).numpy())


def test_functions_of_reductions_and_of_what_was_reduced():
    a, n = masked(), of_numpy()
    scaled = a * 2.0 + 1.0
    check(scaled - fk.sqrt(fk.square(a).mean(0)), n * 2 + 1 - np.ma.sqrt((n * n).mean(0)))
    check(a.T - a.mean(0)[:, None], (n - n.mean(0)).T)
    check(a.max(0) - a.max(), n.max(0) - n.max())
    check(a > a.mean(0), n > n.mean(0))
    check(fk.where(a > a.mean(0), a, a.mean(0)), np.ma.where(n > n.mean(0), n, n.mean(0)))
    check(fk.on(a, a.mean(0)), np.ma.MaskedArray(np.broadcast_to(n.mean(0).filled(0), n.shape), mask=~mask))
    assert float((a - a.mean()).mean()) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("layout", ["coo", "csr", "csc", "bitmask"])
def test_layouts(layout):
    a, n = masked().to(layout), of_numpy()
    check((a - a.mean(0)) / a.std(0), (n - n.mean(0)) / n.std(0))
    assert (a * a.mean(0)).layout in (layout, "strided")


def test_copies_are_what_they_are_copies_of():
    a, n = masked(), of_numpy()
    check(a.copy() - a.mean(0), n - n.mean(0))
    check(a - a.mean(0).copy(), n - n.mean(0))
    check(a.to("csr") - a.mean(0), n - n.mean(0))


def test_masks_that_merely_differ_are_refused():
    a, b = masked(), masked()
    reduced = a.mean(0)
    with pytest.raises(fk.MaskMismatch):
        fk.masked(values, ~mask) - reduced  # another array's mean
    with pytest.raises(fk.MaskMismatch):
        b - reduced  # as above, though the masks are equal
    with pytest.raises(fk.MaskMismatch):
        a - fk.masked(reduced.filled(0), reduced.mask)  # an array of one's own
    with pytest.raises(fk.MaskMismatch):
        fk.masked(a, values > 0) - reduced  # a part of the reduced dimensions
    with pytest.raises(fk.MaskMismatch):
        a[1:] - reduced
    with pytest.raises(fk.MaskMismatch):
        a.mean(0) - a.mean(1, keepdims=True)
    square = fk.masked(values[:4], mask[:4])
    with pytest.raises(fk.MaskMismatch):
        square - square.mean(1)  # along the other dimension
    with pytest.raises(fk.MaskMismatch):
        fk.jit(lambda a, r: a - r)(a, reduced)  # a function knows only its arguments


def test_a_mask_that_was_changed_since_is_refused():
    x, m = np.ones((2, 3), "float32"), np.array([[True, False, True], [True, False, False]])
    a = fk.masked(x, m)
    mean = a.mean(0)
    m[1, 1] = True
    with pytest.raises(fk.MaskMismatch, match="operand 2 is a reduction of operand 1.*reduce it again"):
        a - mean
    assert (a - a.mean(0)).count() == 4


def test_intersections_and_unions_are_those_of_masks():
    a = masked()
    assert np.array_equal(fk.intersect(fk.add, a, a.mean(0)).mask, mask)
    assert np.array_equal(fk.unite(fk.add, a, a.sum(0)).mask, np.broadcast_to(mask.any(0), mask.shape))


def test_a_reduction_keeps_no_memory_of_what_was_reduced():
    a = masked()
    dead = weakref.ref(a)
    mean = a.mean(0)
    for _ in range(50):
        mean = mean * 0.5 + mean.max()
        mean = fk.flip(mean, 0)
    del a
    gc.collect()
    assert dead() is None and mean.shape == (4,)


def test_transpose_exchanges_two_dimensions_as_in_torch():
    x = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(fk.transpose(x, 0, 2), x.swapaxes(0, 2))
    assert np.array_equal(fk.transpose(x, (1, 0, 2)), x.transpose(1, 0, 2))
    assert np.array_equal(fk.transpose(x), x.T)
