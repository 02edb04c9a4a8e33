# SPDX-License-Identifier: MIT
"""Malformed calls: each raises an error with a sentence, and changes no array."""
import ctypes
import inspect
import itertools
import sys

import frisket as fk
import numpy as np
import pytest

try:
    import torch
except ImportError:
    torch = None


class Managed(ctypes.Structure):
    """DLManagedTensor of DLPack."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    ]  # fmt: skip


class Lying:
    """An object whose __dlpack__ describes memory that it does not have."""

    def __init__(self, capsule_name=b"dltensor", shape=(2, 3), strides=None, device=(1, 0), **facts):
        self.memory = (ctypes.c_float * 6)()
        self.extents = (ctypes.c_int64 * len(shape))(*shape)
        self.steps = None if strides is None else (ctypes.c_int64 * len(strides))(*strides)
        given = {
            "data": ctypes.addressof(self.memory), "device_type": device[0], "device_id": device[1], "ndim": len(shape), "code": 2,
            "bits": 32, "lanes": 1, "shape": ctypes.addressof(self.extents),
            "strides": None if self.steps is None else ctypes.addressof(self.steps),
        }  # fmt: skip
        self.tensor = Managed(**{**given, **facts})
        self.device, self.capsule_name = device, capsule_name

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), self.capsule_name, None)


class Giving:
    """An object whose __dlpack__ returns this, or raises it."""

    def __init__(self, given):
        self.given = given

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def no_arrays():
    """Objects that are no array of 2 x 3 float32, by their fault."""
    x = np.arange(6, dtype="float32").reshape(2, 3)
    yield from {
        "complex64": x.astype("complex64"), "complex128": x.astype("complex128"), "byte order": x.astype(">f4"),
        "str": np.full((2, 3), "a"), "bytes": np.full((2, 3), b"a"), "object": np.full((2, 3), None), "datetime": np.zeros((2, 3), "M8[s]"),
        "timedelta": np.zeros((2, 3), "m8[s]"), "record": np.zeros((2, 3), [("a", "f4"), ("b", "i4")]), "int8": x.astype("int8"),
        "uint16": x.astype("uint16"), "uint32": x.astype("uint32"), "uint64": x.astype("uint64"), "longdouble": x.astype("longdouble"),
        "a text": "abc", "a set": {1.0}, "an object": object(), "a class": np.ndarray, "a function": len,
        "a module": sys, "Ellipsis": ..., "a complex number": 1j, "a generator": (i for i in range(3)), "a range": range(6),
        "an iterator": iter([1.0]), "a slice": slice(3), "NotImplemented": NotImplemented,
        "dlpack raises": Giving(ValueError("no")), "dlpack gives None": Giving(None), "dlpack gives a number": Giving(3),
        "dlpack gives an array": Giving(x), "capsule of another name": Lying(b"other"), "a used capsule": Lying(b"used_dltensor"),
        "no data": Lying(data=None), "17 lanes": Lying(lanes=17), "3 bits": Lying(bits=3), "128 bits": Lying(bits=128),
        "code 77": Lying(code=77), "complex dlpack": Lying(code=5, bits=64), "negative extent": Lying(shape=(-2, 3)),
        "huge extents": Lying(shape=(1 << 40, 1 << 40)), "negative rank": Lying(ndim=-1), "rank 1000": Lying(ndim=1000),
        "opaque handles": Lying(code=3), "CUDA memory": Lying(device=(2, 0)),
        "unknown device": Lying(device=(99, 0)), "odd offset": Lying(byte_offset=1),
    }.items()  # fmt: skip
    if torch is None:
        return
    t = torch.arange(6.0).reshape(2, 3)
    gone = torch.arange(6.0).reshape(2, 3)
    gone.untyped_storage().resize_(0)
    yield from {
        "torch negative bit": torch._neg_view(t), "torch conjugate": t.to(torch.complex64).conj(), "torch complex": t.to(torch.complex64),
        "torch requires grad": t.clone().requires_grad_(), "torch meta": torch.empty(2, 3, device="meta"),
        "torch int8": t.to(torch.int8), "torch int16": t.to(torch.int16), "torch float8": t.to(torch.float8_e4m3fn),
        "torch freed memory": gone, "torch quantized": torch.quantize_per_tensor(t, 0.1, 0, torch.qint8),
        "torch result of a graph": t.clone().requires_grad_() * 2,
    }.items()  # fmt: skip


good = np.arange(6, dtype="float32").reshape(2, 3) + 1
mask = good > 2
masked = fk.masked(good, mask)


@fk.step
def descend(p, g, *, lr):
    p -= lr * g


scaled = fk.jit(lambda x: x * 2.0)
# Calls with a bad argument; the last column names the tensors that they would write.
places = {
    "exp": lambda bad: fk.exp(bad),
    "add, first": lambda bad: fk.add(bad, good),
    "add, second": lambda bad: fk.add(masked, bad),
    "sum": lambda bad: fk.sum(bad, axis=0),
    "matmul": lambda bad: fk.matmul(good.T, bad),
    "where": lambda bad: fk.where(mask, bad, good),
    "concatenate": lambda bad: fk.concatenate([good, bad]),
    "jit": lambda bad: scaled(bad),
    "values": lambda bad: fk.masked(bad, mask),
    "mask": lambda bad: fk.masked(good, bad),
    "rows": lambda bad: fk.rows((2, 3), [0, 1], bad),
    "coo": lambda bad: fk.coo((2, 3), [[0, 1], [1, 2]], bad),
    "csr pointers": lambda bad: fk.csr((2, 3), bad, [0, 1], good[0, :2]),
    "parameter of a step": lambda bad: descend(bad, good, lr=0.1),
    "gradient of a step": lambda bad: descend(good, bad, lr=0.1),
    "parameter of an optimizer": lambda bad: fk.optim.SGD([bad], lr=0.1),
    "gradient of an optimizer": lambda bad: fk.optim.SGD([good], lr=0.1).step([bad]),
    "asmasked": lambda bad: fk.asmasked(bad),
    "eval": lambda bad: fk.eval(lambda x: x + 1, bad),
    "grad": lambda bad: fk.grad(lambda x: fk.sum(x * good))(bad),
}
bad_values = dict(no_arrays())
# 1j * 2.0 of a function is no array, and nothing is computed.
taken = {("jit", "a complex number"), ("eval", "a complex number")}
bad_rows = [row for row in itertools.product(places, bad_values) if row not in taken]


def check_refused(call, *arrays):
    """A call raises an error with a sentence, and every array stays."""
    before = good.copy(), mask.copy(), masked.filled(-1), *(np.array(array) for array in arrays)
    with pytest.raises((fk.Error, TypeError, ValueError, IndexError)) as caught:
        call()
    assert len(str(caught.value).split()) >= 3, str(caught.value)
    assert "please report" not in str(caught.value)
    for array, old in zip((good, mask, masked.filled(-1), *arrays), before):
        assert np.array_equal(array, old)


@pytest.mark.parametrize("place, name", bad_rows, ids=[f"{place}: {name}" for place, name in bad_rows])
def test_no_array(place, name):
    check_refused(lambda: places[place](bad_values[name]))


@fk.step
def two(p, s, g, *, lr):
    s += g * g
    p -= lr * g / (fk.sqrt(s) + 1e-10)


def written():
    """Arrays of a step that are no memory to write to: (name, parameter, state, gradient)."""
    p, s, g = (np.ones((4, 4), "float32") for _ in range(3))
    long = np.ones(40, "float32")
    frozen = p.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen, s, g
    yield "read-only state", p, frozen, g
    yield "broadcast", np.broadcast_to(p[0], (4, 4)), s, g
    yield "from bytes", np.frombuffer(bytes(64), "float32").reshape(4, 4), s, g
    yield "parameter and state", p, p, g
    yield "parameter and gradient", p, s, p
    yield "transposed parameter as gradient", p, s, p.T
    yield "reversed parameter as gradient", p, s, p[::-1]
    yield "overlap of one element", long[:16].reshape(4, 4), long[15:31].reshape(4, 4), g
    yield "overlap with the gradient", long[:16].reshape(4, 4), s, long[8:24].reshape(4, 4)
    yield "windows on themselves", np.lib.stride_tricks.as_strided(long, (4, 4), (4, 4)), s, g
    yield "rows on themselves", np.lib.stride_tricks.as_strided(long, (4, 4), (0, 4)), s, g
    yield "float64 beside float32 state of int64", p, np.ones((4, 4), "int64"), g
    yield "a parameter of int64", np.ones((4, 4), "int64"), s, g
    yield "a parameter of bool", np.ones((4, 4), bool), s, g
    yield "a parameter of uint8", np.ones((4, 4), "uint8"), s, g
    yield "a masked parameter", fk.masked(p, p > 0), s, g
    yield "a sparse parameter", fk.coo((4, 4), [[0], [0]], np.ones(1, "float32")), s, g
    yield "np.ma as parameter", np.ma.masked_array(p, p > 0), s, g
    yield "a list as parameter", p.tolist(), s, g
    for shape in ((4,), (4, 5), (5, 4), (1, 4), (4, 4, 4), (0,), (), (2, 2)):
        yield f"a state of shape {shape}", p, np.ones(shape, "float32"), g
        yield f"a parameter of shape {shape}", np.ones(shape, "float32"), s, g
    for shape in ((5,), (4, 5), (5, 4), (4, 4, 4), (0,), (2, 2), (3, 1)):
        yield f"a gradient of shape {shape}", p, s, np.ones(shape, "float32")
        yield f"a masked gradient of shape {shape}", p, s, fk.masked(np.ones(shape, "float32"), np.ones(shape, bool))
    if torch is None:
        return
    t = torch.ones(4, 4)
    yield "torch parameter that requires grad", t.clone().requires_grad_(), s, g
    yield "torch expanded parameter", torch.ones(4).expand(4, 4), s, g
    yield "torch parameter of meta", torch.ones(4, 4, device="meta"), s, g
    yield "torch parameter of negative bit", torch._neg_view(t.clone()), s, g
    yield "torch parameter that shares memory", t, t.numpy(), g
    yield "torch sparse parameter", t.to_sparse(), s, g


writes = list(written())


@pytest.mark.parametrize("name, p, s, g", writes, ids=[row[0] for row in writes])
def test_no_memory_to_write(name, p, s, g):
    arrays = [x for x in (p, s, g) if isinstance(x, np.ndarray)]
    check_refused(lambda: two(p, s, g, lr=0.1), *arrays)


def optimizers():
    """Calls of optimizers: a sentence, and nothing is updated."""
    w, b = np.ones((4, 4), "float32"), np.ones(4, "float32")
    make = fk.optim.SGD
    for shape in ((4,), (4, 5), (5, 4), (4, 4, 1), (0, 4), ()):
        yield lambda shape=shape: make([w], lr=0.1).step([np.ones(shape, "float32")])
        yield lambda shape=shape: make([w], lr=0.1).step([fk.masked(np.ones(shape, "float32"), np.ones(shape, bool))])
    for dtype in ("int32", "int64", "bool", "uint8"):
        yield lambda dtype=dtype: make([w.astype(dtype)], lr=0.1)
        yield lambda dtype=dtype: make([w], lr=0.1).step([np.ones((4, 4), dtype)])
    for gradients in ([], [w, w], {"q": w}, [w, None, None], "w", None, 3):
        yield lambda gradients=gradients: make([w], lr=0.1).step(gradients)
    for options in ({"lr": -1.0}, {"lr": "a"}, {"lr": None}, {"lr": float("nan")}, {"momentum": -1.0}, {"moment": 0.1}, {"nesterov": 3},
                    {"untouched": "some"}, {"seed": -1}, {"seed": "a"}, {"stochastic_rounding": "a"}, {"betas": (0.9, 0.9)}):  # fmt: skip
        yield lambda options=options: make([w], **{"lr": 0.1, **options})
    for beta in (-0.1, 1.0, 2.0, float("nan"), float("inf")):
        yield lambda beta=beta: fk.optim.Adam([w], betas=(beta, 0.9))
        yield lambda beta=beta: fk.optim.Adam([w], betas=(0.9, beta))
    yield lambda: fk.optim.Adam([w], betas=0.9)
    yield lambda: fk.optim.Adam([w], betas=(0.9,))
    yield lambda: fk.optim.Optimizer([w])
    yield lambda: make([w, w], lr=0.1)
    yield lambda: make([w, w.T], lr=0.1)
    yield lambda: make([np.broadcast_to(b, (4, 4))], lr=0.1)
    yield lambda: make(w.tolist(), lr=0.1)
    yield lambda: make([w], lr=0.1).set(group=3, lr=0.1)
    yield lambda: make([w], lr=0.1).set(learning_rate=0.1)
    yield lambda: make([w], lr=0.1).options(7)
    yield lambda: make([w], lr=0.1).set_state({"q": {"momentum": w}})
    yield lambda: make([w], lr=0.1).add_group([w], lr=0.2)
    yield lambda: make([w], lr=0.1).step([w.copy()], scale=0.0)
    for number in (float("nan"), -1.0):
        yield lambda number=number: make([w], lr=0.1).step([w.copy()], scale=number)
        yield lambda number=number: make([w], lr=0.1).step([w.copy()], clip_norm=number)
    yield lambda: make([w], lr=0.1).minimize(lambda q: fk.sum(q))
    yield lambda: make({"w": w}, lr=0.1).minimize(lambda w: w * 2)
    yield lambda: make([w], lr=0.1).load("/nowhere/x.safetensors")


optimizer_calls = list(optimizers())


@pytest.mark.parametrize("call", optimizer_calls, ids=range(len(optimizer_calls)))
def test_optimizers(call):
    w = call.__closure__ and next((cell.cell_contents for cell in call.__closure__ if isinstance(cell.cell_contents, np.ndarray)), good)
    with pytest.raises((fk.Error, TypeError, ValueError, OSError, IndexError)) as caught:
        call()
    assert len(str(caught.value).split()) >= 3, str(caught.value)
    assert np.all(w == 1) or w is good


def constructors():
    v, e = np.ones(2, "float32"), []
    two_rows = np.ones((2, 3), "float32")
    for ids in ([0], [0, 1, 1], [0, 2], [-1, 0], [[0, 1]], [0.0, 1.0], ["a", "b"], [True, False]):
        yield lambda ids=ids: fk.rows((2, 3), ids, two_rows)
    for shape in ((2,), (2, 4), (-2, 3), "a", 5, (2.5, 3), None, (1 << 62, 1 << 62)):
        yield lambda shape=shape: fk.rows(shape, [0, 1], two_rows)
    for at in ([[0]], [[0, 1]], [[0, 1], [0]], [[0, 1], [0, 9]], [[0, -1], [0, 0]], [[0, 1], [0, 1], [0, 1]], [0, 1], [["a", "b"], [0, 1]],
               [[0.5, 1], [0, 1]]):  # fmt: skip
        yield lambda at=at: fk.coo((2, 3), at, v)
    for pointers in ([0], [0, 1], [0, 2, 1], [1, 1, 2], [0, 1, 3], [0, -1, 2], [0, 1, 2, 2], [[0, 1, 2]], [0.5, 1, 2], e):
        yield lambda pointers=pointers: fk.csr((2, 3), pointers, [0, 1], v)
    for columns in ([0], [0, 3], [-1, 0], [[0, 1]], [0, 1, 2], ["a", "b"]):
        yield lambda columns=columns: fk.csr((2, 3), [0, 1, 2], columns, v)
        yield lambda columns=columns: fk.csc((3, 2), [0, 1, 2], columns, v)
    yield lambda: fk.csr((2, 3), [0, 2, 2], [1, 1], v)
    yield lambda: fk.csr((2, 3), [0, 2, 2], [1, 0], np.ones((2, 2), "float32"))
    for block in ((0, 1), (-1, 1), (3, 2), (2,), "ab", (2.5, 1), None):
        yield lambda block=block: fk.bsr((2, 3), block, [0, 1], [0], np.ones((1, 2, 1), "float32"))
    for slots in ([0, 0], [3, 1], [0, 4], [0], [-1, 1]):
        yield lambda slots=slots: fk.two_four((1, 4), slots, v)
    yield lambda: fk.two_four((1, 6), [0, 1, 0], np.ones(3, "float32"))
    yield lambda: fk.bitmask(np.ones(65, "float32"), [1])
    yield lambda: fk.bitmask(v, np.ones(1, "float32"))
    yield lambda: fk.bitmask(v, e)
    for values_mask in (np.ones(3, bool), np.ones(2), "a", 3):
        yield lambda values_mask=values_mask: fk.coo((2, 3), [[0, 1], [0, 1]], v, values_mask)
    for layout in ("", "csx", "strided ", "STRIDED", 3, None, "two_four"):
        yield lambda layout=layout: masked.to(layout)
    for block in ((2, 2), (0, 1), (5, 1), 3):
        yield lambda block=block: masked.to("bsr", block)
    for fill in ("a", None, [1], 1j):
        yield lambda fill=fill: masked.filled(fill)
    for key in ("a", 1.5, (0, 0, 0), 9, (0, 9), [9], (..., ...), np.ones((3, 3), bool), (mask, 0), {}):
        yield lambda key=key: masked[key]
    for axis in (2, -3, "a", 1.5, (0, 0), (0, 5), {}):
        for operation in (fk.sum, fk.mean, fk.amax, fk.softmax, fk.argmax):
            yield lambda axis=axis, operation=operation: operation(masked, axis=axis)
    for shape in ((7,), (-1, -1), (-2, 3), (2, 4), "a", 1.5):
        yield lambda shape=shape: fk.reshape(masked, shape)
        yield lambda shape=shape: fk.broadcast_to(good[:1], shape) if shape != (-1, -1) else fk.reshape(masked, shape)
    for dtype in ("float8", "complex64", "int3", 7, object, "", np.dtype("M8[s]")):
        yield lambda dtype=dtype: fk.astype(masked, dtype)
        yield lambda dtype=dtype: fk.sum(masked, dtype=dtype)
    for operands in ((good, good), (good, good[0, :2]), (good[0], good.T[:2]), (np.float32(1), good), (good, masked)):
        yield lambda operands=operands: fk.matmul(*operands)
    for path in ("x", "x.txt", 3, None, "/nowhere/x.npy", "/nowhere/x.safetensors"):
        yield lambda path=path: fk.save(path, {"x": good} if str(path).endswith("s") else good)
        yield lambda path=path: fk.load(path)
    for operation in (fk.bitwise_and, fk.left_shift, fk.bitwise_or):
        yield lambda operation=operation: operation(masked, masked)
        yield lambda operation=operation: operation(masked, 1)


constructor_calls = list(constructors())


@pytest.mark.parametrize("call", constructor_calls, ids=range(len(constructor_calls)))
def test_constructors_and_operations(call):
    with pytest.raises((fk.Error, TypeError, ValueError, OSError, IndexError, MemoryError)) as caught:
        call()
    assert len(str(caught.value).split()) >= 3, str(caught.value)


def test_there_are_many():
    assert len(bad_rows) + len(writes) + len(optimizer_calls) + len(constructor_calls) >= 300


# A good argument of each kind by the name of a parameter.
arguments_of_operations = {
    "axis": 0, "dim": 0, "axis1": 0, "axis2": 1, "source": 0, "destination": 1, "shape": (3, 2), "dims": (1, 0), "reps": 2, "shift": 1,
    "fill": 0.0, "index": [[0, 1, 1]], "indices": [[0, 1, 1]], "dtype": "float64", "condition": mask, "arrays": [good, good],
    "sections": 2, "function": fk.add, "length": 1,
}  # fmt: skip
other_types = {
    "None": None, "text": "abc", "bytes": b"x", "lists of lists": [[1, 2], [3]], "objects": np.array([None, 1]), "nan": float("nan"),
    "inf": float("inf"), "half": 0.5, "huge": 1 << 70, "far": 99, "dict": {"a": 1}, "set": {1}, "object": object(), "class": int,
    "empty list": [], "empty array": np.zeros((0, 3), np.float32), "complex": 1j, "function": len, "long tuple": tuple(range(10)),
    "tuple of None": (None, 0), "huge shape": (1 << 40, 1 << 40), "masked": masked, "Ellipsis": ..., "slice": slice(1),
}  # fmt: skip
operations = sorted(name for name in {*fk.operations.__all__, *fk.elementwise.__all__} if name != "gather")


@pytest.mark.parametrize("name", operations)
def test_arguments_of_other_types_are_errors_of_frisket(name):
    function = getattr(fk, name)
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    known = {p.name: p.default if p.default is not p.empty else arguments_of_operations.get(p.name, masked) for p in parameters}
    for traced in (False, True):
        for place in known if not traced else list(known)[1:]:
            for text, bad in other_types.items():
                given = {**known, place: bad}
                first = given.pop(parameters[0].name)
                try:
                    function(first, **given) if not traced else fk.jit(lambda x: function(x, **given))(good)  # noqa: B023
                except fk.Error as error:
                    assert len(str(error).split()) >= 3
                except Exception as error:
                    raise AssertionError(f"{name}({place}={text}), traced: {traced}") from error
