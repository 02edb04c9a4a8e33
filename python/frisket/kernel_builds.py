# SPDX-License-Identifier: MIT
"""Shared libraries of kernels that are compiled ahead of time from annotated steps and functions: fk.build."""
import inspect
import os
import pathlib
import shutil
import typing
from collections.abc import Iterable, Sequence
from typing import Any

from . import _core
from .annotations import annotation_of
from .calls import path, text
from .errors import BindingError, IoError, ShapeError, TargetError, TraceError
from .tracing import Step, compiled, traced_results
from .values import NeedsShapes, Traced, Tracing

package = pathlib.Path(__file__).parent
# Names that C and C++ have for themselves: no step and no parameter is called so.
reserved = frozenset("""alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const consteval
    constexpr constinit continue decltype default delete do double else enum explicit export extern false float for friend goto
    if inline int long mutable namespace new noexcept not nullptr operator or private protected public register requires
    restrict results return short signed sizeof static struct switch template this throw true try typedef typeid typename union
    unsigned using virtual void volatile while xor""".split())  # fmt: skip
# Extents of two recordings, which differ only if Python computed with an extent.
primes = (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049), (2003, 2011, 2017, 2027, 2029, 2039, 2053, 2063)


class Parameter(typing.NamedTuple):
    """A parameter as its annotation describes it."""

    name: str
    kind: str
    dtype: str
    extents: tuple | None


class Built(typing.NamedTuple):
    """Files of a library of kernels; fk.load_kernels takes it as it is."""

    library: str
    c_header: str
    cpp_header: str
    include: str  # folder of the headers, for -I
    notes: tuple[str, ...]  # sentences about schedules that were left out

    def __fspath__(self) -> str:
        return self.library


def _check_name(what, name):
    if not isinstance(name, str) or not (name.isidentifier() and name.isascii()) or name in reserved:
        raise BindingError(f'build: "{name}" is no name for {what}: it becomes a name in C')


def _parameters(name, function):
    """Annotated parameters, and the values of others, which are their defaults."""
    parameters, values = [], {}
    for one in inspect.signature(function.function, eval_str=True).parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            raise BindingError(f"{name}: *{one.name} has no annotation: a kernel has a fixed number of parameters")
        if one.annotation is one.empty:
            if one.default is one.empty:
                raise BindingError(f'{name}: {one.name} has no annotation: write {one.name}: fk.In["float32"]')
            values[one.name] = one.default
            continue
        made = annotation_of(name, one.name, one.annotation)
        _check_name(f"a parameter of {name}", one.name)
        if made.kind in ("InOut", "ScalarState") and not isinstance(function, Step):
            raise BindingError(f"{name}: {one.name} is {made!r}, and a function updates nothing: write fk.In, or @fk.step")
        values[one.name] = None
        parameters.append(Parameter(one.name, made.kind, made.dtype, made.extents))
    return parameters, values


class Recorder:
    """A step or a function whose operations are recorded, without arrays."""

    def __init__(self, name, function):
        _check_name("a kernel", name)
        self.name, self.function = name, function
        self.parameters, self.values = _parameters(name, function)
        self.is_step = isinstance(function, Step)
        self.results = 0
        self.has_shapes = True

    @property
    def described(self):
        return [(p.name, p.kind, p.dtype) for p in self.parameters]

    def words(self):
        """The shapes that annotations give, as the words of `shapes`; none if a tensor has none."""
        arrays = [p for p in self.parameters if p.kind in ("In", "InOut", "Masked")]
        if any(p.extents is None for p in arrays):
            return []
        return [f"{self.name}: " + " ".join(f"{p.name}={','.join(map(str, p.extents))}" for p in arrays)]

    def is_shaped_by(self, shapes):
        """True if words of `shapes` are for this step: those without a step's name, and those with its name."""
        return any(":" not in words or words.partition(":")[0] == self.name for words in shapes)

    def recordings(self, shapes):
        """The operations as text: of an elementwise step one text, else one for each form of shapes."""
        if self.is_step:
            try:
                self.has_shapes = False
                return [self.record(None, None)]
            except NeedsShapes:
                self.has_shapes = True
        forms = _core.shape_forms(self.name, self.described, shapes)
        if not forms:
            example = next((p.name for p in self.parameters if p.extents is None and p.kind != "Scalar"), "x")
            raise ShapeError(
                f'{self.name} has operations on whole arrays, and no shapes: write {example}: fk.In["float32", "rows", "columns"], '
                f'or shapes=["{self.name}: {example}=rows,columns"]'
            )
        return [self.recording_of(form) for form in forms]

    def recording_of(self, form):
        """The operations for a form, which are the same whatever its named extents are."""
        names = list(dict.fromkeys(extent for extents in form for extent in extents if not extent.isdigit()))
        first, second = (self.record(form, dict(zip(names, numbers, strict=False))) for numbers in primes)
        if first != second:
            one, other = next(pair for pair in zip(first.splitlines(), second.splitlines(), strict=False) if pair[0] != pair[1])
            raise ShapeError(
                f'{self.name}: a number of the trace depends on the extents {", ".join(names)}: "{one}" and "{other}": write a '
                "number for the extent, or an operation that needs no extent, fk.reshape(x, (-1,)) for instance"
            )
        return first

    def record(self, form, extents):
        tracing = Tracing(self.name, _core.Trace(self.name, True), "step" if self.is_step else "function")
        values = dict(self.values)
        for place, one in enumerate(self.parameters):
            words = form and form[place]
            shape = None if form is None else [extents.get(word) or int(word) for word in words]
            node = tracing.core.symbol(one.name, one.kind, one.dtype, shape, words)
            values[one.name] = Traced(tracing, node, one.name if self.is_step and one.kind not in ("Masked", "Scalar") else None)
        tracing.inputs = [values[one.name] for one in self.parameters]
        bound = inspect.BoundArguments(self.function.signature, values)
        try:
            output = self.function.function(*bound.args, **bound.kwargs)
            results = traced_results(tracing, output)[0] if not self.is_step else []
        finally:
            tracing.is_open = False
        self.check(tracing, output, results)
        self.results = len(results)
        return tracing.core.recording(results)

    def check(self, tracing, output, results):
        if tracing.captured:
            raise TraceError(f"{self.name} reads an array of its surroundings: make it a parameter")
        if not self.is_step and not results:
            raise TraceError(f"{self.name} returned no array: a function of a library has a result")
        if self.is_step and output is not None:
            raise TraceError(f"{self.name}: a step returned a value, and steps give none: leave @fk.step out")
        text = tracing.core.recording([])
        for one in self.parameters:
            if one.kind == "InOut" and f"\nupdate {one.name} " not in text:
                raise BindingError(f"{self.name}: {one.name} is annotated fk.InOut, and the step does not update it: write fk.In")


def _named(steps):
    """Steps and functions by their names."""
    if isinstance(steps, dict):
        return {name: compiled(function) for name, function in steps.items()}
    all_steps = [compiled(step) for step in (steps if isinstance(steps, (list, tuple)) else [steps])]
    named = {step.name: step for step in all_steps}
    if len(named) != len(all_steps):
        raise BindingError(f'build: two steps have one name, {", ".join(named)}: write a dict, {{"name": step}}')
    return named


def _words(option, value):
    """An option of one or several texts or paths."""
    several = [value] if isinstance(value, (str, os.PathLike)) else list(value) if isinstance(value, Iterable) else [None]
    if isinstance(value, bytes) or not all(isinstance(one, (str, os.PathLike)) for one in several):
        raise BindingError(f"build: {option} is {value!r}, wanted a text or a list of texts")
    return [os.fspath(one) for one in several]


def build(
    name: str,
    steps: Any,
    *,
    layouts: str | Sequence[str] = (),
    targets: str | Sequence[str] = "host",
    shapes: str | Sequence[str] = (),
    schedules: str | Sequence[str] = (),
    directory: str | os.PathLike[str] = ".",
    version: str = "1",
) -> Built:
    """Compiles steps and functions ahead of time into a shared library with headers for C and C++.

    Their parameters are annotated, fk.InOut["float32"] for instance, and nothing is called.  A parameter without an annotation
    has its default, as a part of the kernel.  `steps`: one, a list, or a dict by name.  `layouts`: those of masked parameters,
    "rows", or "grad=coo,mask=strided".  `targets`: processors and devices, of which a call takes the best.  `shapes`: for
    operations on whole arrays, "loss: x=rows,columns y=rows,1" where annotations give none.  `schedules`: files of
    `frisket tuning export`.  DIRECTORY gets lib/libNAME.so and include/; it keeps NAME.kernels, which the next build takes again.
    The C++ compiler is $CXX, or c++.  Errors: those of the trace, LayoutError, ShapeError, TargetError, and IoError."""
    given = {"layouts": layouts, "targets": targets, "shapes": shapes, "schedules": schedules}
    options = {option: _words(option, value) for option, value in given.items()}
    named = _named(steps)
    _check_name("a library", name)
    if not named:
        raise BindingError(f"build: {name}: there is nothing to compile: give a step or a function")
    if name in named:
        raise BindingError(f"build: {name}: the library and its step have one name: call the library {name}_kernels, for instance")
    recorders = [Recorder(step_name, step) for step_name, step in named.items()]
    directory = path("build: directory", directory)
    if not options["targets"]:
        raise TargetError('build: targets names no processor: write targets="host", or a list of names that fk.doctor() prints')
    shapes = options["shapes"]
    shapes += [words for one in recorders if not one.is_shaped_by(shapes) for words in one.words()]
    recorded = [(one.recordings(shapes), one) for one in recorders]
    compiler = os.environ.get("CXX") or "c++"
    if shutil.which(compiler) is None:
        raise IoError(f"build: {compiler} was not found: install g++, or name a compiler of C++20 in CXX")
    header = inspect.getsourcefile(inspect.unwrap(recorders[0].function.function)) or "python"
    library, notes = _core.build_library(
        name,
        f"{pathlib.Path(header).stem}.py",
        [(one.name, one.described, one.results, one.has_shapes, texts) for texts, one in recorded],
        options,
        text("build: version", version),
        directory,
        str(package),
    )
    include = os.path.join(os.path.abspath(directory), "include")
    return Built(library, os.path.join(include, f"{name}.h"), os.path.join(include, f"{name}.hpp"), include, tuple(notes))
