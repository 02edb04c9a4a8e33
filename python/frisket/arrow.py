# SPDX-License-Identifier: MIT
"""Columns of Arrow (Polars, pandas, DuckDB, pyarrow) as masked arrays: null is unspecified.

The interface is the Arrow PyCapsule interface: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html"""
import ctypes
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_int64, c_void_p

import numpy as np

from . import _core
from .errors import BindingError, DTypeError, LayoutError

# Formats of columns, and their dtypes; "b" has a bit for each element.
formats = {b"f": "float32", b"g": "float64", b"e": "float16", b"i": "int32", b"l": "int64", b"C": "uint8", b"b": "bool"}


class Schema(Structure):
    """A type of a column."""


Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", c_void_p), ("private_data", c_void_p),
]  # fmt: skip


class Chunk(Structure):
    """Memory of a column, or of a part of one."""

    _fields_ = [
        ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
        ("buffers", POINTER(c_void_p)), ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p),
        ("private_data", c_void_p),
    ]  # fmt: skip

    def __del__(self):  # chunks of a stream are ours; a capsule releases its own
        if getattr(self, "is_owned", False) and self.release:
            ctypes.CFUNCTYPE(None, POINTER(Chunk))(self.release)(byref(self))


class Stream(Structure):
    """The parts of a column, one after the other."""

    _fields_ = [
        ("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p), ("release", c_void_p), ("private_data", c_void_p),
    ]  # fmt: skip


def _pointer(capsule, name, kind):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return ctypes.cast(get(capsule, name), POINTER(kind))


def is_column(x):
    """True if an object exports a column of Arrow."""
    return hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")


def of_column(x):
    """A column as fk.Masked: values in place, and validity bits as a bitmask; columns of several parts are copied."""
    if hasattr(x, "__arrow_c_array__"):
        schema, array = x.__arrow_c_array__()
        dtype = _dtype(x, _pointer(schema, b"arrow_schema", Schema).contents)
        return _masked(_pointer(array, b"arrow_array", Chunk).contents, dtype, array)
    capsule = x.__arrow_c_stream__()
    dtype, chunks = _read(x, _pointer(capsule, b"arrow_array_stream", Stream))
    parts = [_masked(chunk, dtype, chunk) for chunk in chunks]
    if len(parts) == 1:
        return parts[0]
    values = [part.stored_values for part in parts] or [np.zeros(0, dtype)]
    return _core.strided(np.concatenate(values), np.concatenate([part.mask for part in parts] or [np.zeros(0, bool)]))


def _dtype(x, schema):
    if schema.dictionary or schema.format not in formats:
        raise DTypeError(
            f"a column of type {type(x).__name__} has elements of Arrow's format {schema.format.decode()!r}, wanted one of float16, "
            "float32, float64, int32, int64, uint8 and bool: cast it; of a table take one column"
        )
    return formats[schema.format]


def _read(x, stream):
    """The dtype of a stream, and its chunks."""
    call = lambda address, *kinds: ctypes.CFUNCTYPE(c_int, POINTER(Stream), *kinds)(address)  # noqa: E731

    def check(status):
        if status != 0:
            last = ctypes.CFUNCTYPE(c_char_p, POINTER(Stream))(stream.contents.get_last_error)(stream)
            raise BindingError(f"a column of type {type(x).__name__} cannot be read: {(last or b'').decode()}")

    schema = Schema()
    check(call(stream.contents.get_schema, POINTER(Schema))(stream, byref(schema)))
    try:
        dtype = _dtype(x, schema)
    finally:
        ctypes.CFUNCTYPE(None, POINTER(Schema))(schema.release)(byref(schema))
    chunks = []
    while True:
        chunk = Chunk()
        check(call(stream.contents.get_next, POINTER(Chunk))(stream, byref(chunk)))
        if not chunk.release:
            return dtype, chunks
        chunk.is_owned = True
        chunks.append(chunk)


def _memory(address, size, owner):
    """Bytes at an address as a read-only array, which keeps their owner."""
    if size == 0 or not address:
        return np.zeros(0, np.uint8)
    held = (c_char * size).from_address(address)
    held.owner = owner
    made = np.frombuffer(held, np.uint8)
    made.flags.writeable = False
    return made


def _bits(address, offset, length, owner):
    """Bits as an array of bool."""
    held = _memory(address, (offset + length + 7) // 8, owner)
    return np.unpackbits(held, bitorder="little")[offset : offset + length].astype(bool)


def _masked(chunk, dtype, owner):
    if chunk.n_buffers != 2:
        raise LayoutError(f"a column of Arrow has {chunk.n_buffers} buffers, wanted two: validity and values")
    length, offset = chunk.length, chunk.offset
    validity, address = chunk.buffers[0], chunk.buffers[1]
    if dtype == "bool":
        values = _bits(address, offset, length, owner)
    else:
        size = np.dtype(dtype).itemsize
        values = _memory((address or 0) + offset * size if address else None, length * size, owner).view(dtype)
    if not validity:
        return _core.strided(values, np.ones(length, bool))
    if offset % 64 == 0 and length % 64 == 0 and (validity + offset // 8) % 8 == 0 and length > 0:
        words = _memory(validity + offset // 8, length // 8, owner).view(np.int64)
        return _core.bitmask(values, words)
    return _core.strided(values, _bits(validity, offset, length, owner))


def to_arrow(masked):
    """A pyarrow.Array of one dimension: null where nothing is specified."""
    import pyarrow

    if masked.ndim != 1:
        raise LayoutError(f"a column of Arrow has one dimension, and this array has {masked.ndim}: write x.reshape(-1)")
    return pyarrow.array(masked.filled(0), mask=~masked.mask)
