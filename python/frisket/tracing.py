# SPDX-License-Identifier: MIT
"""fk.jit and fk.step: Python functions that are traced once for each kind of call, and compiled."""
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

import numpy as np

from . import _core
from .calls import refusal, signature_of
from .errors import BindingError, TraceError
from .interop import Masked
from .trees import Leaf, flatten, unflatten
from .values import NeedsShapes, Traced, Tracing

F = TypeVar("F", bound=Callable[..., Any])


def is_leaf(value):
    """True for arrays, masked arrays, traced values and numbers, of which bool is none."""
    if isinstance(value, (bool, np.bool_, str)) or value is None or isinstance(value, type):
        return False
    return isinstance(value, (Traced, Masked, int, float, np.ndarray)) or _core.is_array(value)


class Entry:
    """A trace that was compiled, and how its results are put together."""

    def __init__(self, kernel, captured, tree=None):
        self.kernel = kernel
        self.captured = captured
        self.tree = tree


class Compiled(_core.Dispatcher):
    """Base of jitted functions and steps: arguments are flattened, and traces kept by their kinds.

    A call whose like was made before, with arrays and numbers alone, is run by the base class."""

    kind = "jit"

    def __init__(self, function, static_argnames=(), target="", schedule=""):
        self.function = function
        self.signature = signature_of(self.kind, function)
        self.target, self.schedule = self.text("target", target), self.text("schedule", schedule)
        self.static = self.names("static_argnames", static_argnames)
        super().__init__(*self.parameters(bool(self.static)))
        unknown = [name for name in self.static if name not in self.signature.parameters]
        if unknown:
            raise BindingError(f"{self.name}: there is no argument {unknown[0]}, which static_argnames names")
        self.traces = {}
        functools.update_wrapper(self, function)

    def text(self, option, value):
        """An option as a text, "" for None."""
        if value is not None and not isinstance(value, str):
            raise BindingError(f"{self.name}: {option} is {value!r}, wanted a text")
        return value or ""

    def names(self, option, value):
        """An option that names arguments, one or several."""
        names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
        if names is None or not all(isinstance(name, str) for name in names):
            raise BindingError(f'{self.name}: {option} is {value!r}, wanted names: write {option}="n", or {option}=["n", "m"]')
        return names

    def parameters(self, has_static):
        """Arguments of the base class: names, how many of them may be given by position, defaults."""
        parameters, empty = list(self.signature.parameters.values()), inspect.Parameter.empty
        if has_static or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY) for p in parameters):
            return [], 0, [], empty
        positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        return [p.name for p in parameters], len(positional), [p.default for p in parameters], empty

    def keep_known(self, key, tree, entry):
        """Has the base class run calls with a key, if each argument is an array or a number."""
        is_plain = all(isinstance(part, Leaf) for part in tree.values())
        is_several = type(entry.tree) is tuple and all(isinstance(part, Leaf) for part in entry.tree)
        if is_plain and entry.kernel is not None and (is_several or entry.tree is None or isinstance(entry.tree, Leaf)):
            self.keep(key[1], entry.kernel, entry.captured, not is_several)

    @property
    def name(self):
        return getattr(self.function, "__name__", "function").strip("<>")

    def arguments(self, args, keywords):
        """Leaves, their names, the structure, and its hashable key."""
        try:
            bound = self.signature.bind(*args, **keywords)
        except TypeError:
            raise refusal(self.name, self.signature, args, keywords) from None
        bound.apply_defaults()
        leaves, names, tree, key = [], [], {}, []
        for name, value in bound.arguments.items():
            leaf = is_leaf if name not in self.static else lambda _: False
            tree[name], part = flatten(value, leaf, leaves, names, name)
            key.append(part)
        return leaves, names, tree, tuple(key)

    def call_traced(self, tree, leaves):
        """The function with these leaves in the places of its own."""
        values = {name: unflatten(part, leaves) for name, part in tree.items()}
        bound = inspect.BoundArguments(self.signature, values)
        return self.function(*bound.args, **bound.kwargs)

    def known(self, key, leaves, with_shapes):
        """The key of a trace, and the trace if there is one."""
        key = (key, _core.key_of(leaves, with_shapes))
        try:
            return key, self.traces.get(key)
        except TypeError as error:
            raise BindingError(f"{self.name}: an argument that is static cannot be hashed: {error}") from None

    def slow(self, *args, **keywords):
        """A call whose like was not made before, or with structures among its arguments."""
        leaves, names, tree, key = self.arguments(args, keywords)
        if any(type(leaf) is Traced for leaf in leaves):
            return self.function(*args, **keywords)
        entry = self.entry_for(leaves, names, tree, key)
        return self.run(entry, leaves)

    def explain(self, *args, **keywords):
        """The plan of a call with these arguments; nothing is run."""
        entry, leaves = self.entry_of(*args, **keywords)
        return entry.kernel.explain(leaves + entry.captured)

    def entry_of(self, *args, **keywords):
        """The trace of a call with these arguments, and the arrays and numbers among them."""
        leaves, names, tree, key = self.arguments(args, keywords)
        entry = self.entry_for(leaves, names, tree, key)
        if entry.kernel is None:
            raise TraceError(f"{self.name}: the function gives no array, and nothing is computed")
        return entry, leaves

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


def _unique(names):
    """Names of parameters, none of which is another's: "pair.first" is pair_first."""
    made = []
    for name in names:
        name = "".join(letter if letter.isalnum() else "_" for letter in name)
        while name in made:
            name += "_"
        made.append(name)
    return made


def open_trace(name, leaves, names, kind, with_shapes):
    """A trace, and traced values in place of arrays and numbers."""
    tracing = Tracing(name, _core.Trace(name), kind)
    values = []
    for leaf, leaf_name in zip(leaves, names):
        what, dtype, shape = _core.describe(leaf)
        if what == "In" and kind == "step":
            what = "InOut"
        if what == "ScalarState" and kind != "step":
            raise BindingError(f"{name}: {leaf_name} is an fk.Number, which a step keeps: give a function float(x)")
        node = tracing.core.symbol(leaf_name, what, dtype, shape if with_shapes else None)
        values.append(Traced(tracing, node, leaf_name if what in ("InOut", "ScalarState") else None))
    tracing.inputs = values
    return tracing, values


class Jit(Compiled):
    """A function that is compiled: one call runs one fused computation."""

    def run(self, entry, leaves):
        results = entry.kernel(leaves + entry.captured) if entry.kernel is not None else []
        return unflatten(entry.tree, results)

    def entry_for(self, leaves, names, tree, key):
        key, entry = self.known(key, leaves, True)
        if entry is None:
            entry = self.traces[key] = self.trace(leaves, names, tree)
            self.keep_known(key, tree, entry)
        return entry

    def trace(self, leaves, names, tree):
        names = _unique(names)
        tracing, values = open_trace(self.name, leaves, names, "function", True)
        try:
            output = self.call_traced(tree, values)
            results, shape = traced_results(tracing, output)
        finally:
            tracing.is_open = False
        kernel = tracing.core.function(names + tracing.captured_names, results, self.target) if results else None
        return Entry(kernel, tracing.captured, shape)


def traced_results(tracing, output):
    """The instructions of a function's results, and their structure."""
    results = []
    tree, _ = flatten(output, lambda v: isinstance(v, (Traced, Masked, np.ndarray)), results, [], "result")
    return [tracing.node(result) for result in results], tree


class Step(Compiled):
    """A step that updates its arguments in place: `x += e`, `x[...] = e`."""

    kind = "step"

    def run(self, entry, leaves):
        entry.kernel(leaves + entry.captured)

    def entry_for(self, leaves, names, tree, key):
        any_shape, entry = self.known(key, leaves, False)
        if entry is not None:
            return entry
        this_shape, entry = self.known(key, leaves, True)
        if entry is not None:
            return entry
        try:
            # A step of only elementwise operations serves arrays of all shapes.
            entry = self.traces[any_shape] = self.trace_with(leaves, _unique(names), tree, False)
            self.keep_known(any_shape, tree, entry)
        except NeedsShapes:
            entry = self.traces[this_shape] = self.trace_with(leaves, _unique(names), tree, True)
            self.keep_known(this_shape, tree, entry)
        return entry

    def trace_with(self, leaves, names, tree, with_shapes):
        tracing, values = open_trace(self.name, leaves, names, "step", with_shapes)
        try:
            output = self.call_traced(tree, values)
        finally:
            tracing.is_open = False
        if output is not None:
            raise TraceError(f"{self.name}: a step returned a value, and steps give none: write @fk.jit")
        if not tracing.core.has_updates():
            raise TraceError(f"{self.name}: a step updated nothing: write x += e or x[...] = e")
        return Entry(tracing.core.step(names + tracing.captured_names, self.target, self.schedule), tracing.captured)


@overload
def jit(function: F, *, static_argnames: str | Iterable[str] = (), target: str | None = None) -> F: ...
@overload
def jit(function: None = None, *, static_argnames: str | Iterable[str] = (), target: str | None = None) -> Callable[[F], F]: ...
def jit(function=None, *, static_argnames=(), target=None):  # noqa: E302
    """Compiles a function, which is traced once for each kind of call.

    `target` is a name that fk.doctor() prints; a device's copies arrays of the processor to it and back."""
    if function is None:
        return lambda f: Jit(f, static_argnames, target)
    return function if isinstance(function, Jit) else Jit(function, static_argnames, target)


@overload
def step(function: F, *, static_argnames: str | Iterable[str] = (), target: str | None = None, schedule: str | None = None) -> F: ...
@overload
def step(
    function: None = None, *, static_argnames: str | Iterable[str] = (), target: str | None = None, schedule: str | None = None
) -> Callable[[F], F]: ...
def step(function=None, *, static_argnames=(), target=None, schedule=None):  # noqa: E302
    """Compiles a step, which updates arrays in place where its operands are specified.

    `schedule` is the text of one for a step of elementwise operations, as fk.tune gives it."""
    if function is None:
        return lambda f: Step(f, static_argnames, target, schedule)
    return Step(function, static_argnames, target, schedule)


def compiled(function):
    """A jitted function or a step as it is; a plain function jitted."""
    return function if isinstance(function, Compiled) else Jit(function)


def explain(function: Callable[..., Any], *args: Any, **keywords: Any) -> str:
    """The plan of a call of a jitted function, a step or a plain function, as text; nothing is run."""
    return compiled(function).explain(*args, **keywords)
