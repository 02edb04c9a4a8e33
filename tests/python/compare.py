# SPDX-License-Identifier: MIT
"""Compares Python's results with the results that a reference case expects."""
import frisket as fk
import numpy as np

from cases import numbers


def difference(got, want, rtol, atol):
    """A sentence on the first difference; empty if all are equal."""
    if want["kind"] == "text":
        return "" if got == want["text"] else f"text {got!r}, want {want['text']!r}"
    if want["kind"] == "scalar":
        return _values(np.asarray(got), [want["value"]], want["dtype"], rtol, atol, None)
    if want["kind"] == "dense":
        if not isinstance(got, np.ndarray):
            return f"a {type(got).__name__}, want a dense array"
        return _form(got, want) or _values(got, want["data"], want["dtype"], rtol, atol, None)
    if not isinstance(got, fk.Masked):
        return f"a {type(got).__name__}, want fk.Masked"
    return _form(got, want) or _masked(got, want, rtol, atol)


def _form(got, want):
    if str(got.dtype) != want["dtype"]:
        return f"dtype {got.dtype}, want {want['dtype']}"
    if list(got.shape) != want["shape"]:
        return f"shape {got.shape}, want {want['shape']}"
    return ""


def _masked(got, want, rtol, atol):
    mask = numbers(want["mask"], "bool").reshape(want["shape"])
    if not np.array_equal(got.mask, mask):
        return f"mask {got.mask.tolist()}, want {mask.tolist()}"
    return _values(got.filled(0), want["data"], want["dtype"], rtol, atol, mask)


def _values(got, data, dtype, rtol, atol, mask):
    want = numbers(data, dtype).ravel()
    got = np.asarray(got).ravel()
    if mask is not None:
        got, want = got[mask.ravel()], want[mask.ravel()]
    if got.dtype.kind == "f":
        fits = np.isclose(got.astype("float64"), want.astype("float64"), rtol=rtol, atol=atol, equal_nan=True)
    else:
        fits = got == want
    wrong = np.flatnonzero(~fits)
    return "" if wrong.size == 0 else f"value {wrong[0]}: {got[wrong[0]]!r}, want {want[wrong[0]]!r}"


def storage_difference(got, want):
    """Difference between the lists of a masked array and those that a case about layouts expects."""
    layout = "two_four" if want["layout"] == "s24" else want["layout"]
    if got.layout != layout:
        return f"layout {got.layout}, want {layout}"
    for field, name in (("indices", "indices"), ("slots", "indices"), ("col", "indices"), ("row", "indices"),
                        ("crow", "pointers"), ("ccol", "pointers")):  # fmt: skip
        if field in want and getattr(got, name).tolist() != want[field]:
            return f"{field} {getattr(got, name).tolist()}, want {want[field]}"
    return ""
