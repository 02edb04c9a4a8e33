# SPDX-License-Identifier: MIT
"""Annotations that describe the parameters of a step or a function without a call: fk.In["float32", "rows", "columns"].

Type checkers take a text in brackets for a name.  For them the dtype is NumPy's, fk.In[np.float32], or a type has the annotation,
Annotated[Array, fk.In["float32", "rows", 3]]."""
import typing
from typing import Any

from . import _core
from .errors import BindingError
from .operations import dtype_name


class Annotation:
    """Kind, dtype and extents of a parameter; extents are names, which stand for any number, and numbers, or None: not given."""

    __slots__ = ("kind", "dtype", "extents")

    def __init__(self, kind, dtype, extents=None):
        self.kind, self.dtype, self.extents = kind, dtype, extents

    def __repr__(self):
        extents = "" if self.extents is None else ", ()" if not self.extents else "".join(f", {e!r}" for e in self.extents)
        return f'fk.{self.kind}["{self.dtype}"{extents}]'


def _array(kind, item):
    """The annotation of an array: a dtype, then its extents; () stands for no dimensions."""
    dtype, *extents = item if isinstance(item, tuple) else (item,)
    known = _core.dtype_named(str(dtype_name(dtype)))
    if len(extents) == 1 and isinstance(extents[0], tuple) and not extents[0]:
        return Annotation(kind, known, ())
    for extent in extents:
        is_name = isinstance(extent, str) and extent.isidentifier() and extent.isascii()
        if not is_name and (isinstance(extent, bool) or not isinstance(extent, int) or extent < 0):
            raise BindingError(f"fk.{kind}: {extent!r} is no extent: write a name, which stands for any extent, or an integer")
    return Annotation(kind, known, tuple(extents) or None)


class In:
    """A dense array that is read: fk.In["float32"], or fk.In["float32", "rows", 3] with its extents."""

    def __class_getitem__(cls, item: Any) -> Any:
        return _array("In", item)


class InOut:
    """A dense array that a step updates: fk.InOut["float32"]."""

    def __class_getitem__(cls, item: Any) -> Any:
        return _array("InOut", item)


class Scalar:
    """A number of each call, which takes the dtype of what it meets: fk.Scalar["float32"], passed as a C double, or
    fk.Scalar["int64"]."""

    def __class_getitem__(cls, item: Any) -> Any:
        dtype = _core.dtype_named(str(dtype_name(item)))
        if dtype not in ("float32", "float64", "int64"):
            raise BindingError(f"fk.Scalar: a number is float32, float64 or int64, and {dtype} came")
        return Annotation("Scalar", "int64" if dtype == "int64" else "float64")


_core.Masked.__class_getitem__ = classmethod(lambda cls, item: _array("Masked", item))
bare = {In: "In", InOut: "InOut", _core.Masked: "Masked"}


def annotation_of(where, name, given):
    """The annotation of a parameter as it was written, in Annotated too.  Errors: BindingError for others."""
    if typing.get_origin(given) is typing.Annotated:
        own = [one for one in given.__metadata__ if isinstance(one, Annotation) or one in (Scalar, _core.Number, *bare)]
        given = own[0] if own else given
    if isinstance(given, Annotation):
        return given
    if given is Scalar:
        return Annotation("Scalar", "float64")
    if given is _core.Number:
        return Annotation("ScalarState", "float64")
    if given in bare:
        raise BindingError(f'{where}: the annotation of {name} names no dtype: write fk.{bare[given]}["float32"]')
    raise BindingError(
        f"{where}: {name} is annotated {given!r}: write fk.In, fk.InOut, fk.Masked or fk.Scalar with a dtype, "
        f'{name}: fk.In["float32"]'
    )


__all__ = ["In", "InOut", "Scalar"]
