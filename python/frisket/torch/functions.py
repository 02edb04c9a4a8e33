# SPDX-License-Identifier: MIT
"""Compiled functions that autograd differentiates, and the norm of gradients of every layout."""
import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

import torch
from torch.autograd.function import once_differentiable

from .. import operations as ops
from ..calls import name_of, refusal, signature_of
from ..errors import BindingError, ShapeError, TraceError
from ..gradients import gradient
from ..interop import Masked, to_torch
from ..tracing import Jit
from ..values import Traced

F = TypeVar("F", bound=Callable[..., Any])


@overload
def function(f: F, *, sparse: str | Iterable[str] = (), static_argnames: str | Iterable[str] = ()) -> F: ...
@overload
def function(
    f: None = None, *, sparse: str | Iterable[str] = (), static_argnames: str | Iterable[str] = ()
) -> Callable[[F], F]: ...
def function(f=None, *, sparse=(), static_argnames=()):  # noqa: E302
    """A function of torch tensors as one operation of autograd, whose backward is one compiled gradient.

    `f` is called with traced values, as a function of fk.jit, and gives a dense value or a tuple of them.  Gradients of the
    arguments that `sparse` names are torch.sparse tensors: of whole rows, or of single elements; those of others are dense.
    Gradients of gradients are refused."""
    if f is None:
        return lambda given: function(given, sparse=sparse, static_argnames=static_argnames)
    return TorchFunction(f, (sparse,) if isinstance(sparse, str) else tuple(sparse), static_argnames)


class TorchFunction:
    """A function that fk.torch.function has made."""

    def __init__(self, f, sparse, static_argnames):
        self.function = f
        self.signature = signature_of("torch.function", f)
        self.sparse = frozenset(sparse)
        unknown = sorted(self.sparse - set(self.signature.parameters))
        if unknown:
            raise BindingError(f"{name_of(f)}: there is no argument {unknown[0]}, which sparse names")
        self.static = static_argnames
        self.forward = Jit(_with_dense_results(f), static_argnames)
        self.backward = {}  # the gradients by each set of arguments
        functools.update_wrapper(self, f)

    def __call__(self, *args, **keywords):
        try:
            bound = self.signature.bind(*args, **keywords)
        except TypeError:
            raise refusal(self.forward.name, self.signature, args, keywords) from None
        bound.apply_defaults()
        names = [name for name, value in bound.arguments.items() if _is_variable(value)]
        if not names or not torch.is_grad_enabled():
            return self.forward(**{name: _detached(value) for name, value in bound.arguments.items()})
        return _Function.apply(self, dict(bound.arguments), names, *(bound.arguments[name] for name in names))

    def gradients(self, names):
        """The compiled gradients by these arguments, of the arguments and what is above."""
        if names not in self.backward:
            self.backward[names] = Jit(functools.partial(self._gradients, names), ())
        return self.backward[names]

    def _gradients(self, names, arguments, above):
        value = self.forward.function(**arguments)
        values = value if isinstance(value, tuple) else (value,)
        total = None
        for one, by in zip(values, above):
            weighted = ops.sum(one * by)
            total = weighted if total is None else total + weighted
        found = gradient(total, [arguments[name] for name in names], allow_unused=True)
        return tuple(one if name in self.sparse else ops.to_dense(one, 0) for name, one in zip(names, found))


def _with_dense_results(f):
    """A function whose results are dense: NaN for a masked number that is specified nowhere."""

    def dense(value):
        if type(value) is Traced and value.is_masked and value.shape == ():
            return ops.to_dense(value, math.nan)
        if type(value) is not Traced or value.is_masked:
            raise TraceError(f"{name_of(f)}: a result is no dense value of the function: write fk.to_dense(x, fill) in it")
        return value

    @functools.wraps(f)
    def with_dense_results(*args, **keywords):
        value = f(*args, **keywords)
        return tuple(dense(one) for one in value) if isinstance(value, tuple) else dense(value)

    return with_dense_results


def _is_variable(value):
    return isinstance(value, torch.Tensor) and value.requires_grad


def _detached(value):
    return value.detach() if _is_variable(value) else value


class _Function(torch.autograd.Function):
    """The operation of autograd: a call with these arguments, some of which are differentiated."""

    @staticmethod
    def forward(ctx, called, arguments, names, *tensors):
        ctx.called, ctx.names = called, names
        ctx.others = {name: value for name, value in arguments.items() if name not in names}
        ctx.save_for_backward(*tensors)
        arguments = {name: _detached(value) for name, value in arguments.items()}
        return called.forward(**arguments)

    @staticmethod
    @once_differentiable
    def backward(ctx, *above):
        needed = tuple(name for name, is_needed in zip(ctx.names, ctx.needs_input_grad[3:]) if is_needed)
        arguments = {**ctx.others, **{name: x.detach() for name, x in zip(ctx.names, ctx.saved_tensors)}}
        given = tuple(one.contiguous() for one in above)
        found = dict(zip(needed, ctx.called.gradients(needed)(arguments, given)))
        return None, None, None, *(_gradient(found.get(name), x) for name, x in zip(ctx.names, ctx.saved_tensors))


def _gradient(found, tensor):
    if isinstance(found, Masked):
        return to_torch(found if found.layout in ("rows", "coo") else found.to("rows" if tensor.ndim == 2 else "coo"))
    return found


def clip_grad_norm_(
    parameters: torch.Tensor | Iterable[torch.Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> torch.Tensor:
    """Scales gradients, dense and sparse ones, so that the norm of all their elements is at most `max_norm`.

    Gives that norm before.  Duplicates of sparse gradients are added up first: torch's function refuses sparse ones."""
    parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    stored = []
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if parameter.grad.layout is torch.sparse_coo:
            parameter.grad = parameter.grad.coalesce()
        is_strided = parameter.grad.layout is torch.strided
        stored.append((parameter.grad if is_strided else parameter.grad.values()).detach())
    if not stored:
        return torch.tensor(0.0)
    if float(max_norm) < 0:
        raise ShapeError(f"clip_grad_norm_: max_norm is {max_norm}, wanted a number of at least 0")
    norms = torch.stack([torch.linalg.vector_norm(values, norm_type).to(torch.float64) for values in stored])
    norm = torch.linalg.vector_norm(norms, norm_type)
    if error_if_nonfinite and not torch.isfinite(norm):
        raise RuntimeError(f"clip_grad_norm_: the norm of all gradients is {norm.item()}: pass error_if_nonfinite=False to go on")
    factor = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    for values in stored:
        values.mul_(factor.to(values.dtype))
    return norm.to(stored[0].dtype)
