# SPDX-License-Identifier: MIT
"""Optimizers: a class for each rule, over arrays that are updated in place.

    opt = fk.optim.Adam({"w": w, "table": table}, lr=1e-3)
    opt.step({"table": gradient})            # dense or masked, in any layout; parameters without one stay
"""
import functools
import inspect
import math
import numbers
import typing
from collections.abc import Iterable
from typing import Any

from . import _core
from .calls import (
    absent, listed, method, name_of, open_method, path as path_of, refused_method, shown, signature_of, text, truth, variable, whole,
)  # fmt: skip
from .errors import BindingError
from .gradients import value_and_grad
from .written_rules import written_rule

names = {
    "sgd": "SGD", "adagrad": "Adagrad", "rowwise_adagrad": "RowwiseAdagrad", "adam": "Adam", "adamw": "AdamW",
    "sparse_adam": "SparseAdam", "rmsprop": "RMSprop", "adadelta": "Adadelta", "adamax": "Adamax", "nadam": "NAdam",
    "radam": "RAdam", "rprop": "Rprop", "asgd": "ASGD", "lion": "Lion", "ftrl": "FTRL", "lamb": "LAMB", "lars": "LARS",
    "adafactor": "Adafactor", "muon": "Muon",
}  # fmt: skip


class Outcome(typing.NamedTuple):
    """The result of a step."""

    norm: float  # norm of all gradients, unscaled; NaN unless clip_norm or skip_nonfinite asks for it
    is_skipped: bool
    loss: Any = None  # loss before the step, in minimize()


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(float(value)) if isinstance(value, float) else str(value)


def _value(text):
    """An option as a Python value."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _texts(options):
    betas = options.pop("betas", None)
    if betas is not None:
        if not isinstance(betas, (tuple, list)) or len(betas) != 2:
            raise BindingError(f"betas is {betas!r}, wanted two numbers: write betas=(0.9, 0.999)")
        options["beta1"], options["beta2"] = betas
    return {name: _text(value) for name, value in options.items()}


def _values(what, given):
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise BindingError(f"{what} are of type {type(given).__name__}, wanted a dict of arrays by name, or a list of arrays")
    return list(given)


def _named(params):
    if isinstance(params, dict):
        names = list(params)
        wrong = next((name for name in names if not isinstance(name, str)), None)
        if wrong is not None:
            raise BindingError(f"a parameter is named {wrong!r}, wanted a text")
        return names, list(params.values())
    params = _values("params", params)
    return [f"p{i}" for i in range(len(params))], params


def _group(group):
    return whole("group", group, -(2**31), 2**31 - 1)


def _check_numbers(**options):
    for name, value in options.items():
        if not isinstance(value, numbers.Real):
            raise BindingError(f"{name} is {shown(value)}, wanted a number") from None


class Loss:
    """A function of parameters and inputs, by name, with its gradients by the parameters."""

    def __init__(self, function, names):
        parameters = signature_of("minimize", function).parameters.values()
        self.name = name_of(function)
        for one in parameters:
            if one.kind in variable:
                raise BindingError(f"{self.name}: a loss of minimize names its arguments, and {one} came: write def loss(w, x): ...")
        self.order = [one.name for one in parameters]
        self.defaults = {one.name: one.default for one in parameters if one.default is not absent}
        places = [i for i, name in enumerate(self.order) if name in names]
        if not places:
            raise BindingError(f"the loss has no parameter as argument: these are {', '.join(names)}")
        self.wanted = [self.order[i] for i in places]
        self.inputs = [name for name in self.order if name not in self.wanted]
        self.allowed, self.needed = set(self.inputs), set(self.inputs) - set(self.defaults)
        by_position = [one.name for one in parameters if one.kind is not one.KEYWORD_ONLY]

        @functools.wraps(function)
        def ordered(*values):
            count = len(by_position)
            return function(*values[:count], **dict(zip(self.order[count:], values[count:])))

        ordered.__signature__ = inspect.Signature([one.replace(kind=one.POSITIONAL_OR_KEYWORD, default=absent) for one in parameters])
        self.with_gradients = value_and_grad(ordered, argnums=tuple(places))

    def __call__(self, arrays, inputs):
        if not self.needed <= inputs.keys() <= self.allowed:
            raise self.refusal(arrays, inputs)
        given = {**self.defaults, **inputs, **{name: arrays[name] for name in self.wanted}}
        return self.with_gradients(*(given[name] for name in self.order))

    def refusal(self, arrays, inputs):
        """The error of inputs that are not those of the function."""
        wanted = f"the inputs of {self.name} are {listed(self.inputs)}"
        for name in inputs:
            if name in arrays:
                return BindingError(f"minimize: {name} is a parameter of the optimizer, and came as an input: leave out {name}=...")
            if name not in self.inputs:
                return BindingError(f"minimize: there is no input {name}: {wanted}: leave out {name}=...")
        missing = next(name for name in self.inputs if name in self.needed and name not in inputs)
        return BindingError(f"minimize: the input {missing} is missing: {listed(inputs)} came, and {wanted}: write {missing}=...")


class Optimizer:
    """Parameters in groups, each with options, and the state of each parameter.

    `params` is a dict of arrays by name, or a list of arrays.  `untouched` says what a masked gradient leaves unspecified:
    "masked" (nothing is done there), "dense_equivalent" (zero), "caught_up" (zero, when a row is next met)."""

    rule = None

    @method
    def __init__(
        self, params: Any, *, untouched: str = "masked", stochastic_rounding: bool = False, seed: int = 0,
        interpret: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        if self.rule is None:
            raise BindingError("fk.optim.Optimizer has no rule: write fk.optim.Adam(…), or another of its classes")
        self._names, self._arrays = _named(params)
        self._known = set(self._names)
        self._core = _core.Optimizer(
            self.rule, _texts(options), self._names, self._arrays, text("untouched", untouched),
            truth("stochastic_rounding", stochastic_rounding), whole("seed", seed, 0, 2**64 - 1), truth("interpret", interpret),
        )  # fmt: skip
        self._losses = {}

    @method
    def add_group(self, params: Any, **options: Any) -> int:
        """More parameters, with options of their own; gives the number of the group."""
        named, arrays = _named(params)
        number = self._core.add_group(self.rule, _texts(options), named, arrays)
        self._names, self._arrays = self._names + named, self._arrays + arrays
        self._known.update(named)
        self._losses.clear()
        return number

    @method
    def options(self, group: int = 0) -> dict[str, Any]:
        """The options of a group by name."""
        return {name: _value(text) for name, text in self._core.options(_group(group)).items()}

    @method
    def set(self, group: int = 0, **options: Any) -> None:
        """Changes options of a group: opt.set(lr=1e-4)."""
        self._core.set(_group(group), _texts(options))

    @open_method
    def step(
        self, grads: Any = absent, /, *more, scale: float = 1.0, clip_norm: float = math.inf, clip_value: float = math.inf,
        skip_nonfinite: bool = False, **unknown,
    ) -> Outcome:  # fmt: skip
        """Updates parameters by their gradients: a dict by name, or a list in their order; None leaves one out."""
        if grads is absent or more or unknown:
            if grads is not absent or more or unknown.keys() != {"grads"}:
                raise refused_method(Optimizer.step, self, *(() if grads is absent else (grads,)), *more, **unknown)
            grads = unknown["grads"]
        if isinstance(grads, dict):
            if not grads.keys() <= self._known:
                raise BindingError(f"there is no parameter {next(n for n in grads if n not in self._known)}: there are {', '.join(self._names)}")
            grads = [grads.get(name) for name in self._names]
        elif not isinstance(grads, list):
            grads = _values("grads", grads)
        try:
            return Outcome(*self._core.step(grads, scale, clip_norm, clip_value, skip_nonfinite))
        except TypeError:
            _check_numbers(scale=scale, clip_norm=clip_norm, clip_value=clip_value)
            if not isinstance(skip_nonfinite, bool):
                raise BindingError(f"skip_nonfinite is {shown(skip_nonfinite)}, wanted True or False") from None
            raise

    @method
    def minimize(
        self, loss: typing.Callable[..., Any], *, scale: float = 1.0, clip_norm: float = math.inf, clip_value: float = math.inf,
        skip_nonfinite: bool = False, **inputs: Any,
    ) -> Outcome:  # fmt: skip
        """Evaluates a function and its gradients, and updates the parameters that it has as arguments, by their names."""
        try:
            known = self._losses.get(loss)
        except TypeError as error:
            raise BindingError(f"minimize: {error}: write def loss(w, x): ...") from None
        if known is None:
            known = self._losses[loss] = Loss(loss, self._names)
        arrays = dict(zip(self._names, self._arrays))
        value, gradients = known(arrays, inputs)
        outcome = self.step(
            dict(zip(known.wanted, gradients)),
            scale=scale, clip_norm=clip_norm, clip_value=clip_value, skip_nonfinite=skip_nonfinite,
        )  # fmt: skip
        return outcome._replace(loss=value)

    @property
    def state(self) -> dict[str, dict[str, Any]]:
        """{parameter: {name: array}}: the arrays are the optimizer's own memory."""
        made = {}
        for parameter, name, array in self._core.state():
            made.setdefault(parameter, {})[name] = array
        return made

    @method
    def set_state(self, state: dict[str, dict[str, Any]]) -> None:
        """Restores a result of `state`, for an optimizer like this one."""
        if not isinstance(state, dict) or not all(isinstance(entries, dict) for entries in state.values()):
            raise BindingError(f"set_state: {shown(state)} came, wanted a dict of dicts, as opt.state returns")
        self._core.set_state([(p, name, array) for p, entries in state.items() for name, array in entries.items()])

    @method
    def catch_up(self) -> None:
        """Gives every row the steps that it missed; of untouched="caught_up"."""
        self._core.catch_up()

    @method
    def save(self, path: Any) -> None:
        """Writes state and options as a file of safetensors."""
        self._core.save(path_of("save: the path", path))

    @method
    def load(self, path: Any) -> None:
        """Restores state and options from a file of `save`."""
        self._core.load(path_of("load: the path", path))


def _torch(cls, params, **options):
    """A torch.optim.Optimizer of the rule, as the classes of fk.torch.optim are."""
    from .torch.optim import class_of

    return class_of(cls)(params, **options)


def rule(function=None, *, state=(), **options):
    """A class of optimizers whose step a function writes, elementwise, for one parameter.

        @fk.optim.rule(state={"m": 0.0}, lr=1e-3, beta=0.9)
        def momentum(param, grad, m, lr, beta):
            m *= beta
            m += grad
            param -= lr * m

        opt = momentum({"w": w}, lr=1e-2)

    Its arguments are param, grad, t (the number of the step, 1 at the first), each state and each option, by name.  Updates
    are made where the gradient is specified; fk.everywhere(param)[...] = e makes one of all elements.
    `state` gives the names of the state and the numbers that they begin with, or names alone: 0."""
    if function is None:
        return lambda f: rule(f, state=state, **options)
    name = getattr(function, "__name__", "rule").strip("<>")
    defaults = ", ".join(f"{option}={value}" for option, value in options.items())
    members = {
        "rule": written_rule(function, state, options), "function": staticmethod(function), "torch": classmethod(_torch),
        "__doc__": function.__doc__ or f"The rule {name}: {defaults}.", "__module__": getattr(function, "__module__", __name__),
    }  # fmt: skip
    return type(name, (Optimizer,), members)


__all__ = ["Optimizer", "Outcome", "rule"]
for _rule in _core.rule_names():
    _options = ", ".join(f"{name}={text}" for name, text in sorted(_core.rule_options(_rule).items()))
    _class = type(names[_rule], (Optimizer,), {"rule": _rule, "__doc__": f"The rule {_rule}: {_options}.", "__module__": __name__})
    globals()[names[_rule]] = _class
    __all__.append(names[_rule])
