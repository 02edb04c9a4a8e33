# SPDX-License-Identifier: MIT
"""Columns of Arrow and masked arrays of marray as fk.Masked, and back."""
import gc

import frisket as fk
import numpy as np
import pytest


@pytest.mark.parametrize("length", [0, 1, 7, 8, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_columns_of_pyarrow(length, dtype):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is absent")
    rng = np.random.default_rng(length)
    values, is_null = rng.integers(0, 9, length).astype(dtype), rng.random(length) < 0.3
    column = pyarrow.array(values, mask=is_null)
    for first in (0, 1, 64):
        m = fk.asmasked(column[first:])
        assert m.dtype == dtype and np.array_equal(m.mask, ~is_null[first:])
        assert np.array_equal(m.filled(0), np.where(is_null, 0, values)[first:])
    assert fk.asmasked(column).numpy().tolist() == column.to_pylist()
    whole = fk.asmasked(pyarrow.array(values))
    assert whole.count() == length
    back = fk.asmasked(column).arrow()
    assert back.equals(column.cast(back.type))


def test_memory_is_read_in_place_and_kept():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is absent")
    column = pyarrow.array(np.arange(64, dtype=np.float32), mask=np.arange(64) % 3 == 0)
    m = fk.asmasked(column)
    assert m.layout == "bitmask" and m.stored_values.ctypes.data == column.buffers()[1].address
    del column
    gc.collect()
    np.ones(1 << 16)
    assert fk.sum(m).item() == sum(i for i in range(64) if i % 3)


def test_columns_of_several_parts():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is absent")
    column = pyarrow.chunked_array([[1.0, None], [], [3.0]], type=pyarrow.float64())
    for _ in range(3):
        m = fk.asmasked(column)
        assert m.numpy().tolist() == [1.0, None, 3.0]
    assert fk.asmasked(pyarrow.chunked_array([], type=pyarrow.int32())).shape == (0,)


def test_columns_of_polars_are_operands():
    polars = pytest.importorskip("polars", reason="Polars is absent")
    frame = polars.DataFrame({"x": [1.0, None, 3.0, 5.0], "w": [1.0, 2.0, None, 4.0]})
    assert fk.mean(frame["x"]).item() == 3
    x, w = fk.asmasked(frame["x"]), fk.asmasked(frame["w"])
    both = fk.intersect(fk.multiply, x, w)
    assert both.numpy().tolist() == [1.0, None, None, 20.0]
    assert fk.jit(lambda x: x * 2)(frame["x"]).numpy().tolist() == [2.0, None, 6.0, 10.0]


def test_what_is_refused():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is absent")
    for column in (pyarrow.array(["a"]), pyarrow.array([[1.0]]), pyarrow.table({"x": [1.0]}), pyarrow.array([1], pyarrow.int16())):
        with pytest.raises(fk.DTypeError, match="cast it; of a table take one column"):
            fk.asmasked(column)
    with pytest.raises(fk.DTypeError):
        fk.asmasked(pyarrow.array(["a", "b"]).dictionary_encode())
    with pytest.raises(fk.LayoutError, match="one dimension"):
        fk.masked(np.ones((2, 2)), np.ones((2, 2), bool)).arrow()


def test_masked_arrays_of_marray():
    marray = pytest.importorskip("marray", reason="marray is absent")
    x = marray.masked_namespace(np).asarray([[1.0, 2.0], [3.0, 4.0]], mask=[[True, False], [False, False]])
    m = fk.asmasked(x)
    assert m.mask.tolist() == [[False, True], [True, True]]
    assert fk.mean(x).item() == 3
    back = m.marray()
    assert back.mask.tolist() == x.mask.tolist() and back.data[1, 1] == 4
