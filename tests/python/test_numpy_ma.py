# SPDX-License-Identifier: MIT
"""np.ma's own core tests, from NumPy's wheel: frisket computes the operations of those that apply.

numpy_ma_core.tsv tells for each test whether it runs here, and else why not."""
import collections
import importlib.util
import os
import pathlib

import frisket as fk
import numpy as np
import pytest

found = importlib.util.find_spec("numpy.ma.tests.test_core")
if found is None:
    pytest.skip("this NumPy has no numpy.ma.tests", allow_module_level=True)
core = importlib.util.module_from_spec(importlib.util.spec_from_file_location("frisket_np_ma_core", found.origin))
core.__spec__.loader.exec_module(core)

supported = {"bool", "int32", "int64", "float32", "float64"}
calls = [0]  # operations of frisket since the test began
used = collections.Counter()  # and by test


class Through(np.ma.MaskedArray):
    """np.ma's array, whose operations frisket computes."""


def takes(x):
    if isinstance(x, (bool, int, float)):
        return abs(x) < 1 << 62
    is_array = type(x) in (np.ndarray, Through, np.ma.MaskedArray) or isinstance(x, np.generic)
    return x is not np.ma.masked and is_array and x.dtype.name in supported and x.dtype.isnative


def given(x):
    """An operand: dense unless it has a mask."""
    if isinstance(x, (bool, int, float)) and not isinstance(x, np.generic):
        return x
    if np.ma.getmask(x) is np.ma.nomask:
        return np.asarray(np.ma.getdata(x))
    return fk.asmasked(np.ma.MaskedArray(x))


def back(made, *operands):
    """A result as np.ma has it, with the settings of the first masked operand; a number as a number, or np.ma.masked."""
    if made.ndim == 0:
        is_masked = isinstance(made, fk.Masked) and not made.mask
        return np.ma.masked if is_masked else np.asarray(made.filled(0) if isinstance(made, fk.Masked) else made)[()]
    array = Through(made.filled(0), mask=~made.mask) if isinstance(made, fk.Masked) else made.view(Through)
    for operand in operands:
        if isinstance(operand, np.ma.MaskedArray):
            array._update_from(operand)
            break
    return array


class Elementwise:
    """A function of np.ma, by frisket where it takes all operands; it has np.ma's reduce, outer and accumulate."""

    def __init__(self, name, own):
        self.operation, self.own = getattr(fk, name), own

    def __call__(self, *operands, **keywords):
        if keywords or not all(takes(x) for x in operands) or not any(np.ndim(x) for x in operands):
            return self.own(*operands, **keywords)
        calls[0] += 1
        read = [given(x) for x in operands]
        is_masked = sum(isinstance(x, fk.Masked) for x in read)
        return back(fk.intersect(self.operation, *read) if is_masked > 1 else self.operation(*read), *operands)

    def __getattr__(self, name):
        return getattr(self.own, name)


def of_axis(name, own):
    operation = getattr(fk, name)

    def function(x, axis=None, *more, **keywords):
        keywords = {key: value for key, value in keywords.items() if value is not np._NoValue}
        others = set(keywords) - {"keepdims", "ddof"}
        is_axis = axis is None or isinstance(axis, int) and -x.ndim <= axis < x.ndim
        if more or others or not is_axis or not takes(x) or np.ndim(x) == 0 or x.size == 0 or (name == "count" and axis is None):
            return own(x, axis, *more, **keywords)
        calls[0] += 1
        read = given(x)
        if name in ("mean", "var", "std") and x.dtype.kind != "f":
            read = fk.astype(read, "float64")
        made = operation(read, axis=axis, **keywords)
        return np.asarray(made) if name == "count" else back(made, x)

    return function


def of_array(name, own):
    """A method that moves elements, with the arguments of NumPy."""
    operation = getattr(fk, name)

    def function(x, *arguments, **keywords):
        if keywords or not takes(x) or np.ndim(x) == 0 or any(isinstance(one, str) for one in arguments):
            return own(x, *arguments, **keywords)
        calls[0] += 1
        if name == "transpose":
            arguments = (arguments[0] if len(arguments) == 1 else arguments or None,)
        return back(operation(given(x), *arguments), x)

    return function


def view(own):
    """A constructor whose array goes through frisket."""

    def make(*arguments, **keywords):
        made = own(*arguments, **keywords)
        return made.view(Through) if type(made) is np.ma.MaskedArray and made.dtype.name in supported else made

    return make


names = """add subtract multiply maximum minimum equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
    hypot negative abs absolute sin cos arctan sinh cosh tanh arcsinh exp ceil floor logical_not""".split()
reductions = "sum prod mean var std any all cumsum cumprod count".split()
operators = {"add": "add", "sub": "subtract", "mul": "multiply"}
comparisons = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
for name in names:
    if hasattr(core, name) and hasattr(np.ma, name):
        setattr(core, name, Elementwise(name, getattr(np.ma, name)))
for word, name in operators.items():
    method, reversed_ = (Elementwise(name, getattr(np.ma.MaskedArray, f"__{prefix}{word}__")) for prefix in ("", "r"))
    setattr(Through, f"__{word}__", lambda self, other, method=method: method(self, other))
    if name != "subtract":
        setattr(Through, f"__r{word}__", lambda self, other, method=reversed_: method(self, other))
for word, name in comparisons.items():
    method = Elementwise(name, getattr(np.ma.MaskedArray, f"__{word}__"))
    setattr(Through, f"__{word}__", lambda self, other, method=method: method(self, other))
for name in ("reshape", "transpose", "swapaxes", "squeeze", "ravel", "diagonal"):
    setattr(Through, name, of_array(name, getattr(np.ma.MaskedArray, name)))
for word in ("neg", "abs"):
    method = Elementwise({"neg": "negative", "abs": "abs"}[word], getattr(np.ma.MaskedArray, f"__{word}__"))
    setattr(Through, f"__{word}__", lambda self, method=method: method(self))
for name in reductions:
    method = of_axis(name, getattr(np.ma.MaskedArray, name))
    setattr(Through, name, method)
core.masked_array = Through
for name in ("array", "arange", "masked_where", "masked_equal", "masked_values", "ones", "zeros", "concatenate", "masked_greater"):
    if hasattr(core, name):
        setattr(core, name, view(getattr(np.ma, name)))

listed = pathlib.Path(__file__).with_name("numpy_ma_core.tsv")
reasons = {}
if listed.is_file():
    for line in listed.read_text(encoding="utf-8").splitlines()[1:]:
        test, reason = line.split("\t")
        reasons[test] = reason
everything = os.environ.get("FRISKET_ALL_NUMPY_MA") == "1"  # to make the list anew
tests = {}
for name, cls in list(vars(core).items()):
    if isinstance(cls, type) and name.startswith("Test"):
        own = [test for test in vars(cls) if test.startswith("test")]
        tests.update({f"{name}.{test}": cls for test in own})
        left_out = {test: None for test in own if not everything and reasons.get(f"{name}.{test}") != "runs"}
        globals()[name] = type(name, (cls,), {**left_out, "__module__": __name__})


@pytest.fixture(autouse=True)
def frisket_computes(request):
    calls[0] = 0
    yield
    if request.cls is not None:
        used[f"{request.cls.__name__}.{request.function.__name__}"] += calls[0]


def test_each_test_calls_frisket():
    assert not [test for test, count in used.items() if count == 0 and reasons.get(test) == "runs"]
    if everything:
        print("\n".join(f"{test}\t{count}" for test, count in used.items()))


def test_the_list_has_every_test():
    missing = sorted(set(tests) - set(reasons))
    assert not missing, f"numpy_ma_core.tsv has no row for {missing}"
    assert sum(reason == "runs" for reason in reasons.values()) >= 40
