# SPDX-License-Identifier: MIT
"""Calls and arguments that do not fit: one sentence for each way."""
import difflib
import functools
import inspect
import operator
import os

from .errors import BindingError

absent = inspect.Parameter.empty
by_position = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
variable = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def shown(value):
    """A value in a sentence: itself if it is short, else its type."""
    is_short = value is None or isinstance(value, (bool, int, float, str, tuple, list)) and len(repr(value)) <= 40
    return repr(value) if is_short else f"of type {type(value).__name__}"


def whole(name, value, least=-(2**63), most=2**63 - 1):
    """An integer from least to most.  Errors: BindingError."""
    try:
        made = operator.index(value)
    except TypeError:
        raise BindingError(f"{name} is {shown(value)}, wanted an integer") from None
    if not least <= made <= most:
        raise BindingError(f"{name} is {made}, wanted an integer from {least} to {most}")
    return made


def wholes(name, value):
    """A list of integers.  Errors: BindingError."""
    try:
        made = [operator.index(one) for one in value]
    except TypeError:
        raise BindingError(f"{name} is {shown(value)}, wanted a tuple of integers") from None
    return [whole(name, one) for one in made]


def number(name, value):
    """A float.  Errors: BindingError."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise BindingError(f"{name} is {shown(value)}, wanted a number") from None


def truth(name, value):
    """A bool.  Errors: BindingError for arrays of several elements."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise BindingError(f"{name} is {shown(value)}, wanted True or False") from None


def text(name, value):
    """A text.  Errors: BindingError."""
    if not isinstance(value, str):
        raise BindingError(f"{name} is {shown(value)}, wanted a text")
    return value


def path(name, value):
    """A path as a text.  Errors: BindingError."""
    if not isinstance(value, (str, os.PathLike)):
        raise BindingError(f"{name} is {shown(value)}, wanted a path: a text, or a pathlib.Path")
    return os.fsdecode(value)


class _Long:
    """A default that is too long for a sentence."""

    def __repr__(self):
        return "..."


def _short(parameter):
    """A parameter without its annotation, and without a long default."""
    default = parameter.default
    is_short = default is absent or default is None or isinstance(default, (bool, int, float, str))
    return parameter.replace(annotation=absent, default=default if is_short else _Long())


def listed(names):
    """Names as a part of a sentence."""
    names = list(names)
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0] if names else "nothing"


def refusal(name, signature, args, keywords):
    """The error of a call whose arguments do not bind to the signature."""
    parameters = list(signature.parameters.values())
    if args and parameters and parameters[0].name == "self":
        parameters, args = parameters[1:], args[1:]
    wanted = inspect.Signature([_short(one) for one in parameters])
    kinds = {one.name: one.kind for one in parameters}
    has_variable = [kind in kinds.values() for kind in variable]
    positional = [one.name for one in parameters if one.kind in by_position]
    given = positional[: len(args)]
    free = [one.name for one in parameters if one.kind in by_name and one.name not in given and one.name not in keywords]
    if len(args) > len(positional) and not has_variable[0]:
        count = f"{len(positional)} argument{'' if len(positional) == 1 else 's'}"
        surplus = "the last one" if len(args) == len(positional) + 1 else f"the last {len(args) - len(positional)}"
        instead = f"give {surplus} by name" if has_variable[1] else f"write {free[0]}=..." if free else f"leave out {surplus}"
        return BindingError(f"{name} takes {count} by position, and {len(args)} came, wanted {wanted}: {instead}")
    missing = [one for one in parameters if one.default is absent and one.kind not in variable and one.name not in (*given, *keywords)]
    for one in keywords:
        kind = kinds.get(one)
        if one in given and kind in by_name:
            return BindingError(f"{name}: {one} is given twice, by position and by name, wanted {wanted}: leave out {one}=...")
        if kind is inspect.Parameter.POSITIONAL_ONLY and one not in given:
            return BindingError(f"{name}: {one} is given by name, wanted {wanted}: give it by position")
        if kind not in by_name and not has_variable[1]:
            close = difflib.get_close_matches(one, free, 1) or [other.name for other in missing]
            instead = f"write {close[0]}=..." if close else f"leave out {one}=..."
            return BindingError(f"{name} has no argument {one}, wanted {wanted}: {instead}")
    instead = f"write {missing[0].name}=..." if missing[0].kind in by_name else "give it by position"
    return BindingError(f"{name}: {missing[0].name} is missing: {listed([*given, *keywords])} came, wanted {wanted}: {instead}")


def name_of(function):
    """The name of a function in sentences."""
    return getattr(function, "__name__", type(function).__name__).strip("<>")


def signature_of(where, function):
    """The signature of a function.  Errors: BindingError for an object without one."""
    if not callable(function):
        raise BindingError(f"{where}: {function!r} is no function: write a def, or lambda x: ...")
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        name = name_of(function)
        raise BindingError(f"{where}: {name} does not list its arguments: write lambda x: {name}(x)") from None


def refused_call(function, args, keywords):
    """The error of a call that raised a TypeError; None if the arguments fit, and the function itself raised it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*args, **keywords)
    except TypeError:
        return refusal(name_of(function), signature, args, keywords)
    return None


def _name_of_method(function, args):
    """SGD.step for a method, SGD for its constructor."""
    cls = type(args[0]).__name__
    return cls if function.__name__ == "__init__" else f"{cls}.{function.__name__}"


def method(function):
    """A method whose calls with arguments that do not fit raise a BindingError."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*args, **keywords):
        try:
            return function(*args, **keywords)
        except TypeError as error:
            if error.__traceback__.tb_next is not None:  # the method itself raised it
                raise
        raise refusal(_name_of_method(function, args), signature, args, keywords)

    return called


def open_method(function):
    """A method that takes all arguments, and raises `refused_method` for those that are not its own: no call is slower.

    (self, grads=absent, /, *more, scale=1.0, **unknown) has the signature (self, grads, *, scale=1.0)."""
    named, parameters = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.signature(function).parameters.values()
    function.__signature__ = inspect.Signature(
        [one.replace(kind=named) if one.kind in by_position else one for one in parameters if one.kind not in variable],
        return_annotation=inspect.signature(function).return_annotation,
    )
    return function


def refused_method(function, *args, **keywords):
    """The error of a call of an open method."""
    return refusal(_name_of_method(function, args), function.__signature__, args, keywords)
