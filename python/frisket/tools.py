# SPDX-License-Identifier: MIT
"""Schedules of functions and steps, and what works on this machine."""
import math
import os
import typing
from collections.abc import Callable
from typing import Any

from . import _core, libraries
from .calls import path as path_of, whole
from .display import as_table, table_html
from .errors import BindingError
from .tracing import compiled


class Tuned(typing.NamedTuple):
    """The schedule of one part of a function or a step, as fk.tune found it."""

    name: str
    schedule: str | None  # None: the default stays
    gain: float  # time of the default by that of the schedule
    default_s: float
    best_s: float
    noise: float  # |time of the default by itself - 1|
    tried: int
    spent_s: float


class TunedParts(list[Tuned]):
    """The parts of a function or a step that fk.tune looked at."""

    def _rows(self):
        head = ["part", "default", "best", "gain", "tried", "schedule"]
        rows = [
            [one.name, _time(one.default_s), _time(one.best_s), f"{one.gain:.2f}", str(one.tried), one.schedule or "the default"]
            for one in self
        ]
        return head, rows

    def __repr__(self):
        return as_table(*self._rows()) if self else "no part was tuned"

    def _repr_html_(self):
        return table_html(*self._rows())


def _time(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            return f"{seconds / size:.3g} {unit}"
    raise AssertionError(seconds)


def tune(function: Callable[..., Any], *args: Any, seconds: float = 10.0, seed: int = 1, **keywords: Any) -> TunedParts:
    """Looks for the schedule with which a function or a step runs fastest on arguments like these, on this machine.

    The arguments are read; what a step would write is written to copies.  The result is kept where later calls and processes
    find it: FRISKET_TUNING_DB names the file.  Ctrl-C ends the search with what was found until then."""
    if not (isinstance(seconds, (int, float)) and 0 < seconds < math.inf):
        raise BindingError(f"tune: seconds={seconds}, wanted a positive number of seconds")
    entry, leaves = compiled(function).entry_of(*args, **keywords)
    found = entry.kernel.tune(leaves + entry.captured, float(seconds), whole("seed", seed, 0, 2**64 - 1))
    return TunedParts(Tuned(**one) for one in found)


def show(function: Callable[..., Any], *args: Any, **keywords: Any) -> str:
    """The instructions of a function or a step as text, as a call with these arguments is traced."""
    entry, _ = compiled(function).entry_of(*args, **keywords)
    return str(entry.kernel)


class Compilation(typing.NamedTuple):
    """Loops that a call compiled, or read from the disk."""

    name: str  # the function or the step
    loops: str  # the loops within it: a schedule, or the forms of the arguments
    target: str
    seconds: float
    is_read: bool  # from the disk

    def __str__(self):
        how = "read from the disk" if self.is_read else "compiled"
        return f"{self.name}, {self.loops}, for {self.target}: {how} in {_time(self.seconds)}"


def on_compile(function: Callable[[Compilation], object] | None) -> None:
    """Has a function called with a Compilation after each one, fk.on_compile(print); None removes it.

    It is called on the main thread, at the end of the call that compiled or soon after."""
    if function is not None and not callable(function):
        raise BindingError(f"on_compile: {function!r} is no function: write fk.on_compile(print), or None")
    _core.on_compile(function and (lambda *fields: function(Compilation(*fields))))


class TuningRecord(typing.NamedTuple):
    """A schedule that fk.tune found for a part of a step or a function."""

    part: str
    layout: str
    log2_elements: int
    target: str
    schedule: str | None  # None: nothing is faster than the default
    gain: float
    is_used: bool  # found on this machine, by this build


class Tuning:
    """Schedules that fk.tune found, in a file that other processes read: fk.tuning."""

    @property
    def path(self) -> str | None:
        """The file; None: no schedules are read or kept.  Another one holds for what is first called from then on."""
        return _core.machine()["schedules"][0] or None

    @path.setter
    def path(self, file: str | os.PathLike[str] | None) -> None:
        os.environ["FRISKET_TUNING_DB"] = "off" if file is None else path_of("tuning.path", file)
        _core.reread_tuning()

    def records(self) -> list[TuningRecord]:
        """All records, of other machines and builds too."""
        return [TuningRecord(*one[:4], one[4] or None, *one[5:]) for one in _core.tuning_records()]

    def export(self, file: str | os.PathLike[str]) -> int:
        """Writes all records as text, for version control and the `schedules` of fk.build; gives how many there are."""
        return _core.export_tuning(path_of("export: the file", file))

    def merge(self, file: str | os.PathLike[str]) -> int:
        """Takes the records of a file of `export`, or of another database, that are newer; gives how many."""
        return _core.merge_tuning(path_of("merge: the file", file))

    def clear(self) -> int:
        """Removes all records; gives how many there were."""
        return _core.clear_tuning()

    def __repr__(self):
        path, count, here = _core.machine()["schedules"]
        return f"{count} records, {here} for this machine and build, in {path}" if path else "no schedules are kept"


tuning = Tuning()


class Report(str):
    """Text that is displayed with its lines."""

    def __repr__(self):
        return str(self)


def doctor() -> Report:
    """A report of this machine: the module that runs and why, versions, processor, targets, devices, kept loops and schedules."""
    import platform

    import numpy as np

    facts = _core.machine()
    compiler = f"Halide {facts['halide']}" if facts["halide"] else "no"
    lines = [
        ("frisket", facts["frisket"]),
        ("compiler", f"{compiler}: {libraries.why}"),
        ("rules", f"compiled ahead of time for {facts['rules']}" if facts["rules"] else "none are compiled ahead of time"),
        ("python", f"{platform.python_version()}, NumPy {np.__version__}"),
        ("threads", f"{facts['threads']}; FRISKET_NUM_THREADS says otherwise"),
    ]
    if not facts["halide"]:
        return _report(lines)
    lines.append(("processor", facts["processor"]))
    lines += [(f"target {name}", f"no: {why}" if why else "yes") for name, why in facts["targets"].items()]
    lines += [("device", f"{name}, {size / 2**30:.1f} GiB") for name, size in facts["devices"].items()]
    path, count, size = facts["loops"]
    lines.append(("cache", f"{path}: {count} loops, {size} bytes" if path else "off: every process compiles its loops"))
    path, count, here = facts["schedules"]
    records = f"{path}: {count} records, {here} for this machine and build"
    lines.append(("tuning", records if path else "off: no database is read"))
    return _report(lines)


def _report(lines):
    return Report("\n".join(f"{name:20} {text}" for name, text in lines))


class Cache:
    """Compiled loops that are kept on disk for other processes: fk.cache."""

    path = property(lambda self: _core.machine()["loops"][0])
    count = property(lambda self: _core.machine()["loops"][1])
    size = property(lambda self: _core.machine()["loops"][2], doc="Bytes of all.")

    def clear(self) -> int:
        """Removes all of them; gives how many there were."""
        return _core.clear_loops()

    def __repr__(self):
        facts = _core.machine()
        path, count, size = facts["loops"]
        if path:
            return f"{count} compiled loops, {size} bytes, in {path}"
        return f"no loops are kept: {'FRISKET_CACHE_DIR is off' if facts['halide'] else 'nothing is compiled without the compiler'}"


cache = Cache()
