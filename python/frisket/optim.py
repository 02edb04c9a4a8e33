# SPDX-License-Identifier: MIT
"""Optimizers: a class for each rule, over arrays that are updated in place.

    opt = fk.optim.Adam({"w": w, "table": table}, lr=1e-3)
    opt.step({"table": gradient})            # dense or masked, in any layout; parameters without one stay
"""
import inspect
import math
import typing
from typing import Any

from . import _core
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
        options["beta1"], options["beta2"] = betas
    return {name: _text(value) for name, value in options.items()}


def _named(params):
    if isinstance(params, dict):
        return list(params), list(params.values())
    params = list(params)
    return [f"p{i}" for i in range(len(params))], params


class Optimizer:
    """Parameters in groups, each with options, and the state of each parameter.

    `params` is a dict of arrays by name, or a list of arrays.  `untouched` says what a masked gradient leaves unspecified:
    "masked" (nothing is done there), "dense_equivalent" (zero), "caught_up" (zero, when a row is next met)."""

    rule = None

    def __init__(
        self, params: Any, *, untouched: str = "masked", stochastic_rounding: bool = False, seed: int = 0,
        interpret: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        if self.rule is None:
            raise BindingError("fk.optim.Optimizer has no rule: write fk.optim.Adam(…), or another of its classes")
        self._names, self._arrays = _named(params)
        self._core = _core.Optimizer(
            self.rule, _texts(options), self._names, self._arrays, untouched, stochastic_rounding, seed, interpret
        )
        self._losses = {}

    def add_group(self, params: Any, **options: Any) -> int:
        """More parameters, with options of their own; gives the number of the group."""
        named, arrays = _named(params)
        number = self._core.add_group(self.rule, _texts(options), named, arrays)
        self._names, self._arrays = self._names + named, self._arrays + arrays
        return number

    def options(self, group: int = 0) -> dict[str, Any]:
        """The options of a group by name."""
        return {name: _value(text) for name, text in self._core.options(group).items()}

    def set(self, group: int = 0, **options: Any) -> None:
        """Changes options of a group: opt.set(lr=1e-4)."""
        self._core.set(group, _texts(options))

    def step(
        self, grads: Any, *, scale: float = 1.0, clip_norm: float = math.inf, clip_value: float = math.inf,
        skip_nonfinite: bool = False,
    ) -> Outcome:  # fmt: skip
        """Updates parameters by their gradients: a dict by name, or a list in their order; None leaves one out."""
        if isinstance(grads, dict):
            unknown = [name for name in grads if name not in self._names]
            if unknown:
                raise BindingError(f"there is no parameter {unknown[0]}: there are {', '.join(self._names)}")
            grads = [grads.get(name) for name in self._names]
        return Outcome(*self._core.step(list(grads), scale, clip_norm, clip_value, skip_nonfinite))

    def minimize(
        self, loss: typing.Callable[..., Any], *, scale: float = 1.0, clip_norm: float = math.inf, clip_value: float = math.inf,
        skip_nonfinite: bool = False, **inputs: Any,
    ) -> Outcome:  # fmt: skip
        """Evaluates a function and its gradients, and updates the parameters that it has as arguments, by their names."""
        known = self._losses.get(loss)
        if known is None:
            known = self._losses[loss] = self._with_gradients(loss)
        function, wanted, order = known
        arrays = dict(zip(self._names, self._arrays))
        arguments = [arrays[name] if name in arrays else inputs[name] for name in order if name in arrays or name in inputs]
        value, gradients = function(*arguments)
        outcome = self.step(
            dict(zip(wanted, gradients)),
            scale=scale, clip_norm=clip_norm, clip_value=clip_value, skip_nonfinite=skip_nonfinite,
        )  # fmt: skip
        return outcome._replace(loss=value)

    def _with_gradients(self, loss):
        order = list(inspect.signature(loss).parameters)
        places = [i for i, name in enumerate(order) if name in self._names]
        if not places:
            raise BindingError(f"the loss has no parameter as argument: these are {', '.join(self._names)}")
        return value_and_grad(loss, argnums=tuple(places)), [order[i] for i in places], order

    @property
    def state(self) -> dict[str, dict[str, Any]]:
        """{parameter: {name: array}}: the arrays are the optimizer's own memory."""
        made = {}
        for parameter, name, array in self._core.state():
            made.setdefault(parameter, {})[name] = array
        return made

    def set_state(self, state: dict[str, dict[str, Any]]) -> None:
        """Takes what `state` gave, of an optimizer like this one."""
        self._core.set_state([(p, name, array) for p, entries in state.items() for name, array in entries.items()])

    def catch_up(self) -> None:
        """Gives every row the steps that it missed; of untouched="caught_up"."""
        self._core.catch_up()

    def save(self, path: Any) -> None:
        """Writes state and options as a file of safetensors."""
        self._core.save(str(path))

    def load(self, path: Any) -> None:
        """Takes back what `save` wrote."""
        self._core.load(str(path))


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
