# SPDX-License-Identifier: MIT
"""Annotations of parameters.  tools/python_stubs.py writes this file."""
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar, overload

import numpy
from numpy.typing import NDArray
from typing_extensions import TypeVar as _TypeVar


_DType = _TypeVar("_DType", bound=numpy.generic, default=Any)

class Annotation:
    kind: Any
    dtype: Any
    extents: Any
    def __init__(self, kind: Any, dtype: Any, extents: Any = None) -> None: ...

In: TypeAlias = NDArray[_DType] | Any
InOut: TypeAlias = NDArray[_DType] | Any
Scalar: TypeAlias = float | _DType
bare: dict[Any, str]
def annotation_of(where: Any, name: Any, given: Any) -> Annotation | None: ...
__all__ = ["In", "InOut", "Scalar"]
