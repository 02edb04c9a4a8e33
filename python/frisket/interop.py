# SPDX-License-Identifier: MIT
"""Masked containers of other libraries, without a look at what they leave out."""
import sys
from typing import Any

import numpy as np

from . import _core, arrow
from .errors import BindingError, LayoutError

Masked = _core.Masked


def asmasked(x: Any) -> Masked:
    """np.ma, marray, scipy.sparse, torch.sparse, a column of Arrow or a dense array as fk.Masked; stored zeros are specified."""
    if isinstance(x, Masked):
        return x
    if isinstance(x, np.ma.MaskedArray):
        return _core.strided(x.data, ~np.ma.getmaskarray(x))
    if hasattr(x, "format") and hasattr(x, "tocoo"):
        return _of_scipy(x)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        if type(x).__name__ == "MaskedTensor":
            values, mask = x.get_data(), x.get_mask()
            if values.layout is not torch.strided:
                raise LayoutError("a MaskedTensor of a sparse layout: write x.to_dense()")
            return _core.strided(values.detach(), mask)
        if x.layout is not torch.strided:
            return _of_torch(x, torch)
    if type(x).__module__.partition(".")[0] == "marray":
        return _core.strided(np.asarray(x.data), ~np.asarray(x.mask))
    if arrow.is_column(x):
        return arrow.of_column(x)
    if hasattr(x, "shape"):
        return _core.strided(x, np.broadcast_to(np.True_, tuple(x.shape)))
    raise BindingError(f"a value of type {type(x).__name__} is no array: write fk.masked(values, mask)")


def _of_scipy(x):
    kind = x.format
    if kind in ("csr", "csc"):
        x = x if x.has_canonical_format else _canonical(x)
        return _core.compressed(kind, list(x.shape), x.indptr, x.indices, x.data, None, None)
    x = x.tocoo()
    return _core.coo(list(x.shape), np.stack([x.row, x.col]), x.data, None)


def _canonical(x):
    x = x.copy()
    x.sum_duplicates()
    return x


def _of_torch(x, torch):
    values = lambda: x.values().detach().contiguous()  # noqa: E731
    shape = list(x.shape)
    if x.layout is torch.sparse_coo:
        positions, stored = x._indices(), x._values().detach()
        if x.sparse_dim() == len(shape):
            return _core.coo(shape, positions, stored, None)
        if x.sparse_dim() == 1:
            return _core.rows(shape, positions[0].contiguous(), stored)
    elif x.layout is torch.sparse_csr:
        return _core.compressed("csr", shape, x.crow_indices(), x.col_indices(), values(), None, None)
    elif x.layout is torch.sparse_csc:
        return _core.compressed("csc", shape, x.ccol_indices(), x.row_indices(), values(), None, None)
    elif x.layout is torch.sparse_bsr:
        block = tuple(x.values().shape[-2:])
        return _core.compressed("bsr", shape, x.crow_indices(), x.col_indices(), values(), block, None)
    elif x.layout is torch.sparse_bsc:
        block = tuple(x.values().shape[-2:])
        return _core.compressed("bsc", shape, x.ccol_indices(), x.row_indices(), values(), block, None)
    raise LayoutError(f"a torch tensor of layout {x.layout} with {x.sparse_dim()} sparse dimensions: write x.coalesce().to_sparse()")


def to_scipy(self):
    """A scipy.sparse matrix of the specified elements: csr, or csc if that is the layout."""
    import scipy.sparse

    layout = "csc" if self.layout == "csc" else "csr"
    made = self.to(layout)
    kind = getattr(scipy.sparse, f"{layout}_matrix")
    return kind((made.stored_values, made.indices, made.pointers), shape=self.shape)


def to_torch(self):
    """A torch tensor of the specified elements: torch.sparse of this layout; of rows a hybrid COO tensor; else a MaskedTensor."""
    import torch

    layout, shape = self.layout, self.shape
    tensor = lambda array: torch.as_tensor(np.asarray(array))  # noqa: E731
    if layout in ("rows", "coo"):
        indices = tensor(self.indices)[None] if layout == "rows" else tensor(self.indices)
        checked = {"check_invariants": False, "is_coalesced": self.is_coalesced}  # frisket has checked them
        return torch.sparse_coo_tensor(indices, tensor(self.stored_values), shape, **checked)
    if layout in ("csr", "csc", "bsr", "bsc"):
        parts = tensor(self.pointers), tensor(self.indices), tensor(self.stored_values)
        return torch.sparse_compressed_tensor(*parts, size=shape, layout=getattr(torch, f"sparse_{layout}"), check_invariants=False)
    return torch.masked.masked_tensor(tensor(self.filled(0)), tensor(self.mask))


def to_marray(self):
    """A masked array of marray over NumPy, whose mask is True where elements are masked out."""
    import marray

    return marray.masked_namespace(np).asarray(self.filled(0), mask=~self.mask)
