# SPDX-License-Identifier: MIT
"""Constructors of masked arrays, and what fk.Masked has besides operations."""
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, operations as ops
from .arrow import to_arrow
from .calls import shown, wholes
from .display import masked_html
from .errors import BindingError, InvalidValueError, ShapeError
from .interop import asmasked, to_marray, to_scipy, to_torch
from .values import Traced, apply

Masked = _core.Masked
Number = _core.Number
index_dtypes = (np.dtype("int32"), np.dtype("int64"))


def array(x):
    """An array as it is; a list or a number as a NumPy array.  Errors: BindingError for None, and for lists of lists of several lengths."""
    if x is None:
        raise BindingError("None came, wanted an array, a list or a number")
    return _array_of(x) if isinstance(x, (list, tuple, bool, int, float)) else x


def _array_of(given):
    try:
        return np.asarray(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise BindingError(f"a list makes no array: {error}") from None


def indices(x):
    """A list of integers as int64, an array as it is.  Errors: BindingError for a list of anything else."""
    if not isinstance(x, (list, tuple)):
        return array(x)
    made = _array_of(x)
    if made.size > 0 and made.dtype.kind not in "iu":
        raise BindingError(f"a list of indices has elements of {made.dtype}, wanted integers: {x!r}")
    return made.astype(np.int64)


def masked(values: Any, mask: Any) -> Masked:
    """An array that is specified where `mask`, an array of bool, is True."""
    values, mask = array(values), array(mask)
    if type(values) is Traced or type(mask) is Traced or isinstance(values, Masked):
        return apply("make", (values, mask))
    if isinstance(mask, Masked):
        mask = ops.to_dense(mask, False)
    return _core.strided(values, mask)


def rows(shape: Sequence[int], ids: Any, values: Any) -> Masked:
    """Whole rows: `values[i]` is row `ids[i]`; rows given twice add."""
    return _core.rows(wholes("shape", shape), indices(ids), array(values))


def coo(shape: Sequence[int], indices_: Any, values: Any, values_mask: Any = None) -> Masked:
    """Single elements: `indices_` is [rank, stored]; elements given twice add."""
    if isinstance(indices_, (list, tuple)):
        made, rank = indices(indices_), len(wholes("shape", shape))
        if rank == 0 or made.size % rank != 0:
            raise ShapeError(f"coo: {made.size} indices, wanted {rank} for each stored element: [rank, stored]")
        indices_ = made.reshape(rank, -1)
    return _core.coo(wholes("shape", shape), array(indices_), array(values), values_mask)


def csr(shape: Sequence[int], row_pointers: Any, columns: Any, values: Any, values_mask: Any = None) -> Masked:
    """Matrices by rows: the entries of row i are row_pointers[i] to row_pointers[i + 1]."""
    return _core.compressed("csr", wholes("shape", shape), indices(row_pointers), indices(columns), array(values), None, values_mask)


def csc(shape: Sequence[int], column_pointers: Any, rows_: Any, values: Any, values_mask: Any = None) -> Masked:
    """Matrices by columns."""
    return _core.compressed("csc", wholes("shape", shape), indices(column_pointers), indices(rows_), array(values), None, values_mask)


def _blocks(blocksize):
    made = wholes("blocksize", blocksize)
    if len(made) != 2:
        raise BindingError(f"blocksize is {shown(blocksize)}, wanted two integers: rows and columns of a block")
    return tuple(made)


def bsr(
    shape: Sequence[int], blocksize: tuple[int, int], row_pointers: Any, columns: Any, values: Any, values_mask: Any = None
) -> Masked:
    """Matrices of blocks, by rows of blocks."""
    return _core.compressed("bsr", wholes("shape", shape), indices(row_pointers), indices(columns), array(values), _blocks(blocksize), values_mask)


def bsc(
    shape: Sequence[int], blocksize: tuple[int, int], column_pointers: Any, rows_: Any, values: Any, values_mask: Any = None
) -> Masked:
    """Matrices of blocks, by columns of blocks."""
    return _core.compressed("bsc", wholes("shape", shape), indices(column_pointers), indices(rows_), array(values), _blocks(blocksize), values_mask)


def two_four(shape: Sequence[int], slots: Any, values: Any, values_mask: Any = None) -> Masked:
    """Matrices with two stored of each four columns: `slots` are their places in the four, 0 to 3."""
    return _core.two_four(wholes("shape", shape), indices(slots), array(values), values_mask)


def bitmask(values: Any, words: Any) -> Masked:
    """Values and one bit an element, in 64-bit words, row-major."""
    return _core.bitmask(array(values), indices(words))


def _count(self, axis=None, **keywords):
    if axis is None and not keywords:
        return self.specified_count()
    return ops.count(self, axis, **keywords)


def _numpy(self):
    """np.ma, whose mask is True where elements are masked out."""
    return np.ma.MaskedArray(self.filled(0), mask=~self.mask)


def _len(self):
    if self.ndim == 0:
        raise ShapeError("len() of a masked number: it has no dimension")
    return self.shape[0]


def _refuse_array(self, dtype=None, copy=None):
    ways = "float(x) or x.item()" if self.ndim == 0 else "x.filled(value), x.numpy() or fk.values_of(x)"
    raise BindingError(f"np.asarray(masked) would forget the mask: write {ways}")


def _refuse_truth(self):
    if self.size == 1:
        return bool(self.item())
    raise InvalidValueError("the truth of a masked array of several elements: write fk.any(x) or fk.all(x)")


def _reduce(self):
    return _rebuilt, (self.filled(0), self.mask, self.layout, self.blocksize)


def _rebuilt(values, mask, layout, blocksize):
    return _core.strided(values, mask).to(layout, blocksize)


for _name, _member in {
    "count": _count, "numpy": _numpy, "scipy": to_scipy, "torch": to_torch, "marray": to_marray, "arrow": to_arrow,
    "_repr_html_": masked_html, "__len__": _len, "__iter__": lambda self: (self[i] for i in range(len(self))),
    "__array__": _refuse_array, "__bool__": _refuse_truth, "__float__": lambda self: float(self.item()),
    "__int__": lambda self: int(self.item()), "__reduce__": _reduce, "is_masked": True,
}.items():  # fmt: skip
    setattr(Masked, _name, _member)
__all__ = ["Masked", "Number", "asmasked", "masked", "rows", "coo", "csr", "csc", "bsr", "bsc", "two_four", "bitmask"]
