# SPDX-License-Identifier: MIT
"""A program of a user, which mypy --strict accepts; each line marked `wrong` has the error that it names."""
from collections.abc import Callable
from typing import Annotated, Any

import frisket as fk
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
x: Array = np.arange(6.0, dtype="float32").reshape(2, 3)
m: fk.Masked = fk.masked(x, x > 2)
centred: fk.Masked = (m - m.mean(axis=0)) / m.std(axis=0)
total: float = float(fk.sum(fk.square(m)))
dense: Array = fk.to_dense(m, 0.0)
counted: Array = fk.count(m, axis=0)
rooted: Array = fk.sqrt(x) + fk.add(x, 1.0)
of_ma: fk.Masked = fk.exp(np.ma.masked_array(x, x > 1))
shape: tuple[int, ...] = m.to("csr").shape
back: Any = m.numpy().mean()


@fk.jit
def loss(ratings: fk.Masked, u: Array, v: Array) -> fk.Masked:
    return fk.sum(fk.square(ratings - u @ v.T))


@fk.step(target="x86-64")
def descend(p: Array, g: fk.Masked, *, lr: float = 0.1) -> None:
    p -= fk.to_dense(lr * g, 0.0)


# [annotations]
@fk.step
def adagrad(
    param: fk.InOut[np.float32],
    state_sum: fk.InOut[np.float32],
    grad: fk.Masked[np.float32],
    count: Annotated[Any, fk.Number],
    lr: fk.Scalar[np.float32],
    eps: fk.Scalar = 1e-10,
) -> None:
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + eps)
    count += 1


@fk.jit
def scores(table: Annotated[Array, fk.In["float32", "rows", "dim"]], query: Annotated[Array, fk.In["float32", "dim"]]) -> Any:
    return fk.softmax(table @ query, axis=0)
# [/annotations]


adagrad(x, x, m, fk.Number(), 0.1)
adagrad(x, x, m, fk.Number(), np.float32(0.1), eps=1e-8)
probabilities: Any = scores(x, x[0])
built = fk.build("kernels", [adagrad, scores], layouts="rows")
library: str = built.library


def both(f: Callable[[fk.Masked, Array, Array], fk.Masked]) -> float:
    value, (gu, gv) = fk.value_and_grad(f, argnums=(1, 2))(m, x, x)
    return float(value)


optimizer = fk.optim.Adam({"w": x}, lr=1e-3, betas=(0.9, 0.99))
outcome: fk.optim.Outcome = optimizer.step({"w": m}, clip_norm=1.0)
norm: float = outcome.norm


@fk.optim.rule(state={"m": 0.0}, lr=1e-3)
def signed(param: Any, grad: Any, m: Any, lr: Any) -> None:
    m += grad
    param -= lr * fk.sign(m)


written: fk.optim.Optimizer = signed([x], lr=0.1)
plan: str = fk.explain(loss, m, x, x)
fk.save("x.safetensors", {"m": m})
kernels = fk.load_kernels("libmine.so")
kernels.adagrad(x, x, m, lr=0.1)
fk.tune(loss, m, x, x, seconds=1.0)

m.to(3)  # wrong: arg-type
fk.sum(m, axes=0)  # wrong: call-overload
fk.sqroot(m)  # wrong: attr-defined
loss(m, x)  # wrong: call-arg
text: str = fk.sqrt(m)  # wrong: assignment
fk.optim.Adam([x], untouched=True)  # wrong: arg-type
adagrad(x, x, x, fk.Number(), 0.1)  # wrong: arg-type
adagrad(x, x, m, fk.Number(), "fast")  # wrong: arg-type
table: fk.In["float32"] = x  # wrong: name-defined
