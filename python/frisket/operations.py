# SPDX-License-Identifier: MIT
"""Operations by NumPy's names, with torch's spellings beside them; each works on arrays, Masked and traced values."""
import operator

from .calls import number, shown, truth, whole, wholes
from .elementwise import *  # noqa: F401,F403
from .errors import BindingError, DimError, ShapeError
from .values import apply, apply_to_several, one_of


def dtype_name(dtype):
    """The name of a dtype: of a string, a NumPy dtype or type, a torch dtype, or a Python type."""
    if dtype is None or isinstance(dtype, str):
        return {"bool_": "bool", "float": "float64", "int": "int64"}.get(dtype, dtype)
    if dtype is float or dtype is int or dtype is bool:
        return {float: "float64", int: "int64", bool: "bool"}[dtype]
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return dtype_name(name.removeprefix("torch."))


def axes(axis, dim=None):
    """One dimension or a tuple of them, from either spelling."""
    axis = one_of("axis", axis, dim, "dim")
    if axis is None or isinstance(axis, int):
        return axis
    try:
        return tuple(operator.index(a) for a in axis) if isinstance(axis, (tuple, list)) else operator.index(axis)
    except TypeError:
        raise BindingError(f"axis is {shown(axis)}, wanted an integer, or a tuple of integers") from None


def flag(keepdims, keepdim):
    return truth("keepdims", keepdims if keepdim is None else keepdim)


def shape_of(x):
    return x.shape if hasattr(x, "shape") else ()


def extent_of(operation, x, axis):
    """The extent of a dimension.  Errors: BindingError, DimError."""
    if not hasattr(x, "shape"):
        raise BindingError(f"{operation}: a value of type {type(x).__name__} is no array: write np.asarray(x)")
    shape, axis = shape_of(x), whole("axis", axis)
    if not -len(shape) <= axis < len(shape):
        raise DimError(f"{operation}: axis is {axis}, and the array has {len(shape)} dimensions")
    return shape[axis]


def operands_of(operation, arrays):
    """Arrays as a tuple.  Errors: BindingError without any."""
    if not hasattr(arrays, "__iter__"):
        raise BindingError(f"{operation}: {shown(arrays)} came, wanted a list of arrays")
    arrays = tuple(arrays)
    if not arrays:
        raise BindingError(f"{operation}: no arrays came, wanted at least one")
    return arrays


# Reductions: a result is specified where an element of its slice is.


def _reduction(operation, text):
    def reduce(x, axis=None, dtype=None, keepdims=False, *, dim=None, keepdim=None):
        return apply(operation, (x,), dim=axes(axis, dim), keepdim=flag(keepdims, keepdim), dtype=dtype_name(dtype))

    reduce.__name__ = reduce.__qualname__ = operation
    reduce.__doc__ = text
    return reduce


sum = _reduction("sum", "Sum of the specified elements; whole numbers and bool give int64.")  # noqa: A001
prod = _reduction("prod", "Product of the specified elements; whole numbers and bool give int64.")
mean = _reduction("mean", "Mean of the specified elements, of floats.")
min = amin = _reduction("amin", "Smallest specified element; NaN if one is.")  # noqa: A001
max = amax = _reduction("amax", "Largest specified element; NaN if one is.")  # noqa: A001
any = _reduction("any", "True if a specified element is.")  # noqa: A001
all = _reduction("all", "True if all specified elements are.")  # noqa: A001
logsumexp = _reduction("logsumexp", "log(sum(exp(x))) of the specified elements.")
count = _reduction("count", "Number of specified elements, dense int64.")


def argmin(x, axis=None, keepdims=False, *, dim=None, keepdim=None):
    """Position of the first smallest specified element; NaN is smallest.  Without an axis: row-major."""
    return apply("argmin", (x,), dim=axes(axis, dim), keepdim=flag(keepdims, keepdim))


def argmax(x, axis=None, keepdims=False, *, dim=None, keepdim=None):
    """Position of the first largest specified element; NaN is largest.  Without an axis: row-major."""
    return apply("argmax", (x,), dim=axes(axis, dim), keepdim=flag(keepdims, keepdim))


def median(x, axis=None, keepdims=False, *, dim=None, keepdim=None):
    """The lower median of the specified elements, as torch's; refused in traces, as it depends on values."""
    return apply("median", (x,), dim=axes(axis, dim), keepdim=flag(keepdims, keepdim))


def var(x, axis=None, ddof=0, keepdims=False, *, correction=None, dim=None, keepdim=None):
    """Variance with divisor count - ddof; `correction` is torch's name for it."""
    correction = number("ddof", ddof if correction is None else correction)
    return apply("var", (x,), dim=axes(axis, dim), correction=correction, keepdim=flag(keepdims, keepdim))


def std(x, axis=None, ddof=0, keepdims=False, *, correction=None, dim=None, keepdim=None):
    """The root of the variance."""
    correction = number("ddof", ddof if correction is None else correction)
    return apply("std", (x,), dim=axes(axis, dim), correction=correction, keepdim=flag(keepdims, keepdim))


def norm(x, ord=2, axis=None, keepdims=False, *, dim=None, keepdim=None):  # noqa: A002
    """(sum |x|^ord)^(1/ord); infinity: the largest |x|, 0: how many differ from 0."""
    return apply("norm", (x,), ord=number("ord", ord), dim=axes(axis, dim), keepdim=flag(keepdims, keepdim))


# Results with the shape and mask of x.


def _along(operation, text):
    def run(x, axis=None, *, dim=None):
        axis = axes(axis, dim)
        return apply(operation, (x,), dim=-1 if axis is None else axis)

    run.__name__ = run.__qualname__ = operation
    run.__doc__ = text
    return run


softmax = _along("softmax", "Softmax of the specified elements along an axis, the last unless given.")
softmin = _along("softmin", "Softmax of -x.")
log_softmax = _along("log_softmax", "Logarithm of the softmax.")


def cumsum(x, axis=None, *, dim=None):
    """Running sum of the specified elements; without an axis of all elements, row-major."""
    return _running("cumsum", x, axes(axis, dim))


def cumprod(x, axis=None, *, dim=None):
    """Running product of the specified elements; without an axis of all elements, row-major."""
    return _running("cumprod", x, axes(axis, dim))


def _running(operation, x, axis):
    if axis is None and len(shape_of(x)) != 1:
        x = ravel(x)
    return apply(operation, (x,), dim=0 if axis is None else axis)


def normalize(x, ord=2, axis=-1, eps=1e-12, *, dim=None):  # noqa: A002
    """x / max(norm(x), eps) along an axis."""
    return apply("normalize", (x,), ord=number("ord", ord), dim=axis if dim is None else dim, eps=number("eps", eps))


# Views: the same selection of the mask.


def reshape(x, shape, *more):
    """The elements, row-major, in another shape; one extent may be -1."""
    return apply("reshape", (x,), shape=_extents(shape, more))


def _extents(shape, more=()):
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape, *more)
    return tuple(wholes("shape", shape))


def ravel(x):
    """All elements in one dimension, row-major."""
    return apply("reshape", (x,), shape=(-1,))


def flatten(x, start_dim=0, end_dim=-1):
    """The dimensions from start_dim to end_dim as one."""
    return apply("flatten", (x,), start_dim=start_dim, end_dim=end_dim)


def transpose(x, axes=None, dim1=None):
    """Dimensions in the order `axes`; reversed without it.  As in torch, `transpose(x, 0, 1)` exchanges two."""
    if dim1 is not None:
        return swapaxes(x, axes, dim1)
    order = tuple(reversed(range(len(shape_of(x))))) if axes is None else _extents(axes)
    return apply("permute", (x,), dims=order)


def permute(x, dims, *more):
    """Dimensions in this order."""
    return apply("permute", (x,), dims=_extents(dims, more))


permute_dims = permute


def swapaxes(x, axis1, axis2):
    """Two dimensions exchanged."""
    return apply("transpose", (x,), dim0=axis1, dim1=axis2)


def moveaxis(x, source, destination):
    """A dimension moved to another place."""
    return apply("movedim", (x,), source=source, destination=destination)


movedim = moveaxis


def squeeze(x, axis=None, *, dim=None):
    """Without a dimension of extent 1, or without all of them."""
    return apply("squeeze", (x,), dim=axes(axis, dim))


def expand_dims(x, axis=None, *, dim=None):
    """A new dimension of extent 1."""
    return apply("unsqueeze", (x,), dim=axes(axis, dim))


unsqueeze = expand_dims


def broadcast_to(x, shape, *more):
    """Repeated to a larger shape; -1 keeps an extent."""
    return apply("expand", (x,), shape=_extents(shape, more))


expand = broadcast_to


def flip(x, axis=None, *, dims=None):
    """The elements along some dimensions, or all, in reverse order."""
    axis = one_of("axis", axis, dims, "dims")
    axis = range(len(shape_of(x))) if axis is None else axis if isinstance(axis, range) else axes(axis)
    return apply("flip", (x,), dims=(axis,) if isinstance(axis, int) else tuple(axis))


def roll(x, shift, axis=None, *, dim=None):
    """The elements along a dimension moved, those that leave come in at the other end."""
    axis = axes(axis, dim)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), shape_of(x))
    return apply("roll", (x,), shift=whole("shift", shift), dim=axis)


def tile(x, reps):
    """Copies beside each other along each dimension."""
    reps = _extents(reps)
    missing = len(shape_of(x)) - len(reps)
    return apply("repeat", (x,), repeats=(1,) * missing + reps)


def diagonal(x, offset=0, axis1=0, axis2=1, *, dim1=None, dim2=None):
    """A diagonal of two dimensions, as the last one."""
    dim1, dim2 = axis1 if dim1 is None else dim1, axis2 if dim2 is None else dim2
    return apply("diagonal", (x,), offset=offset, dim1=dim1, dim2=dim2)


def select(x, axis=None, index=None, *, dim=None):
    """One index along a dimension, which goes."""
    return apply("select", (x,), dim=axes(axis, dim), index=index)


def narrow(x, axis=None, start=0, length=None, *, dim=None):
    """`length` indices from `start` on along a dimension."""
    return apply("narrow", (x,), dim=axes(axis, dim), start=start, length=length)


def split(x, sections=None, axis=0, *, split_size=None, dim=None):
    """Parts along a dimension: so many equal ones (NumPy's), or of this size (torch's)."""
    axis = axis if dim is None else dim
    if split_size is None:
        extent = extent_of("split", x, axis)
        if sections is None or whole("sections", sections) <= 0 or extent % sections != 0:
            raise ShapeError(f"split: {extent} elements make no {sections} equal parts: write split_size=")
        split_size = extent // sections
    return apply_to_several("split", (x,), split_size=split_size, dim=axis)


# Indexing and joining.


def take(x, indices, axis=0, *, dim=None):
    """The slices at these indices along a dimension; negative ones count from its end."""
    dim = axis if dim is None else dim
    indices = where(less(indices, 0), add(indices, extent_of("take", x, dim)), indices)  # noqa: F405
    return apply("index_select", (x, indices), dim=dim)


def index_select(x, dim, index):
    """The slices at these indices along a dimension."""
    return apply("index_select", (x, index), dim=dim)


def take_along_axis(x, indices, axis):
    """The element of each line that `indices`, of the result's shape, says."""
    return apply("gather", (x, indices), dim=axis)


def gather(x, dim, index):
    """The element of each line that `index`, of the result's shape, says."""
    return apply("gather", (x, index), dim=dim)


def concatenate(arrays, axis=0, *, dim=None):
    """Arrays one after the other along a dimension."""
    return apply("cat", operands_of("concatenate", arrays), dim=axis if dim is None else dim)


concat = cat = concatenate


def stack(arrays, axis=0, *, dim=None):
    """Arrays side by side along a new dimension."""
    return apply("stack", operands_of("stack", arrays), dim=axis if dim is None else dim)


# Products: a term is there where both factors are specified.


def matmul(a, b):
    """Product of vectors, matrices or batches of them."""
    return apply("matmul", (a, b))


def mm(a, b):
    """Product of two matrices."""
    return apply("mm", (a, b))


def bmm(a, b):
    """Products of two lists of matrices."""
    return apply("bmm", (a, b))


def mv(a, b):
    """Product of a matrix and a vector."""
    return apply("mv", (a, b))


def dot(a, b):
    """Product of two vectors; of others as matmul."""
    return apply("dot" if len(shape_of(a)) == len(shape_of(b)) == 1 else "matmul", (a, b))


def linear(x, weight, bias=None):
    """x @ weight.T + bias."""
    return apply("linear", (x, weight) if bias is None else (x, weight, bias))


# Masks, dtypes and choices.


def where(condition, a, b):
    """a where the condition holds, else b."""
    return apply("where", (condition, a, b))


def clip(x, min=None, max=None):  # noqa: A002
    """min <= x <= max; NaN stays NaN.  Limits are numbers; of arrays write fk.minimum and fk.maximum."""
    return apply("clamp", (x,), min=min, max=max)


clamp = clip


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    """Numbers in place of NaN and of both infinities."""
    return apply("nan_to_num", (x,), nan=nan, posinf=posinf, neginf=neginf)


def astype(x, dtype):
    """The elements in another dtype."""
    return apply("to", (x,), dtype=dtype_name(dtype))


cast = astype


def mask_of(x):
    """The mask: a dense bool, true where x is specified."""
    return apply("get_mask", (x,))


def values_of(x):
    """The values without their mask; what is not specified may hold anything."""
    return apply("values_of", (x,))


def to_dense(x, fill, *, gradient=None):
    """`fill` where x is not specified; dense.  gradient="everywhere": gradients reach unspecified elements too."""
    return apply("to_tensor", (x,), fill=fill, gradient=gradient)


filled = to_dense


def on(masked, x):
    """x restricted to the mask of `masked`."""
    return apply("mask_like", (x, masked))


def detach(x):
    """x, through which no gradient passes."""
    return apply("detach", (x,))


def _row(function):
    name = getattr(function, "operation", None)
    if name is None:
        raise BindingError("fk.intersect and fk.unite take an elementwise function of frisket: write fk.add")
    return name


def intersect(function, *operands):
    """An elementwise operation where all operands are specified: fk.intersect(fk.add, a, b)."""
    return apply(_row(function), operands, mask_mode="intersection")


def unite(function, *operands):
    """An elementwise operation where any operand is specified; one that is alone passes through."""
    return apply(_row(function), operands, mask_mode="union")


_inner = {
    "apply", "apply_to_several", "axes", "dtype_name", "extent_of", "flag", "number", "one_of", "operands_of", "shape_of", "shown",
    "truth", "whole", "wholes", "BindingError", "DimError", "ShapeError",
}  # fmt: skip
__all__ = [name for name, value in list(globals().items()) if callable(value) and name[0] != "_" and name not in _inner]
