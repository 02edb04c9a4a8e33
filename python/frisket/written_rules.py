# SPDX-License-Identifier: MIT
"""fk.optim.rule: optimizers of a rule that a Python function writes."""
from collections.abc import Iterable

from . import _core
from .calls import name_of, number, shown, signature_of
from .errors import BindingError, TraceError
from .values import NeedsShapes, Traced, Tracing

own_names = ("param", "grad", "t")


def _kind(name, states, options):
    """Kind of an argument of the function, and the dtype that it has whatever the parameter's is."""
    if name == "grad":
        return "Masked", None
    if name in states or name == "param":
        return "InOut", None
    if name == "t" or name in options:
        return "Scalar", "float64"
    return None, None


def _traced(name, function, order, kinds, dtype):
    """The trace of the step for parameters of a dtype."""
    tracing = Tracing(name, _core.Trace(name), "step")
    values = {}
    for argument in order:
        kind, own_dtype = kinds[argument]
        node = tracing.core.symbol(argument, kind, own_dtype or dtype, None)
        values[argument] = Traced(tracing, node, argument if kind == "InOut" else None)
    tracing.inputs = []
    tracing.core.over(tracing.node(values["grad"]))
    try:
        output = function(**values)
    except NeedsShapes:
        raise TraceError(f"{name}: an operation of whole arrays, and a rule is elementwise") from None
    finally:
        tracing.is_open = False
    if output is not None:
        raise TraceError(f"{name}: a rule returned a value, and its step gives none: write param -= ...")
    if tracing.captured:
        raise TraceError(f"{name}: a rule reads an array of its surroundings: make it a state")
    return tracing.core


def written_rule(function, state, options):
    """The rule of a function: param, grad, t, states and options are its arguments, by name."""
    order = list(signature_of("optim.rule", function).parameters)
    name = name_of(function)
    if not isinstance(state, Iterable) or not all(isinstance(one, str) for one in state):
        raise BindingError(f"{name}: state is {shown(state)}, wanted names: write state={{\"m\": 0.0}}, or state=[\"m\"]")
    states = dict(state) if isinstance(state, dict) else dict.fromkeys([state] if isinstance(state, str) else state, 0.0)
    kinds = {argument: _kind(argument, states, options) for argument in order}
    for argument in order:
        if kinds[argument][0] is None:
            raise BindingError(
                f"{name}: the argument {argument} is no state and no option: write fk.optim.rule(state={{\"{argument}\": 0.0}}), "
                f"or fk.optim.rule({argument}=0.1)"
            )
    for wanted in [*states, *options, "param", "grad"]:
        if wanted not in order:
            raise BindingError(f"{name}: {wanted} is no argument of the function, which has {', '.join(order)}")

    def step(dtype):
        return _traced(name, function, order, kinds, dtype)

    numbers = [(option, number(f"{name}: {option}", value)) for option, value in options.items()]
    return _core.written_rule(name, numbers, [(entry, number(f"{name}: {entry}", value)) for entry, value in states.items()], step)
