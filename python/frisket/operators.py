# SPDX-License-Identifier: MIT
"""Python's operators, methods and NumPy's protocols for Masked and traced values."""
from typing import Any

from . import _core, operations as ops
from .errors import BindingError, TraceError
from .indexing import index
from .values import Traced

# Operators: the method without underscores, and the operation.
binary_operators = {
    "add": ops.add, "sub": ops.subtract, "mul": ops.multiply, "truediv": ops.divide,
    "floordiv": ops.floor_divide, "mod": ops.remainder, "pow": ops.power, "matmul": ops.matmul,
    "and": ops.bitwise_and, "or": ops.bitwise_or, "xor": ops.bitwise_xor,
    "lshift": ops.left_shift, "rshift": ops.right_shift,
}  # fmt: skip
comparisons = {"eq": ops.equal, "ne": ops.not_equal, "lt": ops.less, "le": ops.less_equal, "gt": ops.greater, "ge": ops.greater_equal}
unary_operators = {"neg": ops.negative, "pos": ops.positive, "abs": ops.abs, "invert": ops.invert}
methods = """sum prod mean min max amin amax any all logsumexp argmin argmax median var std norm softmax
    log_softmax cumsum cumprod reshape ravel flatten permute swapaxes squeeze unsqueeze expand flip roll diagonal
    take gather clip clamp astype exp log sqrt square sigmoid tanh relu abs round matmul""".split()


def _reversed(function):
    return lambda self, other: function(other, self)


def _updating(name, function):
    def method(self, other):
        return update(self, function(self, other), f"{name}=")

    return method


def _is_all(key):
    return key is Ellipsis or isinstance(key, slice) and key == slice(None)


class Everywhere:
    """An array of a step, all elements of which an update writes; see fk.everywhere."""

    def __init__(self, target):
        if type(target) is not Traced or target.parameter is None:
            raise TraceError("fk.everywhere takes an array that a step updates: write fk.everywhere(x)[...] = e")
        self.target = target

    def __setitem__(self, key, value):
        if not _is_all(key):
            raise TraceError("fk.everywhere(x)[i] = e: write fk.everywhere(x)[...] = e")
        store(self.target, value, True)


def everywhere(target: Any) -> Everywhere:
    """In a step that has masked updates: fk.everywhere(x)[...] = e writes all elements, on purpose."""
    return Everywhere(target)


def over(masked: Any) -> None:
    """In a step: restricts every later update to the elements that a masked argument specifies."""
    if type(masked) is not Traced or masked.tracing.kind != "step":
        raise TraceError("fk.over takes a masked argument of a step")
    masked.tracing.core.over(masked.tracing.node(masked))


def store(target, value, is_everywhere=False):
    """An update of an array of a step."""
    tracing = target.tracing
    tracing.core.update(target.parameter, tracing.node(value), is_everywhere)


def update(target, value, how):
    """`x += e` in a step: an update of x; of a value of the trace: another value under its name."""
    if target.parameter is not None:
        store(target, value)
        return target
    if any(target is value for value in target.tracing.inputs):
        if target.tracing.kind == "function":
            raise TraceError(
                f"{target.tracing.name}: {how} would update an argument, and a function of fk.jit updates nothing: "
                "write x = x + e, or @fk.step"
            )
        if target.is_masked:
            raise TraceError(
                f"{target.tracing.name}: {how} would update a masked argument, and a step updates dense arrays: write y = x + e"
            )
    return value


def _set_item(self, key, value):
    if not _is_all(key):
        raise TraceError(
            f"{self.tracing.name}: an update of a part, x[i] = e: write x[...] = fk.where(condition, e, x)"
        )
    if self.parameter is None:
        raise TraceError(f"{self.tracing.name}: x[...] = e updates an array of a step, and x is none")
    store(self, value)


def _ufunc(self, ufunc, method, *inputs, **keywords):
    function = getattr(ops, ufunc.__name__, None)
    if method != "__call__" or function is None or keywords:
        what = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise BindingError(f"np.{what} of a frisket value with these arguments: write an operation of frisket")
    return function(*inputs)


def _function(self, function, types, arguments, keywords):
    found = getattr(ops, function.__name__, None)
    if found is None:
        raise BindingError(f"np.{function.__name__} has no row in frisket: write fk.to_dense(x, fill) first")
    return found(*arguments, **keywords)


def install(cls):
    for name, function in binary_operators.items():
        setattr(cls, f"__{name}__", function)
        setattr(cls, f"__r{name}__", _reversed(function))
    for name, function in {**comparisons, **unary_operators}.items():
        setattr(cls, f"__{name}__", function)
    for name in methods:
        if not hasattr(cls, name):
            setattr(cls, name, getattr(ops, name))
    cls.__hash__ = object.__hash__
    cls.__getitem__ = index
    cls.transpose = lambda self, *axes: ops.transpose(self, axes[0] if len(axes) == 1 else axes or None)
    cls.T = property(ops.transpose)
    cls.to_dense = ops.to_dense
    cls.__array_ufunc__ = _ufunc
    cls.__array_function__ = _function


install(Traced)
install(_core.Masked)
for _name, _operation in binary_operators.items():
    setattr(Traced, f"__i{_name}__", _updating(_name, _operation))
Traced.__setitem__ = _set_item
Traced.count, Traced.filled, Traced.mask = ops.count, ops.filled, property(ops.mask_of)
