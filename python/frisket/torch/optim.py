# SPDX-License-Identifier: MIT
"""torch.optim, drop-in: a class for each rule, with torch's arguments, groups, hooks and state.

    opt = fk.torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)

Gradients may be dense, sparse in any layout, or a MaskedTensor; `untouched` says what they leave unspecified."""
import functools
import inspect
import itertools

import torch
from torch.optim import optimizer as base

from .. import _core
from ..errors import BindingError, DTypeError, Error, LayoutError
from ..optim import names as class_names

# Keys of groups that change nothing here, and options of the rule by keys whose values are tuples.
without_effect = {"foreach", "fused", "capturable", "differentiable", "decoupled_weight_decay"}
in_tuples = {
    "betas": ("beta1", "beta2"), "etas": ("etaminus", "etaplus"), "step_sizes": ("step_size_min", "step_size_max"),
    "ns_coefficients": ("a", "b", "c"),
}  # fmt: skip
uncounted = ("sgd", "muon")  # torch's state of these has no "step"
# Counts a change of tensors, as an operation of torch's does: autograd then refuses values that it saved before.
count_change = getattr(torch._C, "_increment_version", torch.autograd.graph.increment_version)
refused = {
    "capturable": "capturable=True records steps of a CUDA graph, and steps here are no CUDA kernels: leave it out",
    "differentiable": "differentiable=True differentiates through steps, which autograd does not see here: leave it out",
}


def _sources(rule, group):
    """(key, index in a tuple or -1, option) of each option of the rule in a group."""
    known = _core.rule_options(rule)
    made = []
    for key, value in group.items():
        if isinstance(value, (tuple, list)) and key != "params":
            options = in_tuples.get(key, tuple(f"{key}{i + 1}" for i in range(len(value))))
            made += [(key, i, option) for i, option in enumerate(options) if option in known]
        elif key in known:
            made.append((key, -1, key))
    return made


def _dtype_is_known(tensor):
    return tensor.dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16)


class ComplexParameter(DTypeError, ValueError):
    """A parameter is complex; torch raises a ValueError for it, where it raises one."""


class FrisketOptimizer:
    """Base of the classes of this module; the other base of each is a class of torch.optim."""

    hooked = True
    _step_supports_amp_scaling = True  # found_inf and grad_scale are read by step()
    rule = None
    _engine = None

    def __init__(self, params, *args, untouched="masked", stochastic_rounding=False, seed=0, **options):
        for name, sentence in refused.items():
            if options.get(name):
                raise BindingError(f"{type(self).__name__}: {sentence}")
        self._settings = (untouched, stochastic_rounding, seed)
        self._given = {}
        _core.TorchOptimizer(*self._settings)  # refuses settings that are wrong
        super().__init__(params, *args, **options)

    def add_param_group(self, param_group):
        """More parameters, as torch has it."""
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        for name in refused:
            if group.get(name):
                self.param_groups.pop()
                raise BindingError(f"{type(self).__name__}: {refused[name]}")
        for parameter in group["params"]:
            fault = self._fault_of(parameter)
            if fault is not None:
                self.param_groups.pop()
                raise fault
        self._engine = None

    def _fault_of(self, parameter):
        if parameter.layout is not torch.strided:
            return LayoutError(
                f"{type(self).__name__} requires dense parameter tensors, and one has layout {parameter.layout}: write "
                "p.to_dense(); its gradients may be sparse"
            )
        if parameter.is_complex():
            return ComplexParameter(f"{type(self).__name__} does not support complex parameters: write torch.view_as_real(p)")
        if not _dtype_is_known(parameter):
            return DTypeError(
                f"{type(self).__name__}: a parameter is {parameter.dtype}, wanted float32, float64, float16 or bfloat16"
            )
        return None

    def set_grad(self, parameter, gradient):
        """Gives a parameter a gradient that .grad cannot hold, as fk.Masked; until zero_grad()."""
        self._given[parameter] = gradient

    def zero_grad(self, set_to_none=True):
        self._given.clear()
        super().zero_grad(set_to_none)

    def step(self, closure=None):
        """Updates parameters by their gradients; with a closure, which evaluates the loss anew, after it."""
        if base._global_optimizer_pre_hooks or base._global_optimizer_post_hooks:
            return self._hooked_step(closure)
        if self._optimizer_step_pre_hooks or self._optimizer_step_post_hooks or torch.autograd._profiler_enabled():
            return self._hooked_step(closure)
        return self._step(closure)

    step.hooked = True

    def _hooked_step(self, closure):
        """As torch calls hooks: those of all optimizers first; one that comes before may change the arguments."""
        args, keywords = (self,) if closure is None else (self, closure), {}
        with torch.autograd.profiler.record_function(f"Optimizer.step#{type(self).__name__}.step"):
            for hook in itertools.chain(base._global_optimizer_pre_hooks.values(), self._optimizer_step_pre_hooks.values()):
                result = hook(self, args, keywords)
                if result is None:
                    continue
                if not isinstance(result, tuple) or len(result) != 2:
                    raise RuntimeError(f"a hook before step returned {result}, wanted None or a tuple of args and kwargs")
                args, keywords = result
            loss = type(self)._step(*args, **keywords)
            for hook in itertools.chain(self._optimizer_step_post_hooks.values(), base._global_optimizer_post_hooks.values()):
                hook(self, args, keywords)
        return loss

    def _step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        scale = 1.0
        if "found_inf" in self.__dict__:  # set by a GradScaler
            if float(self.found_inf):
                return loss
            scale = 1.0 if self.grad_scale is None else float(self.grad_scale)
        engine = self._engine
        updated = engine and engine.step(self.param_groups, self.state, self._given, scale)
        if updated is None:
            updated = self._rebuilt().step(self.param_groups, self.state, self._given, scale)
            if updated is None:
                raise Error(f"{type(self).__name__}: groups or state changed while a step read them: please report this")
        if updated:
            count_change(updated)
        return loss

    def _rule_of(self, group):
        return "adamw" if self.rule == "adam" and group.get("decoupled_weight_decay") else self.rule

    def _has_state(self, parameter):
        return parameter.grad is not None or parameter in self._given or bool(self.state.get(parameter))

    def _rebuilt(self):
        """An engine for groups and state as they are now; state that came from elsewhere is copied into its memory."""
        engine = _core.TorchOptimizer(*self._settings)
        untouched, is_rounding, _ = self._settings
        taken = set()
        for number, group in enumerate(self.param_groups):
            rule = self._rule_of(group)
            for parameter in group["params"]:
                if (fault := self._fault_of(parameter)) is not None:
                    raise fault
            titles = group.get("param_names") or [f"{number}.{i}" for i in range(len(group["params"]))]
            titles = [title if title not in taken else f"{title} of group {number}" for title in titles]
            taken.update(titles)
            counts = rule not in uncounted or untouched == "caught_up" or is_rounding
            members = [p if self._has_state(p) else None for p in group["params"]]
            engine.add_group(rule, _sources(rule, group), group, titles, members, counts)
        for parameter, title, tensors in engine.entries():
            _take_state(engine, title, self.state.get(parameter) or {}, tensors)
        engine.publish(self.state)
        self._engine = engine
        return engine

    def catch_up(self):
        """Gives every row the steps that it missed; of untouched="caught_up"."""
        (self._engine or self._rebuilt()).catch_up()

    def load_state_dict(self, state_dict):
        """Takes the state of this or of torch's optimizer of the rule."""
        super().load_state_dict(state_dict)
        self._engine = None
        # torch casts state to the dtype of its parameter, which rounds the state of parameters of 16 bits.
        saved = [p for group in state_dict["param_groups"] for p in group["params"]]
        for number, parameter in zip(saved, (p for group in self.param_groups for p in group["params"])):
            for name, value in state_dict["state"].get(number, {}).items():
                cast = self.state[parameter].get(name)
                if isinstance(value, torch.Tensor) and isinstance(cast, torch.Tensor) and cast.dtype != value.dtype:
                    self.state[parameter][name] = value.detach().to(device=cast.device)
        self._rebuilt()  # copies the state, which is the other optimizer's until then

    def __getstate__(self):
        return {**super().__getstate__(), "_settings": self._settings}

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("_settings", ("masked", False, 0))
        self._given = {}
        self._engine = None


def _take_state(engine, title, old, tensors):
    """Copies the state of a parameter into the memory of the engine's tensors."""
    is_taken = False
    for name, tensor in tensors.items():
        value = old.get(name)
        if name == "step" or value is None:
            continue
        tensor.copy_(torch.as_tensor(value).detach().reshape(tensor.shape))
        is_taken = True
    step = old.get("step")
    if step is None:
        step = 1 if is_taken else 0  # a momentum was there: the first step is over
    if int(step):
        engine.set_step(title, int(step))


def _defaults(rule):
    """torch's arguments of a rule that torch does not have: betas in one tuple."""
    known = {name: _value(text) for name, text in _core.rule_options(rule).items()}
    made = {"lr": known.pop("lr")} if "lr" in known else {}
    if "beta1" in known and "beta2" in known:
        made["betas"] = (known.pop("beta1"), known.pop("beta2"))
    return {**made, **known}


def _value(text):
    from ..optim import _value as value

    made = value(text)
    return float(made) if type(made) is int else made


def _with_defaults(rule, name):
    """A class of torch.optim.Optimizer for a rule that torch does not have."""
    defaults = _defaults(rule)

    def __init__(self, params, **options):
        unknown = [option for option in options if option not in defaults and option not in without_effect]
        if unknown:
            raise BindingError(f"{name} has no argument {unknown[0]}: it has {', '.join(defaults)}")
        torch.optim.Optimizer.__init__(self, params, {**defaults, **options})

    return type(f"{name}Arguments", (torch.optim.Optimizer,), {"__init__": __init__, "__module__": __name__}), defaults


def _signature(cls, defaults):
    """torch's arguments, then ours."""
    kind = inspect.Parameter.KEYWORD_ONLY
    if defaults is None:
        parameters = [p for p in inspect.signature(cls).parameters.values() if p.kind is not p.VAR_KEYWORD]
    else:
        parameters = [inspect.Parameter("params", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        parameters += [inspect.Parameter(option, kind, default=value) for option, value in defaults.items()]
    ours = {"untouched": "masked", "stochastic_rounding": False, "seed": 0}
    return inspect.Signature(parameters + [inspect.Parameter(n, kind, default=v) for n, v in ours.items()])


def class_of(cls):
    """The torch class of an optimizer class that fk.optim.rule has made; made once."""
    if "_torch_class" not in vars(cls):
        cls._torch_class = _class(cls.rule, cls.__name__, None)
    return cls._torch_class


def _class(rule, name, torch_class):
    defaults = None
    if torch_class is None:
        torch_class, defaults = _with_defaults(rule, name)
    made = type(name, (FrisketOptimizer, torch_class), {"rule": rule, "__module__": __name__})
    made.__signature__ = _signature(torch_class, defaults)
    made.__doc__ = f"The rule {rule}, with the arguments and the state of torch.optim.{name}." if defaults is None else (
        f"The rule {name}: {', '.join(f'{option}={value}' for option, value in defaults.items())}."
    )
    return made


__all__ = sorted(class_names.values())
for _rule, _name in class_names.items():
    globals()[_name] = _class(_rule, _name, getattr(torch.optim, _name, None))
