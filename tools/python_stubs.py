# SPDX-License-Identifier: MIT
"""Writes the type stubs of the Python package: those of names that are made when the package is imported.

    PYTHONPATH=build/python PYTHON tools/python_stubs.py FOLDER

FOLDER is python/frisket, or another that a test compares with it.  Signatures come from the functions and from nanobind;
the types of parameters and results come from the tables below.  It needs nanobind; torch's module needs no torch."""
import importlib
import importlib.util
import inspect
import pathlib
import subprocess
import sys

# Types of parameters by their names; an annotation of the function comes first.
parameter_types = {
    "axis": "_Axis", "dim": "_Axis", "dims": "_Axis", "axes": "_Axis", "shape": "int | Sequence[int]", "more": "int",
    "keepdims": "bool", "keepdim": "bool | None", "ddof": "float", "correction": "float | None", "ord": "float", "eps": "float",
    "start_dim": "int", "end_dim": "int", "axis1": "int", "axis2": "int", "dim1": "int | None", "dim2": "int | None",
    "source": "int", "destination": "int", "shift": "int", "reps": "int | Sequence[int]", "offset": "int", "index": "Any",
    "start": "int", "length": "int | None", "sections": "int | None", "split_size": "int | None", "indices": "Any",
    "min": "float | None", "max": "float | None", "nan": "float", "posinf": "float | None", "neginf": "float | None",
    "gradient": "str | None", "fill": "Any", "dtype": "Any", "function": "Callable[..., Any]", "operands": "Any",
    "bias": "Any", "weight": "Any", "b": "Any", "a": "Any", "condition": "Any", "axes_": "_Axis",
}  # fmt: skip
# Parameters by function, where the type of the name is not theirs.
of_function = {
    ("permute", "dims"): "int | Sequence[int]", ("transpose", "axes"): "Sequence[int] | None", ("select", "index"): "int | None",
    ("take", "axis"): "int", ("take", "dim"): "int | None", ("index_select", "dim"): "int", ("gather", "dim"): "int",
    ("take_along_axis", "axis"): "int", ("split", "axis"): "int", ("split", "dim"): "int | None",
    ("concatenate", "axis"): "int", ("concatenate", "dim"): "int | None", ("stack", "axis"): "int", ("stack", "dim"): "int | None",
    ("normalize", "axis"): "int", ("normalize", "dim"): "int | None", ("on", "x"): "Any",
}  # fmt: skip
dense = {"count", "mask_of", "values_of", "to_dense"}  # functions whose results are dense for masked arrays
# Functions whose result depends on several operands.
of_any = {"concatenate", "stack", "matmul", "mm", "bmm", "mv", "dot", "linear", "where", "intersect", "unite", "take_along_axis"}

head = '''# SPDX-License-Identifier: MIT
"""{about}  tools/python_stubs.py writes this file."""
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar, overload

import numpy
from numpy.typing import NDArray
{imports}
'''
aliases = '''
_Array: TypeAlias = NDArray[Any]
_MaskedArray: TypeAlias = numpy.ma.MaskedArray[Any, Any]
_Axis: TypeAlias = int | Sequence[int] | None
'''
# A masked array suits the parameter fk.Masked[np.float32], whatever its dtype.  With Any as its dtype no overload is chosen.
masked_dtype = '_DType = _TypeVar("_DType", default=object, contravariant=True)\n\n'
protocols = '''
class _Unary(Protocol):
    """An operation of one operand: its result is masked where the operand is."""

    @overload
    def __call__(self, x: Masked[Any]) -> Masked: ...
    @overload
    def __call__(self, x: Traced) -> Traced: ...
    @overload
    def __call__(self, x: _MaskedArray) -> Masked: ...
    @overload
    def __call__(self, x: _Array) -> _Array: ...
    @overload
    def __call__(self, x: object) -> Any: ...

class _Binary(Protocol):
    """An operation of two operands: its result is masked if one of them is."""

    @overload
    def __call__(self, a: Traced, b: object) -> Traced: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: object, b: Traced) -> Traced: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: Masked[Any], b: object) -> Masked: ...
    @overload
    def __call__(self, a: object, b: Masked[Any]) -> Masked: ...
    @overload
    def __call__(self, a: _MaskedArray, b: object) -> Masked: ...
    @overload
    def __call__(self, a: _Array | float, b: _MaskedArray) -> Masked: ...
    @overload
    def __call__(self, a: _Array, b: _Array | float) -> _Array: ...
    @overload
    def __call__(self, a: float, b: _Array) -> _Array: ...
    @overload
    def __call__(self, a: object, b: object) -> Any: ...

'''


def annotation(function, parameter):
    """The type of a parameter: its annotation, or its type in the tables."""
    if parameter.annotation is not parameter.empty:
        given = parameter.annotation
        return given if isinstance(given, str) else inspect.formatannotation(given).replace("typing.", "").replace("collections.abc.", "")
    return of_function.get((function.__name__, parameter.name)) or parameter_types.get(parameter.name, "Any")


def parameters(function, first=None):
    """The parameters of a function as text; `first` is written for the first of them."""
    parts, is_keyword = [], False
    for number, parameter in enumerate(inspect.signature(function).parameters.values()):
        if number == 0 and first is not None:
            parts.append(first)
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            parts.append("*")
        is_keyword = is_keyword or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        text = f"{stars}{parameter.name}: {annotation(function, parameter)}"
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}" if parameter.default == parameter.default and parameter.default != float("inf") else " = ..."
        parts.append(text)
    return ", ".join(parts)


def result_of(function):
    """The type of an annotated result."""
    given = inspect.signature(function).return_annotation
    if given is None:
        return "None"
    return given if isinstance(given, str) else inspect.formatannotation(given, __name__).replace("typing.", "").replace("frisket.optim.", "")


def overloaded(name, function):
    """Definitions of an operation: an overload for each kind of its first operand."""
    if function.__name__ in of_any:
        return f"def {name}({parameters(function)}) -> Any: ...\n"
    own = next(iter(inspect.signature(function).parameters))
    text = ""
    results = "list[{}]" if function.__name__ == "split" else "{}"
    masked = "_Array" if function.__name__ in dense else "Masked"
    for operand, result in (("Masked[Any]", masked), ("Traced", "Traced"), ("_MaskedArray", masked), ("_Array", "_Array"), ("object", "Any")):
        text += f"@overload\ndef {name}({parameters(function, f'{own}: {operand}')}) -> {results.format(result)}: ...\n"
    return text


def opened(about, *imports):
    return head.format(about=about, imports="\n".join(imports))


def names_of(module):
    return f"__all__ = {module.__all__!r}\n".replace("'", '"')


def elementwise_stub(fk):
    module = fk.elementwise
    text = opened("Elementwise operations.", "", "from ._core import Masked", "from .values import Traced") + aliases + protocols
    text += "unary: dict[str, tuple[str, str]]\nbinary: dict[str, tuple[str, str]]\n"
    for name in module.__all__:
        text += f"{name}: {'_Unary' if getattr(module, name).operation in module.unary else '_Binary'}\n"
    return text + names_of(module)


def operations_stub(fk):
    module = fk.operations
    text = opened("Operations on whole arrays.", "", "from ._core import Masked", "from .elementwise import *", "from .values import Traced") + aliases
    for name in module.__all__:
        if name not in fk.elementwise.__all__:
            text += overloaded(name, getattr(module, name))
    for name in ("dtype_name", "axes", "flag", "shape_of", "extent_of", "operands_of"):
        text += f"def {name}({parameters(getattr(module, name))}) -> Any: ...\n"
    return text + names_of(module)


def class_stub(cls, base=""):
    """A class whose methods are annotated."""
    text = f"class {cls.__name__}{base}:\n"
    for name, member in vars(cls).items():
        if isinstance(member, property):
            text += f"    @property\n    def {name}(self) -> {result_of(member.fget)}: ...\n"
        elif inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
            text += f"    def {name}({parameters(member, 'self')}) -> {result_of(member)}: ...\n"
    return text


def optim_stub(fk):
    module = fk.optim
    text = opened("Optimizers: a class for each rule.", "", "from .written_rules import written_rule") + """
names: dict[str, str]

class Outcome(NamedTuple):
    norm: float
    is_skipped: bool
    loss: Any = ...

"""
    text += class_stub(module.Optimizer).replace(":\n", ":\n    rule: ClassVar[Any]\n", 1)
    text += """
class _WrittenOptimizer(Optimizer):
    @staticmethod
    def function(*args: Any, **keywords: Any) -> None: ...
    @classmethod
    def torch(cls, params: Any, **options: Any) -> Any: ...

@overload
def rule(function: Callable[..., None], *, state: dict[str, float] | Sequence[str] = (), **options: float) -> type[_WrittenOptimizer]: ...
@overload
def rule(
    function: None = None, *, state: dict[str, float] | Sequence[str] = (), **options: float
) -> Callable[[Callable[..., None]], type[_WrittenOptimizer]]: ...

"""
    for name in module.__all__[3:]:
        text += f"class {name}(Optimizer): ...\n"
    return text + names_of(module)


def torch_optim_stub(fk):
    text = opened("torch.optim, drop-in: a class for each rule.", "import torch", "", "from ..errors import DTypeError") + """
_T = TypeVar("_T", bound=type)

without_effect: set[str]
in_tuples: dict[str, tuple[str, ...]]
uncounted: tuple[str, ...]
refused: dict[str, str]
count_change: Any

def class_of(cls: Any) -> Any: ...

class ComplexParameter(DTypeError, ValueError): ...

class FrisketOptimizer(torch.optim.Optimizer):
    hooked: ClassVar[bool]
    rule: ClassVar[Any]
    def __init__(
        self, params: Any, *args: Any, untouched: str = "masked", stochastic_rounding: bool = False, seed: int = 0, **options: Any
    ) -> None: ...
    def set_grad(self, parameter: torch.Tensor, gradient: Any) -> None: ...
    def catch_up(self) -> None: ...
    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], float]) -> float: ...

"""
    # PyTorch has these; the class of each is a base.
    shared = "SGD Adagrad Adam AdamW SparseAdam RMSprop Adadelta Adamax NAdam RAdam Rprop ASGD Adafactor Muon".split()
    for name in sorted(fk.optim.names.values()):
        text += f"class {name}(FrisketOptimizer{f', torch.optim.{name}' if name in shared else ''}): ...\n"
    return text + f"__all__ = {sorted(fk.optim.names.values())!r}\n".replace("'", '"')


def package_stub(fk):
    """The names of `import frisket as fk`, each from where it is defined."""
    text = head.split("from collections")[0].format(about="Masked arrays whose expressions are compiled.") + """
from . import optim as optim, torch as torch
from .elementwise import *
from .errors import *
from .errors import Error as Error, IndexError as IndexError
from .masked import *
from .operations import *
"""
    others = {"files": "load save", "gradients": "check_grad check_grad_report grad gradient value_and_grad", "annotations": "In InOut Scalar", "kernel_builds": "build",
              "kernels": "load_kernels", "operators": "everywhere over", "tools": "cache doctor on_compile show tune tuning", "tracing": "explain jit step"}  # fmt: skip
    for module, found in others.items():
        text += f"from .{module} import {', '.join(f'{name} as {name}' for name in found.split())}\n"
    return text + "from .gradients import evaluate as _evaluate\n\neval = _evaluate\n"


def masked_members(fk):
    """Members of fk.Masked that Python has given it."""
    ops, cls, text = fk.operations, fk.Masked, ""
    own = {
        "__len__": "(self) -> int", "__iter__": "(self) -> Iterator[Any]", "__bool__": "(self) -> bool", "__float__": "(self) -> float",
        "__int__": "(self) -> int", "__array__": "(self, dtype: Any = None, copy: Any = None) -> Any", "numpy": "(self) -> _MaskedArray",
        "scipy": "(self) -> Any", "torch": "(self) -> Any", "marray": "(self) -> Any", "arrow": "(masked) -> Any",
        "_repr_html_": "(masked) -> str", "count": "(self, axis: _Axis = None, **keywords: Any) -> Any",
        "transpose": "(self, *axes: Any) -> Masked", "__getitem__": "(x, key: Any) -> Any", "__reduce__": "(self) -> tuple[Any, ...]",
        "__array_ufunc__": "(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any",
        "__array_function__": "(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any",
    }  # fmt: skip
    for name, member in vars(cls).items():
        if name in own:
            text += f"    def {name}{own[name]}: ...\n"
        elif inspect.isfunction(member):
            is_operation = member.__module__ in (ops.__name__, fk.elementwise.__name__)
            names = list(inspect.signature(member).parameters)
            given = parameters(member, names[0]) if is_operation else "self, other: Any"
            ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
            result = "_Array" if member.__name__ in dense else "Any" if "matmul" in name else "Masked"
            text += f"    def {name}({given}) -> {result}: ...{ignored}\n"
    return text + "    is_masked: bool\n    @property\n    def T(self) -> Masked: ...\n    def __hash__(self) -> int: ...\n"


def traced_members(fk):
    """Members of a traced value, those that Python has given it too."""
    results = {"__len__": "int", "__bool__": "bool", "__float__": "float", "__int__": "int", "__index__": "int", "__complex__": "complex",
               "__repr__": "str", "__iter__": "Iterator[Any]", "__init__": "None", "__setitem__": "None"}  # fmt: skip
    text = "    tracing: Any\n    fixed_node: Any\n    parameter: Any\n"
    for name, member in vars(fk.values.Traced).items():
        if isinstance(member, property) and not name.startswith("_"):
            text += f"    @property\n    def {name}(self) -> Any: ...\n"
        elif inspect.isfunction(member) and name != "_refuse":
            is_operation = member.__module__ in (fk.operations.__name__, fk.elementwise.__name__)
            result = results.get(name, "Traced" if is_operation or name[2:3] in "ri" and "__" in name else "Any")
            first = next(iter(inspect.signature(member).parameters))
            ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
            text += f"    def {name}({parameters(member, first)}) -> {result}: ...{ignored}\n"
    return text + "    def __hash__(self) -> int: ...\n"


def annotations_stub(fk):
    """Annotations as generic aliases: fk.In[np.float32] is an array of NumPy, or of another library, which is Any."""
    text = opened("Annotations of parameters.", "from typing_extensions import TypeVar as _TypeVar", "") + """
_DType = _TypeVar("_DType", bound=numpy.generic, default=Any)

class Annotation:
    kind: Any
    dtype: Any
    extents: Any
    def __init__(self, kind: Any, dtype: Any, extents: Any = None) -> None: ...

In: TypeAlias = NDArray[_DType] | Any
InOut: TypeAlias = NDArray[_DType] | Any
Scalar: TypeAlias = float | _DType
bare: dict[Any, str]
"""
    return text + f"def annotation_of({parameters(fk.annotations.annotation_of)}) -> Annotation | None: ...\n" + names_of(fk.annotations)


def values_stub(fk):
    module = fk.values
    text = opened("Traced values.") + aliases + "\nelementwise: frozenset[str]\n\nclass NeedsShapes(BaseException): ...\n\nclass Tracing:\n"
    for name, member in vars(module.Tracing).items():
        if inspect.isfunction(member):
            text += f"    def {name}({parameters(member, 'self')}) -> {'None' if name == '__init__' else 'Any'}: ...\n"
    text += "\nclass Traced:\n" + traced_members(fk) + "\n"
    for name in ("is_number", "tracing_of", "apply", "apply_to_several", "one_of"):
        text += f"def {name}({parameters(getattr(module, name))}) -> Any: ...\n"
    return text


def core_stub(fk, bare):
    """The extension module as nanobind describes it, with the members that Python gives to Masked."""
    body = bare.partition("\n\n")[2]
    body = body.replace("class Masked:\n", "class Masked(Generic[_DType]):\n" + masked_members(fk), 1)
    for loose, exact in (("tuple:", "tuple[Any, ...]:"), ("-> list:", "-> list[Any]:"), ("-> dict:", "-> dict[str, Any]:"), (": list,", ": list[Any],"),
                         (": dict,", ": dict[Any, Any],"), (": Callable", ": Callable[..., Any]"), (": dict)", ": dict[Any, Any])"), (": dict, /", ": dict[Any, Any], /"), ("(self, /, *args, **kwargs): ...", "(self, *args: Any, **kwargs: Any) -> Any: ..."), ("**kwargs)", "**kwargs: Any)"), ("-> object:", "-> Any:")):  # fmt: skip
        body = body.replace(loose, exact)
    imports = "from collections.abc import Mapping", "from typing import Generic", "", "from typing_extensions import TypeVar as _TypeVar", ""
    return opened("The extension module.", *imports) + aliases + masked_dtype + body


def bare_core():
    """nanobind's stub of the module, before the package gives members to its classes."""
    import types

    import nanobind.stubgen

    found = importlib.util.find_spec("frisket")
    package = types.ModuleType("frisket")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules["frisket"] = package
    module = importlib.import_module("frisket._core")
    stub = nanobind.stubgen.StubGen(module, include_docstrings=False)
    stub.put(module)
    return stub.get()


def main(folder):
    if folder == "--core":
        print(bare_core())
        return
    bare = subprocess.run([sys.executable, "-B", __file__, "--core"], stdout=subprocess.PIPE, text=True, check=True).stdout
    import frisket as fk

    folder = pathlib.Path(folder)
    (folder / "torch").mkdir(parents=True, exist_ok=True)
    for name, text in {
        "__init__": package_stub(fk), "_core": core_stub(fk, bare), "elementwise": elementwise_stub(fk),
        "annotations": annotations_stub(fk), "operations": operations_stub(fk), "optim": optim_stub(fk), "torch/optim": torch_optim_stub(fk),
        "values": values_stub(fk),
    }.items():  # fmt: skip
        (folder / f"{name}.pyi").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
