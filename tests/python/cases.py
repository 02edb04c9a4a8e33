# SPDX-License-Identifier: MIT
"""The reference cases as calls of the Python package: inputs, operations, and compared results."""
import json
import pathlib

import frisket as fk
import numpy as np
from frisket.values import apply

folder = pathlib.Path(__file__).resolve().parents[1] / "conformance" / "cases"


def all_cases():
    """Every case of all files, in the order of their names."""
    for path in sorted(folder.glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))["cases"]


def numbers(data, dtype):
    if dtype in ("bool", "uint8", "int32", "int64") and not any(isinstance(x, str) for x in data):
        return np.array(data, dtype=dtype)
    return np.array([float(x) for x in data], dtype="float64").astype(dtype)


def value_of(case):
    """An input: a number, an array, or a masked array in the layout of the case."""
    dtype = case["dtype"]
    if case["kind"] == "scalar":
        kinds = {"bool": bool, "int64": int}
        return kinds.get(dtype, float)(case["value"])
    if case["kind"] == "dense":
        return numbers(case["data"], dtype).reshape(case["shape"])
    return masked_of(case, dtype)


def masked_of(case, dtype):
    shape, layout = case["shape"], case["layout"]
    if layout == "strided":
        return fk.masked(numbers(case["data"], dtype).reshape(shape), numbers(case["mask"], "bool").reshape(shape))
    values = numbers(case["values"], dtype)
    mask = numbers(case["values_mask"], "bool") if "values_mask" in case else None
    if layout == "coo":
        return fk.coo(shape, case["indices"], values, mask)
    if layout == "s24":
        return fk.two_four(shape, case["slots"], values, mask)
    by_column = layout in ("csc", "bsc")
    pointers, indices = (case["ccol"], case["row"]) if by_column else (case["crow"], case["col"])
    if layout in ("bsr", "bsc"):
        return getattr(fk, layout)(shape, tuple(case["blocksize"]), pointers, indices, values, mask)
    return getattr(fk, layout)(shape, pointers, indices, values, mask)


def _slice(x, attrs):
    dim, step = attrs["dim"], attrs.get("step") or 1
    if dim < 0 or dim >= x.ndim or step < 1:
        return apply("slice", (x,), dim=dim, start=attrs.get("start"), end=attrs.get("end"), step=attrs.get("step"))
    return x[(slice(None),) * dim + (slice(attrs.get("start"), attrs.get("end"), step),)]


def _div(args, attrs):
    rounding = attrs.pop("rounding_mode", None)
    if rounding is not None:
        return {"floor": fk.floor_divide, "trunc": fk.trunc_divide}[rounding](*args)
    return _elementwise("div", args, attrs)


def _elementwise(op, args, attrs):
    alpha, mode = attrs.pop("alpha", None), attrs.pop("mask_mode", None)
    if alpha is not None:
        args = [args[0], fk.mul(args[1], alpha)]
    assert not attrs, attrs
    function = getattr(fk, op)
    return function(*args) if mode is None else {"union": fk.unite, "intersection": fk.intersect}[mode](function, *args)


def _with_ord(op, args, attrs):
    attrs["ord"] = float(attrs.get("ord", 2))
    return getattr(fk, op)(*args, **attrs)


def _moment(op, args, attrs):
    return getattr(fk, op)(*args, correction=attrs.pop("correction", 1), **attrs)


special = {
    "div": _div,
    "to": lambda args, attrs: fk.astype(args[0], attrs["dtype"]),
    "clamp": lambda args, attrs: fk.clip(args[0], _number(attrs.get("min")), _number(attrs.get("max"))),
    "nan_to_num": lambda args, attrs: fk.nan_to_num(args[0], **{k: _number(v) for k, v in attrs.items()}),
    "positive": lambda args, attrs: +args[0] if not isinstance(args[0], np.ndarray) else fk.positive(args[0]),
    "construct": lambda args, attrs: args[0],
    "contiguous": lambda args, attrs: args[0],
    "to_layout": lambda args, attrs: args[0].to(_layout(attrs["layout"]), _block(attrs)),
    "coalesce": lambda args, attrs: args[0].coalesce(),
    "item": lambda args, attrs: args[0].item(),
    "str": lambda args, attrs: repr(args[0]),
    "get_mask": lambda args, attrs: fk.mask_of(args[0]),
    "mask_like": lambda args, attrs: fk.on(args[1], args[0]),
    "to_tensor": lambda args, attrs: fk.to_dense(args[0], _number(attrs["fill"])),
    "make": lambda args, attrs: fk.masked(args[0], args[1]),
    "norm": lambda args, attrs: _with_ord("norm", args, attrs),
    "normalize": lambda args, attrs: _with_ord("normalize", args, attrs),
    "var": lambda args, attrs: _moment("var", args, attrs),
    "std": lambda args, attrs: _moment("std", args, attrs),
    "slice": lambda args, attrs: _slice(args[0], attrs),
    "transpose": lambda args, attrs: fk.swapaxes(args[0], attrs["dim0"], attrs["dim1"]),
    "permute": lambda args, attrs: fk.permute(args[0], attrs["dims"]),
    "flip": lambda args, attrs: fk.flip(args[0], tuple(attrs["dims"])),
    "view": lambda args, attrs: fk.reshape(args[0], attrs["shape"]),
    "repeat": lambda args, attrs: apply("repeat", (args[0],), repeats=tuple(attrs["repeats"])),
    "split": lambda args, attrs: fk.split(args[0], split_size=attrs["split_size"], dim=attrs["dim"]),
    "index_select": lambda args, attrs: fk.index_select(args[0], attrs["dim"], args[1]),
    "gather": lambda args, attrs: fk.gather(args[0], attrs["dim"], args[1]),
    "index": lambda args, attrs: apply("index", tuple(args)) if isinstance(args[0], np.ndarray) else args[0][tuple(args[1:])],
    "index_bool": lambda args, attrs: apply("index_bool", tuple(args)) if isinstance(args[0], np.ndarray) else args[0][args[1]],
    "cat": lambda args, attrs: fk.cat(args, attrs["dim"]),
    "stack": lambda args, attrs: fk.stack(args, attrs["dim"]),
    "sparse_mm": lambda args, attrs: fk.mm(*args),
}


def _number(x):
    return float(x) if isinstance(x, str) else x


def _layout(name):
    return "two_four" if name == "s24" else name


def _block(attrs):
    return tuple(attrs["blocksize"]) if "blocksize" in attrs else None


def call(op, args, attrs):
    """An operation of a case, spelled as users do."""
    attrs = dict(attrs)
    if op in special:
        return special[op](args, attrs)
    if op in elementwise:
        return _elementwise(op, args, attrs)
    return getattr(fk, op)(*args, **attrs)


elementwise = fk.values.elementwise


class Program:
    """The computation of a case: inputs x0, x1, … in order, and the names of its results."""

    def __init__(self, case):
        self.case, attrs = case, case["attrs"]
        if "program" in attrs:
            self.lines = [(line["op"], line["args"], line["attrs"], line["out"]) for line in attrs["program"]]
            self.outputs = attrs.get("outputs") or [attrs["output"]]
        else:
            args = [f"x{i}" for i in range(len(case["inputs"]))]
            self.lines, self.outputs = [(case["op"], args, attrs, "out")], ["out"]
        self.is_backward = case["op"] == "backward"
        self.ops = {line[0] for line in self.lines}

    def inputs(self):
        sources = list(self.case["inputs"])
        if self.case["attrs"].get("upstream") is not None:
            sources.append(self.case["attrs"]["upstream"])
        return [value_of(source) for source in sources]

    def run(self, *inputs):
        """All results as a list."""
        names = {f"x{i}": x for i, x in enumerate(inputs)}
        for op, args, attrs, out in self.lines:
            names[out] = call(op, [names[name] for name in args], attrs)
        results = []
        for output in self.outputs:
            results += names[output] if isinstance(names[output], list) else [names[output]]
        if self.is_backward:
            results += self.gradients(names, inputs)
        return results

    def gradients(self, names, inputs):
        attrs = self.case["attrs"]
        upstream = inputs[-1] if attrs.get("upstream") is not None else None
        unused = self.case["id"].startswith("autograd/backward/unused/")
        return fk.gradient(names[attrs["output"]], [names[n] for n in attrs["wrt"]], upstream, allow_unused=unused)


def error_class(kind):
    """The class of a kind of error of the cases."""
    return fk.codes[{"no_identity": "identity", "undefined": "unspecified"}.get(kind, kind)]
