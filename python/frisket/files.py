# SPDX-License-Identifier: MIT
"""Files of arrays and masked arrays: .safetensors and .npy."""
import json
import os
from typing import Any

import numpy as np

from . import _core
from .calls import path as path_of
from .errors import BindingError, IoError
from .interop import Masked

described = "frisket.masked"  # the text of a file that has the layouts of its masked arrays, as JSON
parted = ("rows", "coo", "csr", "csc", "bsr", "bsc")  # layouts that are kept as their parts


def save(path: str | os.PathLike[str], arrays: Any) -> None:
    """Writes arrays to a file, which is replaced when the new one is whole.

    `x.npy` has one dense array.  `x.safetensors` has a dict of arrays and masked arrays by name; of a masked array "m" it has
    the parts "m.values", "m.mask" or "m.indices", as the layout has them, and every reader of safetensors sees these."""
    path = path_of("save: the path", path)
    if path.endswith(".npy"):
        if arrays is None or isinstance(arrays, (Masked, dict)):
            raise BindingError(f"save: {path} has one dense array: write fk.save(\"x.safetensors\", {{\"m\": m}})")
        _core.save_npy(path, arrays)
        return
    if not path.endswith(".safetensors"):
        raise BindingError(f"save: the name of a file is {path}, wanted one that ends with .npy or .safetensors")
    if not isinstance(arrays, dict):
        raise BindingError('save: a file of safetensors has arrays by name: write fk.save(path, {"x": x})')
    tensors, masked = {}, {}
    for name, array in arrays.items():
        if isinstance(array, Masked):
            masked[name] = {"layout": array.layout, "shape": list(array.shape), "blocksize": array.blocksize}
            tensors.update({f"{name}.{part}": value for part, value in _parts(array).items()})
        else:
            tensors[name] = array
    _core.save_tensors(path, tensors, {described: json.dumps(masked, sort_keys=True)} if masked else {})


def _parts(masked):
    if masked.layout not in parted:
        return {"values": masked.filled(0), "mask": masked.mask}
    parts = {"values": masked.stored_values, "indices": masked.indices}
    if masked.pointers is not None:
        parts["pointers"] = masked.pointers
    if masked.stored_mask is not None:
        parts["mask"] = masked.stored_mask
    return parts


def load(path: str | os.PathLike[str]) -> Any:
    """The array of a file of .npy, or a dict of the arrays and masked arrays of one of .safetensors."""
    path = path_of("load: the path", path)
    if path.endswith(".npy"):
        return _core.load_npy(path)
    if not path.endswith(".safetensors"):
        raise BindingError(f"load: the name of a file is {path}, wanted one that ends with .npy or .safetensors")
    tensors, texts = _core.load_tensors(path)
    try:
        masked = json.loads(texts.get(described, "{}"))
        for name, facts in masked.items():
            layout, shape, blocksize = facts["layout"], facts["shape"], facts["blocksize"]
            parts = {part: tensors.pop(f"{name}.{part}", None) for part in ("values", "mask", "indices", "pointers")}
            tensors[name] = _put_together(layout, shape, blocksize, parts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IoError(f"load: {path}: its masked arrays are not as they were written: {error}") from None
    return tensors


def _put_together(layout, shape, blocksize, parts):
    values, mask, indices, pointers = parts["values"], parts["mask"], parts["indices"], parts["pointers"]
    blocksize = None if blocksize is None else tuple(blocksize)
    if values is None:
        raise KeyError("values")
    if layout not in parted:
        return _core.strided(values, mask).to(layout, blocksize)
    if layout == "rows":
        return _core.rows(shape, indices, values)
    if layout == "coo":
        return _core.coo(shape, np.asarray(indices).reshape(len(shape), -1), values, mask)
    return _core.compressed(layout, shape, pointers, indices, values, blocksize, mask)
