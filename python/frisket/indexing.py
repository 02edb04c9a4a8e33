# SPDX-License-Identifier: MIT
"""Subscripts as in NumPy: integers, slices, None, Ellipsis, arrays of integers, a condition."""
import operator

import numpy as np

from .errors import DimError, IndexError, TraceError
from .values import Traced, apply


def index(x, key):
    """x[key]."""
    keys = tuple(np.asarray(k) if isinstance(k, list) else k for k in (key if isinstance(key, tuple) else (key,)))
    if len(keys) == 1 and _is_condition(keys[0]):
        return apply("index_bool", (x, keys[0]))
    if any(isinstance(k, Traced) and not k.ndim and k.tracing.core.is_number(k._node) for k in keys):
        raise TraceError("a traced number is no index: pass it as a static argument, or as an array of int64")
    return _Subscript(x, keys).value()


def _is_array(key):
    return hasattr(key, "shape") and not (key.shape == () and hasattr(key, "__index__") and not isinstance(key, Traced))


def _is_condition(key):
    return _is_array(key) and str(key.dtype).removeprefix("torch.") == "bool"


class _Subscript:
    """Basic subscripts one after the other, then those of arrays."""

    def __init__(self, x, keys):
        self.x = x
        self.dim = 0  # the dimension that the next key is about
        self.arrays, self.places, self.number_places = [], [], []
        for key in self.expanded(keys):
            self.take(key)

    def expanded(self, keys):
        """The keys, with full slices in place of an Ellipsis."""
        count = sum(1 for key in keys if key is not None and key is not Ellipsis)
        missing = self.x.ndim - count
        if missing < 0:
            raise DimError(f"{count} subscripts of a value of {self.x.ndim} dimensions: leave some out")
        if sum(1 for key in keys if key is Ellipsis) > 1:
            raise DimError("two Ellipsis in one subscript: write one")
        for key in keys:
            if key is Ellipsis:
                yield from [slice(None)] * missing
            else:
                yield key

    def take(self, key):
        if key is None:
            self.x = apply("unsqueeze", (self.x,), dim=self.dim)
            self.dim += 1
        elif isinstance(key, slice):
            self.slice(key)
            self.dim += 1
        elif _is_array(key):
            if _is_condition(key):
                raise DimError("a condition among other subscripts: write x[condition] alone")
            self.arrays.append(key)
            self.places.append(self.dim)
            self.dim += 1
        else:
            self.number(key)

    def number(self, key):
        try:
            place = operator.index(key)
        except TypeError:
            raise IndexError(f"{key!r} is no subscript: write an integer, a slice, None or an array") from None
        self.x = apply("select", (self.x,), dim=self.dim, index=place)
        self.number_places.append(self.dim)

    def slice(self, key):
        if key == slice(None):
            return
        step = 1 if key.step is None else operator.index(key.step)
        if step > 0:
            self.x = apply("slice", (self.x,), dim=self.dim, start=key.start, end=key.stop, step=step)
            return
        extent = self.x.shape[self.dim]
        start, stop, step = key.indices(extent)
        flipped = apply("flip", (self.x,), dims=(self.dim,))
        self.x = apply("slice", (flipped,), dim=self.dim, start=extent - 1 - start, end=extent - 1 - stop, step=-step)

    def value(self):
        if not self.arrays:
            return self.x
        first, count = self.places[0], len(self.places)
        is_adjacent = self.places == list(range(first, first + count))
        if self.number_places and not (is_adjacent and all(place in (first, first + count) for place in self.number_places)):
            raise IndexError("integers and arrays among slices: write x[0][:, ids], one after the other")
        x = self.x
        others = [d for d in range(x.ndim) if d not in self.places]
        if self.places != list(range(count)):
            x = apply("permute", (x,), dims=tuple(self.places + others))
        x = apply("index", (x, *self.arrays))
        if is_adjacent and first > 0:
            made = x.ndim - len(others)
            order = list(range(made, made + first)) + list(range(made)) + list(range(made + first, x.ndim))
            x = apply("permute", (x,), dims=tuple(order))
        return x

