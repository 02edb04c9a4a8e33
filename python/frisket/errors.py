# SPDX-License-Identifier: MIT
"""Classes of errors: each also derives from the class that Python users catch."""
import builtins

from . import _core


class Error(Exception):
    """Base of all errors of frisket; the text says what was found, what was wanted and what to write instead."""


class MaskMismatch(Error, ValueError):
    """Two masked operands that meet specify different elements."""


class IdentityError(Error, ValueError):
    """An operation without an identity element where one is needed."""


class ShapeError(Error, ValueError):
    """Shapes do not broadcast, or a number of elements is wrong."""


class DimError(Error, ValueError):
    """A dimension is out of range or repeated."""


class IndexError(Error, builtins.IndexError):  # noqa: A001
    """An index is out of range."""


class DTypeError(Error, TypeError):
    """An operation is not defined for a dtype."""


class InvalidValueError(Error, ValueError):
    """A value is not allowed."""


class UnspecifiedError(Error, ValueError):
    """An unspecified element was read as a number."""


class LayoutError(Error, ValueError):
    """A rule of a layout is broken."""


class BindingError(Error, TypeError):
    """An argument is missing, unknown, given twice, or of the wrong kind."""


class ScheduleError(Error, ValueError):
    """A schedule is illegal."""


class TargetError(Error, RuntimeError):
    """A target is unknown, or absent on this machine."""


class IoError(Error, OSError):
    """A file cannot be read or written."""


class TraceError(Error, TypeError):
    """A traced value is used in a way that needs its elements."""


codes = {
    "mask_mismatch": MaskMismatch,
    "identity": IdentityError,
    "shape": ShapeError,
    "dim": DimError,
    "index": IndexError,
    "dtype": DTypeError,
    "value": InvalidValueError,
    "unspecified": UnspecifiedError,
    "layout": LayoutError,
    "binding": BindingError,
    "schedule": ScheduleError,
    "target": TargetError,
    "io": IoError,
}
for _code, _class in codes.items():
    _core.set_error_class(_code, _class)
