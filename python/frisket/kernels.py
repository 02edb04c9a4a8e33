# SPDX-License-Identifier: MIT
"""Steps and functions of libraries that frisket_add_kernels or `frisket build` has made: fk.load_kernels.

They are called by the C interface of the library (frisket/c_api.h), which needs no compiler."""
import ctypes
import json
import os
import re
from typing import Any

import numpy as np

from . import _core, errors
from .calls import number, path as path_of, text, whole
from .errors import BindingError, IoError, LayoutError
from .interop import Masked, asmasked

abi_version = 2  # FRISKET_ABI_VERSION of the structs below
max_rank = 8  # FRISKET_MAX_RANK


class Codes:
    """The numbers of c_api.h by their names, as a library describes them."""

    def __init__(self, described):
        self.dtypes, self.layouts = described["dtypes"], described["masked_layouts"]
        self.errors = [errors.codes.get(name, errors.Error) for name in described["errors"]]
        self.numbers = {np.dtype(name): code for code, name in enumerate(self.dtypes) if name != "bfloat16"}


class Tensor(ctypes.Structure):
    """frisket_tensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
    ]  # fmt: skip


class MaskedTensor(ctypes.Structure):
    """frisket_masked."""

    _fields_ = [
        ("layout", ctypes.c_int), ("rank", ctypes.c_int), ("shape", ctypes.c_void_p), ("values", Tensor), ("mask", Tensor),
        ("indices", ctypes.c_void_p), ("count", ctypes.c_int64), ("index_dtype", ctypes.c_int), ("pointers", ctypes.c_void_p),
        ("pointer_count", ctypes.c_int64), ("block_rows", ctypes.c_int64), ("block_columns", ctypes.c_int64),
    ]  # fmt: skip


class Result(ctypes.Structure):
    """frisket_result."""

    _fields_ = [
        ("layout", ctypes.c_int), ("values", ctypes.c_void_p), ("values_bytes", ctypes.c_int64), ("mask", ctypes.c_void_p),
        ("mask_bytes", ctypes.c_int64), ("indices", ctypes.c_void_p), ("indices_bytes", ctypes.c_int64), ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int), ("shape", ctypes.c_int64 * max_rank), ("count", ctypes.c_int64),
    ]  # fmt: skip


def _address(array):
    return array.__array_interface__["data"][0]


class Arguments:
    """Structs of a call, and the arrays that they point to."""

    def __init__(self, codes):
        self.codes = codes
        self.kept = []

    def numbers(self, values):
        """The address of int64s."""
        made = (ctypes.c_int64 * len(values))(*values)
        self.kept.append(made)
        return ctypes.addressof(made)

    def tensor(self, name, value, is_written):
        array = value if isinstance(value, np.ndarray) else self._as_numpy(name, value)
        if is_written and not (array.flags.writeable and array.flags.aligned):
            raise BindingError(f"{name} is written, and this array is read-only: write x.copy()")
        number = self.codes.numbers.get(array.dtype)
        if number is None:
            known = ", ".join(str(dtype) for dtype in self.codes.numbers)
            raise errors.DTypeError(f"{name} has dtype {array.dtype}, wanted one of {known}")
        size = array.itemsize
        if any(step % size for step in array.strides):
            raise BindingError(f"{name} has elements that lie between others: write np.ascontiguousarray(x)")
        self.kept.append(array)
        shape, strides = self.numbers(array.shape), self.numbers([step // size for step in array.strides])
        return Tensor(_address(array), number, array.ndim, shape, strides)

    @staticmethod
    def _as_numpy(name, value):
        if isinstance(value, Masked):
            raise BindingError(f"{name} is a dense array of the step, and a masked one came: write x.filled(value)")
        try:
            return np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value)
        except Exception as error:  # an object of another library may raise anything
            raise BindingError(f"{name}: a value of type {type(value).__name__} is no array of the processor: {error}") from None

    def masked(self, name, value):
        if not isinstance(value, Masked):
            if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray):
                return MaskedTensor(layout=self.codes.layouts.index("dense"), values=self.tensor(name, value, False))
            value = asmasked(value)
        if value.layout in ("bitmask", "two_four"):
            value = value.to("strided")
        made = MaskedTensor(layout=self.codes.layouts.index(value.layout), rank=value.ndim)
        made.shape = self.numbers(value.shape)
        made.values = self.tensor(name, value.stored_values, False)
        if value.layout == "strided":
            made.mask = self.tensor(name, value.mask, False)
        else:
            self._list(made, name, value)
        return made

    def _list(self, made, name, value):
        indices = np.ascontiguousarray(value.indices, np.int64)
        made.indices, made.count = _address(indices), value.stored_values.shape[0]
        self.kept.append(indices)
        made.index_dtype = self.codes.dtypes.index("int64")
        if value.stored_mask is not None:
            made.mask = self.tensor(name, value.stored_mask, False)
        if value.pointers is not None:
            pointers = np.ascontiguousarray(value.pointers, np.int64)
            self.kept.append(pointers)
            made.pointers, made.pointer_count = _address(pointers), len(pointers)
        if value.blocksize is not None:
            made.block_rows, made.block_columns = value.blocksize


def _c_type(parameter):
    """The type of a parameter's member in the struct of a call."""
    if parameter["kind"] == "Scalar":
        return ctypes.c_int64 if parameter["dtype"] == "int64" else ctypes.c_double
    pointed = {"Masked": MaskedTensor, "ScalarState": ctypes.c_double}.get(parameter["kind"], Tensor)
    return ctypes.POINTER(pointed)


class Kernel:
    """A step or a function of a library, which is called with arrays and numbers by position or by name."""

    def __init__(self, library, described):
        self.library, self.name, self.codes = library, described["name"], library.codes
        self.parameters, self.layouts = described["parameters"], described["layouts"]
        self.results = described["results"]
        fields = [(p["name"], _c_type(p)) for p in self.parameters]
        if self.results:
            fields.append(("results", ctypes.POINTER(Result) * self.results))
        self.struct = type(f"{self.name}_args", (ctypes.Structure,), {"_fields_": fields or [("no_arguments", ctypes.c_int)]})
        self.call = library.function(f"{self.name}_sized", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        self.__doc__ = f"{'Function' if self.results else 'Step'} {self.name} of {library.name}: {self.signature}."

    @property
    def signature(self):
        """The parameters as text."""
        return ", ".join(f"{p['name']}: {p['kind']} {p['dtype']}{', written' if p['written'] else ''}" for p in self.parameters)

    def __repr__(self):
        return f"<{self.library.name}.{self.name}({self.signature}); layouts {self.layouts or 'of dense arrays'}>"

    def _bound(self, given, named):
        names = [p["name"] for p in self.parameters]
        if len(given) > len(names):
            raise BindingError(f"{self.name} takes {len(names)} arguments, and {len(given)} came: {self.signature}")
        values = dict(zip(names, given))
        for name, value in named.items():
            if name not in names or name in values:
                raise BindingError(f"{self.name}: the argument {name} is {'given twice' if name in values else 'not known'}: {self.signature}")
            values[name] = value
        missing = [name for name in names if name not in values]
        if missing:
            raise BindingError(f"{self.name}: the argument {missing[0]} is missing: {self.signature}")
        return values

    def _filled(self, arguments, values):
        made = self.struct()
        for parameter in self.parameters:
            name, kind, value = parameter["name"], parameter["kind"], values[parameter["name"]]
            if kind == "Scalar":
                setattr(made, name, whole(name, value) if parameter["dtype"] == "int64" else number(name, value))
            elif kind == "ScalarState":
                state = arguments.tensor(name, value, True)
                if self.codes.dtypes[state.dtype] != "float64" or np.size(value) != 1:
                    raise BindingError(f"{self.name}: {name} is a number that the step keeps: give np.zeros(1)")
                setattr(made, name, ctypes.cast(state.data, ctypes.POINTER(ctypes.c_double)))
            elif kind == "Masked":
                setattr(made, name, ctypes.pointer(arguments.masked(name, value)))
            else:
                setattr(made, name, ctypes.pointer(arguments.tensor(name, value, parameter["written"])))
        return made

    def __call__(self, *given: Any, **named: Any) -> Any:
        arguments = Arguments(self.codes)
        made = self._filled(arguments, self._bound(given, named))
        if not self.results:
            return self.library.check(self.call(ctypes.byref(made), ctypes.sizeof(made), abi_version))
        results = [Result() for _ in range(self.results)]
        made.results = (ctypes.POINTER(Result) * self.results)(*(ctypes.pointer(one) for one in results))
        self.library.check(self.call(ctypes.byref(made), ctypes.sizeof(made), abi_version))  # shapes and dtypes
        arrays = [self._memory(one) for one in results]
        self.library.check(self.call(ctypes.byref(made), ctypes.sizeof(made), abi_version))
        found = [values if mask.all() else _core.strided(values, mask) for values, mask in arrays]
        return found[0] if self.results == 1 else tuple(found)

    def _memory(self, result):
        """Memory of a result, whose shape and dtype are known: values and their mask."""
        shape = tuple(result.shape[: result.rank])
        values = np.empty(shape, self.codes.dtypes[result.dtype])
        mask = np.ones(shape, bool)
        result.layout = self.codes.layouts.index("strided")
        result.values, result.values_bytes = _address(values), values.nbytes
        result.mask, result.mask_bytes = _address(mask), mask.nbytes
        return values, mask


class Kernels:
    """The steps and functions of a library, as attributes."""

    def __init__(self, path, name):
        self.path, self.name = path, name
        try:
            self._library = ctypes.CDLL(path)
        except OSError as error:
            raise IoError(f"load_kernels: {path} cannot be loaded: {error}") from None
        try:
            described = self.function("describe", ctypes.c_char_p)()
        except AttributeError:
            raise LayoutError(
                f"load_kernels: {path} has no function {name}_describe: it is no shared library of frisket_add_kernels, was made by an "
                f"older one, or has another name: write fk.load_kernels(path, name=\"...\")"
            ) from None
        self._error = self.function("last_error", ctypes.c_char_p)
        self.described = json.loads(described.decode())
        if "masked_layouts" not in self.described:
            raise LayoutError(f"load_kernels: {path} was made by an older frisket, and does not describe its codes: build it again")
        self.codes = Codes(self.described)
        self.targets = self.described["targets"]
        self.kernels = {step["name"]: Kernel(self, step) for step in self.described["steps"]}

    def function(self, name, result, *arguments):
        found = getattr(self._library, f"{self.name}_{name}")
        found.restype, found.argtypes = result, list(arguments)
        return found

    def check(self, code):
        if code != 0:
            raise self.codes.errors[code](self._error().decode().removeprefix("frisket: "))

    def __getattr__(self, name: str) -> Kernel:
        kernels = self.__dict__.get("kernels", {})
        if name in kernels:
            return kernels[name]
        raise AttributeError(f"{self.__dict__.get('name')} has no step {name}: it has {', '.join(kernels)}")

    def __dir__(self):
        return [*super().__dir__(), *self.kernels]

    def __repr__(self):
        return f"<kernels {self.name} for {', '.join(self.targets)}: {', '.join(self.kernels)}>"


def load_kernels(path: str | os.PathLike[str], name: str | None = None) -> Kernels:
    """The steps and functions of a shared library of kernels, compiled ahead of time: `fk.load_kernels("libmine.so").adagrad(p, s, g, lr=0.1)`.

    Steps update NumPy arrays and what shares memory with DLPack in place; functions give arrays, or fk.Masked.  `name` is that
    of frisket_add_kernels, unless the file is called libNAME.so."""
    path = path_of("load_kernels: the path", path)
    if name is None:
        found = re.fullmatch(r"lib(\w+)\.so[.\d]*", os.path.basename(path))
        if found is None:
            raise BindingError(f"load_kernels: {path} is not called libNAME.so: write fk.load_kernels(path, name=\"...\")")
        name = found[1]
    text("load_kernels: name", name)
    return Kernels(path if os.sep in path else os.path.join(os.curdir, path), name)
