# SPDX-License-Identifier: MIT
"""Elementwise operations.  tools/python_stubs.py writes this file."""
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar, overload

import numpy
from numpy.typing import NDArray

from ._core import Masked
from .values import Traced

_Array: TypeAlias = NDArray[Any]
_MaskedArray: TypeAlias = numpy.ma.MaskedArray[Any, Any]
_Axis: TypeAlias = int | Sequence[int] | None

class _Unary(Protocol):
    """An operation of one operand: its result is masked where the operand is."""

    @overload
    def __call__(self, x: Masked[Any]) -> Masked: ...
    @overload
    def __call__(self, x: Traced) -> Traced: ...
    @overload
    def __call__(self, x: _MaskedArray) -> Masked: ...
    @overload
    def __call__(self, x: _Array) -> _Array: ...
    @overload
    def __call__(self, x: object) -> Any: ...

class _Binary(Protocol):
    """An operation of two operands: its result is masked if one of them is."""

    @overload
    def __call__(self, a: Traced, b: object) -> Traced: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: object, b: Traced) -> Traced: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: Masked[Any], b: object) -> Masked: ...
    @overload
    def __call__(self, a: object, b: Masked[Any]) -> Masked: ...
    @overload
    def __call__(self, a: _MaskedArray, b: object) -> Masked: ...
    @overload
    def __call__(self, a: _Array | float, b: _MaskedArray) -> Masked: ...
    @overload
    def __call__(self, a: _Array, b: _Array | float) -> _Array: ...
    @overload
    def __call__(self, a: float, b: _Array) -> _Array: ...
    @overload
    def __call__(self, a: object, b: object) -> Any: ...

unary: dict[str, tuple[str, str]]
binary: dict[str, tuple[str, str]]
negative: _Unary
neg: _Unary
positive: _Unary
abs: _Unary
absolute: _Unary
sign: _Unary
square: _Unary
relu: _Unary
reciprocal: _Unary
logical_not: _Unary
isnan: _Unary
isinf: _Unary
isfinite: _Unary
signbit: _Unary
invert: _Unary
bitwise_not: _Unary
bitwise_invert: _Unary
ceil: _Unary
floor: _Unary
trunc: _Unary
fix: _Unary
round: _Unary
rint: _Unary
frac: _Unary
sqrt: _Unary
rsqrt: _Unary
exp: _Unary
exp2: _Unary
expm1: _Unary
log: _Unary
log2: _Unary
log10: _Unary
log1p: _Unary
sigmoid: _Unary
logit: _Unary
sin: _Unary
cos: _Unary
tan: _Unary
arcsin: _Unary
asin: _Unary
arccos: _Unary
acos: _Unary
arctan: _Unary
atan: _Unary
sinh: _Unary
cosh: _Unary
tanh: _Unary
arcsinh: _Unary
asinh: _Unary
arccosh: _Unary
acosh: _Unary
arctanh: _Unary
atanh: _Unary
deg2rad: _Unary
radians: _Unary
rad2deg: _Unary
degrees: _Unary
sinc: _Unary
erf: _Unary
erfc: _Unary
erfinv: _Unary
lgamma: _Unary
gammaln: _Unary
digamma: _Unary
trigamma: _Unary
i0: _Unary
i1: _Unary
add: _Binary
subtract: _Binary
sub: _Binary
multiply: _Binary
mul: _Binary
divide: _Binary
div: _Binary
true_divide: _Binary
floor_divide: _Binary
trunc_divide: _Binary
remainder: _Binary
mod: _Binary
fmod: _Binary
power: _Binary
pow: _Binary
float_power: _Binary
maximum: _Binary
minimum: _Binary
fmax: _Binary
fmin: _Binary
arctan2: _Binary
atan2: _Binary
hypot: _Binary
logaddexp: _Binary
equal: _Binary
eq: _Binary
not_equal: _Binary
ne: _Binary
less: _Binary
lt: _Binary
less_equal: _Binary
le: _Binary
greater: _Binary
gt: _Binary
greater_equal: _Binary
ge: _Binary
logical_and: _Binary
logical_or: _Binary
logical_xor: _Binary
bitwise_and: _Binary
bitwise_or: _Binary
bitwise_xor: _Binary
left_shift: _Binary
bitwise_left_shift: _Binary
right_shift: _Binary
bitwise_right_shift: _Binary
__all__ = ["negative", "neg", "positive", "abs", "absolute", "sign", "square", "relu", "reciprocal", "logical_not", "isnan", "isinf", "isfinite", "signbit", "invert", "bitwise_not", "bitwise_invert", "ceil", "floor", "trunc", "fix", "round", "rint", "frac", "sqrt", "rsqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sigmoid", "logit", "sin", "cos", "tan", "arcsin", "asin", "arccos", "acos", "arctan", "atan", "sinh", "cosh", "tanh", "arcsinh", "asinh", "arccosh", "acosh", "arctanh", "atanh", "deg2rad", "radians", "rad2deg", "degrees", "sinc", "erf", "erfc", "erfinv", "lgamma", "gammaln", "digamma", "trigamma", "i0", "i1", "add", "subtract", "sub", "multiply", "mul", "divide", "div", "true_divide", "floor_divide", "trunc_divide", "remainder", "mod", "fmod", "power", "pow", "float_power", "maximum", "minimum", "fmax", "fmin", "arctan2", "atan2", "hypot", "logaddexp", "equal", "eq", "not_equal", "ne", "less", "lt", "less_equal", "le", "greater", "gt", "greater_equal", "ge", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "bitwise_left_shift", "right_shift", "bitwise_right_shift"]
