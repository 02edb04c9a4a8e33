# SPDX-License-Identifier: MIT
"""Work that runs with and without the compiler: test_modules.py compares the files of both processes.

without_compiler.py FILE writes arrays by name into a file of NumPy, and prints facts and sentences as JSON."""
import json
import os
import sys

import numpy as np

import frisket as fk

kernels = os.environ.get("FRISKET_TEST_KERNELS")
rules = {"SGD": {"lr": 0.1}, "Adagrad": {"lr": 0.1}, "RowwiseAdagrad": {"lr": 0.1}, "Adam": {"lr": 0.01}}
shape = (96, 64)  # more than is interpreted


def gradient(layout, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape).astype(np.float32)
    if layout == "dense":
        return values
    if layout == "rows":
        ids = np.sort(rng.choice(shape[0], 17, replace=False))
        return fk.rows(shape, ids, values[ids])
    return fk.masked(values, rng.random(shape) < 0.2).to(layout)


def trained(rule, options, layout, **steps):
    w = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    optimizer = getattr(fk.optim, rule)({"w": w}, **options)
    for seed in range(3):
        optimizer.step({"w": gradient(layout, seed)}, **steps)
    return {"w": w, **{name: np.array(value) for name, value in optimizer.state["w"].items()}}


def trained_torch():
    """Parameters of fk.torch.optim, one with a sparse gradient; none without torch."""
    try:
        import torch
    except ImportError:
        return {}
    torch.manual_seed(0)
    table, layer = torch.nn.Embedding(96, 64, sparse=True), torch.nn.Linear(64, 96)
    optimizer = fk.torch.optim.Adam([*table.parameters(), *layer.parameters()], lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        table(torch.tensor([1, 5, 5, 90])).square().sum().backward()
        layer(torch.ones(64)).square().sum().backward()
        optimizer.step()
    return {"torch table": table.weight.detach().numpy(), "torch layer": layer.weight.detach().numpy()}


def small_step(p, s, g, *, lr):
    s += g * g
    p -= lr * g / (fk.sqrt(s) + 1e-6)


def expressions():
    x = np.linspace(-2, 2, 48, dtype=np.float32).reshape(6, 8)
    m = fk.masked(x, x > -1).to("coo")
    p, s = np.ones((6, 8), np.float32), np.zeros((6, 8), np.float32)
    fk.step(small_step)(p, s, m, lr=0.5)
    value, slope = fk.value_and_grad(fk.jit(lambda w: fk.sum(fk.square(m @ w))))(x.T.copy())
    soft = fk.softmax(m, axis=1)
    made = {"mean": m.mean(axis=0), "soft": soft, "value": value, "slope": slope}
    made = {name: fk.asmasked(result) for name, result in made.items()}
    return {name: m.filled(0) for name, m in made.items()} | {f"{name} mask": m.mask for name, m in made.items()} | {"p": p, "s": s}


def sentences():
    """The error of each call that needs the compiler."""
    large = np.ones((64, 64), np.float32)
    odd = np.arange(64 * 64).reshape(64, 64) % 3 == 1
    step = fk.step(small_step)
    calls = {
        "eager": lambda: fk.exp(large),
        "jit": lambda: fk.jit(lambda x: fk.sum(x * x))(large),
        "step": lambda: step(large.copy(), large.copy(), large, lr=0.1),
        "schedule": lambda: fk.step(small_step, schedule="skip")(large, large.copy(), large, lr=0.1),
        "target": lambda: fk.jit(lambda x: x + 1, target="opencl")(large[:2]),
        "explain": lambda: fk.explain(lambda x: x + 1, large[:2]),
        "tune": lambda: fk.tune(lambda x: x + 1, large[:2], seconds=0.1),
        "option": lambda: fk.optim.Adam({"w": large.copy()}, untouched="dense_equivalent"),
        "layout": lambda: fk.optim.RowwiseAdagrad({"w": large.copy()}).step([fk.masked(large, odd).to("bitmask")]),
    }
    found = {}
    for name, call in calls.items():
        try:
            call()
            found[name] = ["nothing", ""]
        except Exception as error:
            found[name] = [type(error).__name__, str(error)]
    return found


def main(path):
    arrays = {}
    for rule, options in rules.items():
        for layout in ("dense", "strided", "coo", "rows"):
            for name, steps in (("plain", {}), ("clipped", {"clip_norm": 1.0})):
                made = trained(rule, options, layout, **steps)
                arrays |= {f"{rule} {layout} {name} {key}": value for key, value in made.items()}
    arrays |= trained_torch()
    arrays |= {f"expression {key}": np.asarray(value) for key, value in expressions().items()}
    if kernels:
        a, b, loaded = np.ones(shape, np.float32), np.zeros(shape, np.float32), fk.load_kernels(kernels)
        loaded.adagrad(b=b, grad=gradient("coo", 0), a=a, lr=0.5, eps=1e-10)
        arrays |= {"loaded a": a, "loaded b": b}
    facts = {"doctor": str(fk.doctor()), "module": fk._core.__file__, "cache": repr(fk.cache), "type": fk.Masked.__module__}
    np.savez(path, **arrays)
    print(json.dumps(facts | {"sentences": sentences()}))


main(sys.argv[1])
