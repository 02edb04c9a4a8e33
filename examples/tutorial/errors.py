# SPDX-License-Identifier: MIT
"""One wrong call for each class of errors, and its message: docs/errors.md shows them."""
import frisket as fk
import numpy as np

x = np.array([[5, 3, 4], [1, 2, 5]], "float32")
a, b = fk.masked(x, x > 2), fk.masked(x, x < 4)


def descent(param, grad, *, lr):
    param -= lr * grad


# [calls]
wrong = [
    lambda: a + b,
    lambda: fk.amax(np.zeros((0, 3), "float32"), axis=0),
    lambda: fk.masked(x, [True, False]),
    lambda: a.mean(axis=3),
    lambda: a[5],
    lambda: fk.bitwise_and(x, x),
    lambda: fk.optim.Adam({"x": x}, rate=0.1),
    lambda: fk.sum(fk.masked(x, x > 9)).item(),
    lambda: a.to("rows"),
    lambda: fk.optim.Adam({"x": x}).step({"y": a}),
    lambda: fk.step(descent, schedule="skip tile=100")(x, a, lr=0.1),
    lambda: fk.jit(lambda x: x + 1, target="gpu")(x),
    lambda: fk.load("nothing.npy"),
    lambda: fk.jit(lambda x: 1 if x > 0 else 2)(x),
]
for call in wrong:
    try:
        call()
    except fk.Error as error:
        print(f"{type(error).__name__}: {error}")
# [/calls]

# Prints:
# MaskMismatch: add: operand 1 of add (shape [2, 3], layout strided) and operand 2 of add (shape [2, 3], layout strided) specify different elements (4 and 3), first at [0, 0], which only operand 1 of add specifies: masks that meet must be equal, fk.to_dense(operand 2 of add, fill) leaves the masked world
# IdentityError: amax: amax of shape [0, 3] along dim 0: there is no element and no identity, wanted one element or more; write masked(x, mask), whose result is masked where a slice has none
# ShapeError: masked: the mask has shape [2], the values have [2, 3]: the mask broadcasts to the values, never the reverse
# DimError: mean: mean along dim 3 of a tensor of rank 2: dims are 0 to rank - 1, or -rank to -1 counted from the end
# IndexError: select: select of index 5 along dim 0 of shape [2, 3]: indices are 0 to extent - 1, or -extent to -1
# DTypeError: bitwise_and: bitwise_and is not defined for float32
# InvalidValueError: adam has no option "rate"; it has lr beta1 beta2 eps weight_decay amsgrad maximize
# UnspecifiedError: item: the element is unspecified, it has no value: use fk.to_dense(fill)
# LayoutError: to: row 1 is specified in part, layout rows holds whole rows: use coo, strided or bitmask
# BindingError: there is no parameter y: there are x
# ScheduleError: schedule "skip tile=100": tile is "100", wanted tile=64 to 512 by powers of two
# TargetError: target: there is no target "gpu": there are cpu, x86-64, x86-64-avx2, x86-64-avx512, arm-64, opencl, cuda, vulkan
# IoError: load_npy: nothing.npy: it cannot be opened: No such file or directory
# TraceError: lambda: the truth of a traced value, which has no elements yet: write fk.where(condition, a, b)
