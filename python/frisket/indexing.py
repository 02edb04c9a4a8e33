# SPDX-License-Identifier: MIT
"""Subscripts as in NumPy: integers, slices, None, Ellipsis, arrays of integers, a condition."""
import operator

import numpy as np

from .calls import shown
from .errors import DimError, IndexError, TraceError
from .values import Traced, apply


def index(x, key):
    """x[key]."""
    keys = tuple(_listed(k) if isinstance(k, list) else k for k in (key if isinstance(key, tuple) else (key,)))
    if len(keys) == 1 and _is_condition(keys[0]):
        return apply("index_bool", (x, keys[0]))
    if any(isinstance(k, Traced) and not k.ndim and k.tracing.core.is_number(k._node) for k in keys):
        raise TraceError("a traced number is no index: pass it as a static argument, or as an array of int64")
    return _Subscript(x, keys).value()


def _listed(key):
    """A list of indices as an array."""
    try:
        return np.asarray(key)
    except (TypeError, ValueError, OverflowError):
        raise IndexError(f"a list of type {type(key[0]).__name__} is no subscript: write a list of integers") from None


def _bound(part):
    """A part of a slice: None, or an integer that fits int64."""
    if part is None or type(part) is int and abs(part) < 2**63:
        return part
    try:
        return max(-(2**63), min(2**63 - 1, operator.index(part)))
    except TypeError:
        raise IndexError(f"{shown(part)} is no part of a slice: write integers, x[1:3]") from None


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
        start, stop, step = _bound(key.start), _bound(key.stop), _bound(key.step)
        if start is stop is step is None:
            return
        if step is None or step > 0:
            self.x = apply("slice", (self.x,), dim=self.dim, start=start, end=stop, step=1 if step is None else step)
            return
        if step == 0:
            raise IndexError("a slice with a step of 0: write x[start:stop]")
        extent = self.x.shape[self.dim]
        start, stop, step = slice(start, stop, step).indices(extent)
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

