# SPDX-License-Identifier: MIT
"""Gradients of traced functions, and fk.eval."""
import functools
import numbers
import operator
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _core, operations as ops
from .calls import name_of, refused_call, signature_of, truth
from .errors import BindingError, ShapeError, TraceError
from .interop import Masked, asmasked
from .tracing import Compiled, Jit, is_leaf, traced_results
from .trees import flatten, unflatten
from .values import Traced, Tracing, is_number

P = ParamSpec("P")
R = TypeVar("R")


def gradient(e: Any, wrt: Any, upstream: Any = None, allow_unused: bool = False) -> Any:
    """Gradients of sum(e * upstream) by traced values, in a traced function: masked, as sparse as they are.

    `wrt` is a traced value, or a tuple, list or dict of them; the result has its structure.  An input that does not occur
    in e is refused, unless `allow_unused`: then its gradient is specified nowhere."""
    if type(e) is not Traced:
        raise TraceError("fk.gradient takes traced values: write fk.grad(f)(x), or call it in a function of fk.jit")
    inputs = []
    tree, _ = flatten(wrt, is_leaf, inputs, [], "wrt")
    for value in inputs:
        if type(value) is not Traced:
            raise TraceError(f"{e.tracing.name}: a gradient by a value that is not traced: pass it as an argument")
        if e.tracing.core.is_number(value._node):
            raise TraceError(f"{e.tracing.name}: a gradient by a number: pass it as an array of rank 0")
    tracing = e.tracing
    tracing.need_shapes()
    above = None if upstream is None else tracing.node(upstream)
    nodes = tracing.core.gradient(tracing.node(e), [tracing.node(value) for value in inputs], above, truth("allow_unused", allow_unused))
    return unflatten(tree, [Traced(tracing, node) for node in nodes])


def value_and_grad(
    function: Callable[P, R], argnums: int | Sequence[int] = 0, fill: float | None = None
) -> Callable[P, tuple[R, Any]]:
    """A function that returns the value of another and its gradients by some arguments.

    Gradients are masked, in a layout as sparse as they are; with a `fill`, they are dense."""
    inner = function.function if isinstance(function, Jit) else function
    signature_of("value_and_grad", inner)
    is_one, places = _places(argnums)

    @functools.wraps(inner)
    def with_gradients(*args, **keywords):
        value = inner(*args, **keywords)
        if type(value) is not Traced or value.shape != ():
            shape = f" of shape {value.shape}" if type(value) is Traced else f" of type {type(value).__name__}"
            raise ShapeError(f"a gradient of a value{shape}, wanted one number: write fk.sum(...) in the function")
        if builtins_any(n >= len(args) or n < -len(args) for n in places):
            raise BindingError(f"argnums are {argnums}, and the function has {len(args)} arguments by position")
        gradients = gradient(value, [args[n] for n in places], allow_unused=True)
        if fill is not None:
            leaves = []
            tree, _ = flatten(gradients, is_leaf, leaves, [], "")
            gradients = unflatten(tree, [ops.to_dense(leaf, fill) for leaf in leaves])
        return value, gradients[0] if is_one else tuple(gradients)

    return Jit(with_gradients)


def _places(argnums):
    """True if `argnums` is one number; its numbers."""
    is_one = not isinstance(argnums, (tuple, list, set, range))
    try:
        return is_one, tuple(operator.index(n) for n in ((argnums,) if is_one else argnums))
    except TypeError:
        raise BindingError(f"argnums are {argnums!r}, wanted the places of arguments: write argnums=0, or argnums=(0, 1)") from None


def builtins_any(values):
    return next((True for value in values if value), False)


def grad(function: Callable[P, Any], argnums: int | Sequence[int] = 0, fill: float | None = None) -> Callable[P, Any]:
    """A function that returns the gradients of another; see value_and_grad."""
    both = value_and_grad(function, argnums, fill).function

    @functools.wraps(both)
    def gradients(*args, **keywords):
        return both(*args, **keywords)[1]

    return Jit(gradients)


def evaluate(function: Callable[..., R], *args: Any, out: Any = None, **keywords: Any) -> R:
    """The value of a function of arrays, as one expression, interpreted while it is small; `out` is written, or nothing."""
    inner = function.function if isinstance(function, Compiled) else function
    if not callable(inner):
        signature_of("eval", inner)
    tracing = Tracing(name_of(inner), _core.Trace.of_arrays("eval"), "arrays")
    tracing.inputs = []
    leaves = []
    tree, _ = flatten((args, keywords), is_leaf, leaves, [], "")
    values = [leaf if is_number(leaf) or type(leaf) is Traced else Traced(tracing, tracing.core.bind(leaf)) for leaf in leaves]
    tracing.inputs = values
    args, keywords = unflatten(tree, values)
    try:
        results, shape = traced_results(tracing, inner(*args, **keywords))
    except TypeError:
        refused = refused_call(inner, args, keywords)
        if refused is None:
            raise
        raise refused from None
    finally:
        tracing.is_open = False
    like = next((leaf for leaf in leaves if not is_number(leaf) and not isinstance(leaf, Masked)), None)
    made = unflatten(shape, tracing.core.run(results, like) if results else [])
    if out is None:
        return made
    return _write(out, made)


def _write(out, made):
    if isinstance(made, Masked) or not isinstance(out, np.ndarray):
        raise BindingError("out= takes a NumPy array for a dense value: write fk.to_dense(x, fill) in the function")
    if not hasattr(made, "shape"):
        raise BindingError(f"out= takes one dense value, and the function returned one of type {type(made).__name__}: return an array")
    if out.shape != made.shape or out.dtype != made.dtype:
        raise ShapeError(
            f"out= has shape {out.shape} and dtype {out.dtype}, wanted those of the value: {made.shape} and {made.dtype}"
        )
    np.copyto(out, made)
    return out


def check_grad(
    function: Callable[..., Any], *args: Any, masked: bool = True, eps: float = 1e-6, rtol: float = 1e-3, atol: float = 1e-5
) -> bool:
    """Compares gradients of a function of float64 arrays with differences; True if they agree.

    Variables are all elements of dense arrays, and elements of masked ones: those that are specified, or with masked=False all,
    of which the unspecified are 0.  Numbers and arrays of integers and bool are no variables."""
    return check_grad_report(function, *args, masked=masked, eps=eps, rtol=rtol, atol=atol)[0]


def check_grad_report(
    function: Callable[..., Any], *args: Any, masked: bool = True, eps: float = 1e-6, rtol: float = 1e-3, atol: float = 1e-5
) -> tuple[bool, Any, Any]:
    """As check_grad: whether they agree, and both Jacobians, numerical and analytical."""
    signature_of("check_grad", function)
    for name, value in {"eps": eps, "rtol": rtol, "atol": atol}.items():
        if not isinstance(value, numbers.Real) or not (value > 0 if name == "eps" else value >= 0):
            raise BindingError(f"check_grad: {name} is {value!r}, wanted a positive number")
    leaves = []
    tree, _ = flatten(args, is_leaf, leaves, [], "")
    kinds = [_kind(leaf) for leaf in leaves]

    def traced(core, nodes):
        tracing, nodes = Tracing("check_grad", core, "arrays"), iter(nodes)
        tracing.inputs = [_checked(tracing, kind, leaf, nodes) for kind, leaf in zip(kinds, leaves)]
        given = unflatten(tree, tracing.inputs)
        try:
            return tracing.node(function(*given))
        except TypeError:
            refused = refused_call(function, given, {})
            if refused is None:
                raise
            raise refused from None
        finally:
            tracing.end()

    variables = [asmasked(leaf) for kind, leaf in zip(kinds, leaves) if kind in ("dense", "masked")]
    return _core.check_gradient(traced, variables, truth("masked", masked), float(eps), float(rtol), float(atol))


def _kind(leaf):
    """Kind of an argument of check_grad: a "dense" or "masked" variable, an "array" of integers or bool, or a "number"."""
    kind, dtype, _ = _core.describe(leaf)
    if kind not in ("In", "Masked"):
        return "number"
    return "array" if dtype in ("int32", "int64", "bool") else "masked" if kind == "Masked" else "dense"


def _checked(tracing, kind, leaf, nodes):
    """The traced value of an argument: dense if the argument is."""
    if kind == "number":
        return leaf
    if kind == "array":
        return Traced(tracing, tracing.core.bind(leaf))
    value = Traced(tracing, next(nodes))
    return value if kind == "masked" else ops.to_dense(value, 0.0)
