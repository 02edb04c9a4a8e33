# SPDX-License-Identifier: MIT
"""Races the Python package against NumPy, np.ma, torch, numexpr, numba, scikit-learn and FBGEMM: ratios of minima of runs in turn.

    PYTHON bench/python.py [WORDS of a row...] [--seconds 1] [--threads N] [--cpu]

A row: our time, the other's, the ratio, and the goal.  A row whose peer is not installed says SKIP and its name."""
import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time

import frisket as fk
import numpy as np

try:
    import torch
except ImportError:
    torch = None

rng = np.random.default_rng(0)
rows = []


class Absent(Exception):
    """The peer of a row is not installed."""


def peer(name):
    """A module of another library."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Absent(name) from None


def row(name, goal, unit=1e-6):
    """A row: a function that gives (what, callable) pairs, the first of them ours; or a time that was measured."""

    def add(function):
        rows.append((name, goal, unit, function))
        return function

    return add


def minima(calls, seconds, clock):
    """Least seconds of a call of each, by runs in turn; a run lasts 0.2 ms at least."""
    counts = []
    for _, call in calls:
        call(), call(), call()
        begin = clock()
        call()
        counts.append(max(1, int(2e-4 / max(clock() - begin, 1e-8))))
    best = [float("inf")] * len(calls)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, (_, call) in enumerate(calls):
            repeat = range(counts[i])
            begin = clock()
            for _ in repeat:
                call()
            best[i] = min(best[i], (clock() - begin) / counts[i])
    return best


@fk.step
def adagrad(param, state_sum, grad, *, lr, eps=1e-10):
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + eps)


def small(library=np):
    make = np.ones if library is np else torch.ones
    return make((2, 4), dtype=library.float32), make((2, 4), dtype=library.float32), make((2, 4), dtype=library.float32)


def by_hand(p, s, g, lr, eps):
    s += g * g
    p -= lr * g / (np.sqrt(s) + eps)


@row("known call: step 2x4, 3 arrays and 2 numbers by name", "1.0 us; 0.4 of NumPy")
def known_step():
    p, s, g = small()
    return [("frisket", lambda: adagrad(p, s, g, lr=0.1, eps=1e-10)), ("NumPy by hand", lambda: by_hand(p, s, g, 0.1, 1e-10))]


@row("known call: step 2x4 of torch tensors", "0.4 of torch by hand")
def known_torch_step():
    p, s, g = small(torch)

    def hand():
        s.addcmul_(g, g)
        p.addcdiv_(g, s.sqrt().add_(1e-10), value=-0.1)

    return [("frisket", lambda: adagrad(p, s, g, lr=0.1, eps=1e-10)), ("torch by hand", hand)]


@fk.jit
def scaled(a, b, factor):
    return a * b + factor


@row("known call: jit function 2x4", "1.5 us")
def known_function():
    a, b, _ = small()
    return [("frisket", lambda: scaled(a, b, 2.0)), ("NumPy by hand", lambda: a * b + np.float32(2))]


@row("known call: jit function 2x4, a new number each time", "2 us")
def new_number():
    a, b, _ = small()
    number = [0.0]

    def call():
        number[0] += 1.0
        return scaled(a, b, number[0])

    return [("frisket", call), ("NumPy by hand", lambda: a * b + np.float32(2))]


@row("known call: step 2x4, a new number each time", "2 us")
def new_rate():
    p, s, g = small()
    number = [0.0]

    def call():
        number[0] += 1e-9
        adagrad(p, s, g, lr=number[0], eps=1e-10)

    return [("frisket", call), ("NumPy by hand", lambda: by_hand(p, s, g, 0.1, 1e-10))]


def parameters(shapes):
    made = [torch.ones(shape) for shape in shapes]
    for parameter in made:
        parameter.grad = torch.full_like(parameter, 0.5)
    return made


@row("opt.step() of one small parameter, Adagrad", "0.1")
def one_parameter():
    ours, theirs = fk.torch.optim.Adagrad(parameters([(2, 4)])), torch.optim.Adagrad(parameters([(2, 4)]))
    return [("frisket", ours.step), ("torch", theirs.step)]


@row("opt.step() of 400 parameters, AdamW", "0.4 of fused=True")
def many_parameters():
    ours, theirs = (
        fk.torch.optim.AdamW(parameters([(16, 16)] * 400)), torch.optim.AdamW(parameters([(16, 16)] * 400), fused=True)
    )  # fmt: skip
    return [("frisket", ours.step), ("torch, fused", theirs.step)]


@row("opt.step() of 16M elements, AdamW", "1.05 of fused=True", 1e-3)
def dense_parameter():
    ours, theirs = (
        fk.torch.optim.AdamW(parameters([(4096, 4096)])), torch.optim.AdamW(parameters([(4096, 4096)]), fused=True)
    )  # fmt: skip
    return [("frisket", ours.step), ("torch, fused", theirs.step)]


def embedding(name, peer, **options):
    """Steps of a table of a million rows of 64, by gradients of 65,536 rows by Zipf's law."""
    ids = torch.from_numpy(np.minimum(rng.zipf(1.2, 65536), 10**6) - 1)
    gradient = torch.sparse_coo_tensor(ids[None], torch.randn(65536, 64), (10**6, 64))
    tables = [torch.zeros(10**6, 64), torch.zeros(10**6, 64)]
    tables[0].grad = gradient
    tables[1].grad = gradient if peer != "AdamW" else gradient.to_dense()
    fused = {"fused": True} if peer == "AdamW" else {}
    ours, theirs = getattr(fk.torch.optim, name)([tables[0]], **options), getattr(torch.optim, peer)([tables[1]], **options, **fused)
    return [("frisket", ours.step), (f"torch {peer}{', dense, fused' if fused else ''}", theirs.step)]


@row("embedding 1M x 64, 65,536 rows: Adagrad", "0.15", 1e-3)
def embedding_adagrad():
    return embedding("Adagrad", "Adagrad")


@row("embedding 1M x 64, 65,536 rows: SparseAdam", "0.12", 1e-3)
def embedding_sparse_adam():
    return embedding("SparseAdam", "SparseAdam")


@row("embedding 1M x 64, 65,536 rows: AdamW with decay", "0.15 of dense", 1e-3)
def embedding_adamw():
    return embedding("AdamW", "AdamW", weight_decay=0.01)


@row("factorisation loss and gradients, 4096 x 4096, 1 %, rank 64", "0.05", 1e-3)
def factorisation():
    mask = rng.random((4096, 4096)) < 0.01
    at = np.argwhere(mask)
    values = rng.normal(size=len(at)).astype("float32")
    ratings = fk.coo((4096, 4096), at.T.copy(), values)
    u, v = rng.normal(size=(4096, 64)).astype("float32"), rng.normal(size=(4096, 64)).astype("float32")
    loss = fk.value_and_grad(lambda ratings, u, v: fk.sum(fk.square(ratings - u @ v.T)), argnums=(1, 2))
    tu, tv = torch.from_numpy(u.copy()).requires_grad_(), torch.from_numpy(v.copy()).requires_grad_()
    i, j, wanted = torch.from_numpy(at[:, 0].copy()), torch.from_numpy(at[:, 1].copy()), torch.from_numpy(values)

    def theirs():
        tu.grad = tv.grad = None
        ((tu[i] * tv[j]).sum(1) - wanted).square().sum().backward()

    return [("frisket", lambda: loss(ratings, u, v)), ("torch, gather", theirs)]


@row("(a - a.mean(0)) / a.std(0) of 2048 x 2048", "0.05 of np.ma", 1e-3)
def standard_score():
    x, mask = rng.normal(size=(2048, 2048)).astype("float32"), rng.random((2048, 2048)) < 0.5
    a, n = fk.masked(x, mask), np.ma.MaskedArray(x, mask=~mask)
    whole = fk.jit(lambda a: (a - fk.mean(a, axis=0)) / fk.std(a, axis=0))
    return [
        ("frisket, one by one", lambda: (a - a.mean(0)) / a.std(0)),
        ("np.ma", lambda: (n - n.mean(0)) / n.std(0)),
        ("frisket, fk.jit", lambda: whole(a)),
    ]


@row("masked softmax of 2048 x 2048", "0.35 of torch.masked", 1e-3)
def softmax():
    x, mask = rng.normal(size=(2048, 2048)).astype("float32"), rng.random((2048, 2048)) < 0.5
    a = fk.masked(x, mask)
    tx, tm = torch.from_numpy(x), torch.from_numpy(mask)
    return [("frisket", lambda: fk.softmax(a, axis=1)), ("torch.masked", lambda: torch.masked.softmax(tx, 1, mask=tm))]


# Ten elementwise lines, as a function of each library and as numexpr's text.
lines = [
    ("2*a + 3*b", lambda a, b, c: 2 * a + 3 * b),
    ("a*b - 4.1*a > 2.5*b", lambda a, b, c: a * b - 4.1 * a > 2.5 * b),
    ("(a + b) * (a - b) / (c + 1)", lambda a, b, c: (a + b) * (a - b) / (c + 1)),
    ("a**2 + b**2 + 2*a*b", lambda a, b, c: a**2 + b**2 + 2 * a * b),
    ("sqrt(a*a + b*b)", lambda a, b, c: of.sqrt(a * a + b * b)),
    ("exp(-a*a / 2) * b", lambda a, b, c: of.exp(-a * a / 2) * b),
    ("sin(a)**2 + cos(b)**2", lambda a, b, c: of.sin(a) ** 2 + of.cos(b) ** 2),
    ("where(a > b, a, c)", lambda a, b, c: of.where(a > b, a, c)),
    ("log(1 + c) - tanh(a)", lambda a, b, c: of.log(1 + c) - of.tanh(a)),
    ("arctan2(a, c) * b", lambda a, b, c: of.arctan2(a, c) * b),
]


def elementwise(text, function):
    """Our time of a line by those of numexpr and numba, which use as many threads as they find."""

    def contest():
        numexpr, numba = peer("numexpr"), peer("numba")
        a, b, c = (rng.random(1_000_000, dtype="float32") + 0.5 for _ in range(3))
        with_fk = fk.jit(types_of(function, fk))
        with_numba = numba.njit(parallel=True, fastmath=True)(types_of(function, np))
        return [
            ("frisket", lambda: with_fk(a, b, c)),
            ("numexpr", lambda: numexpr.evaluate(text, {"a": a, "b": b, "c": c})),
            ("numba", lambda: with_numba(a, b, c)),
        ]

    row(f"elementwise, 1M: {text}", "1.0")(contest)


def types_of(function, library):
    """The function with `of` as this library."""
    return type(function)(function.__code__, {"of": library}, function.__name__)


for _text, _function in lines:
    elementwise(_text, _function)


@row("csr logistic regression with FTRL, an epoch of 20,000 x 50,000", "0.3 of torch CSR; 1.0 of scikit-learn", 1e-3)
def logistic_regression():
    sparse, linear_model = peer("scipy.sparse"), peer("sklearn.linear_model")
    if torch is None:
        raise Absent("torch")
    texts, words, batch = 20_000, 50_000, 1000
    x = sparse.random_array((texts, words), density=1e-3, format="csr", dtype="float32", rng=rng)
    y = (rng.random(texts) < 0.5).astype("float32")
    parts = [(x[i : i + batch], y[i : i + batch]) for i in range(0, texts, batch)]
    ours = [(fk.asmasked(part), labels[:, None]) for part, labels in parts]
    w = np.zeros((words, 1), "float32")
    optimizer = fk.optim.FTRL({"w": w}, lr=0.1)

    def loss(w, x, y):
        score = x @ w
        return fk.mean(fk.logaddexp(score, 0.0) - y * score)

    def epoch():
        for part, labels in ours:
            optimizer.minimize(loss, x=part, y=labels)

    tw = torch.zeros(words, 1, requires_grad=True)
    adagrad_ = torch.optim.Adagrad([tw], lr=0.1)  # torch has no FTRL; its state and reads are as large
    theirs = [
        (torch.sparse_csr_tensor(*(torch.from_numpy(a.copy()) for a in (part.indptr, part.indices, part.data)), part.shape),
         torch.from_numpy(labels[:, None]))
        for part, labels in parts
    ]  # fmt: skip

    def torch_epoch():
        for part, labels in theirs:
            adagrad_.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(part @ tw, labels).backward()
            adagrad_.step()

    sgd = linear_model.SGDClassifier(loss="log_loss", max_iter=1, tol=None, shuffle=False)
    return [
        ("frisket", epoch),
        ("torch, CSR and Adagrad", torch_epoch),
        ("scikit-learn, SGDClassifier", lambda: sgd.partial_fit(x, y, classes=[0, 1])),
    ]


@row("embedding 1M x 64, 65,536 rows: row-wise Adagrad", "1.0 of FBGEMM", 1e-3)
def rowwise_adagrad():
    if torch is None:
        raise Absent("torch")
    training = peer("fbgemm_gpu.split_table_batched_embeddings_ops_training")
    common, configs = peer("fbgemm_gpu.split_table_batched_embeddings_ops_common"), peer("fbgemm_gpu.split_embedding_configs")
    ids = torch.from_numpy(np.minimum(rng.zipf(1.2, 65536), 10**6) - 1)
    upstream = torch.randn(65536, 64)
    table = torch.nn.Parameter(torch.zeros(10**6, 64))
    table.grad = torch.sparse_coo_tensor(ids[None], upstream, (10**6, 64))
    optimizer = fk.torch.optim.RowwiseAdagrad([table], lr=0.01)
    bags = training.SplitTableBatchedEmbeddingBagsCodegen(
        embedding_specs=[(10**6, 64, common.EmbeddingLocation.HOST, training.ComputeDevice.CPU)],
        optimizer=configs.EmbOptimType.EXACT_ROWWISE_ADAGRAD, learning_rate=0.01, eps=1e-10,
    )  # fmt: skip
    offsets = torch.arange(65537)
    made = bags(ids, offsets)
    return [
        ("frisket, step", optimizer.step),
        ("FBGEMM, backward with its step", lambda: made.backward(upstream, retain_graph=True)),
    ]


first_calls = """
import time; begin = time.perf_counter(); import numpy as np; numpy_done = time.perf_counter(); import frisket as fk
done = time.perf_counter()
@fk.step
def adagrad(param, state_sum, grad, *, lr, eps=1e-10):
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + eps)
f = fk.jit(lambda a, b: a * b + 1.0)
p, s, g = (np.ones((2, 4), "float32") for _ in range(3))
t0 = time.perf_counter(); adagrad(p, s, g, lr=0.1); t1 = time.perf_counter(); f(p, g); t2 = time.perf_counter()
print(done - numpy_done, t1 - t0, t2 - t1)
"""


@row("first of a process: import frisket, a step, a function, from disk", "80, 5, 5 ms", 1e-3)
def first():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "FRISKET_CACHE_DIR": folder}
        runs = []
        for _ in range(6):
            made = subprocess.run([sys.executable, "-c", first_calls], env=environment, check=True, capture_output=True, text=True)
            runs.append([float(text) for text in made.stdout.split()])
    return list(zip(("import", "step", "function"), map(min, zip(*runs[1:]))))


def show(name, goal, unit, found, options):
    unit_name = {1e-6: "us", 1e-3: "ms"}[unit]
    if not callable(found[0][1]):
        print(f"{name}: " + ", ".join(f"{what} {time_ / unit:.2f} {unit_name}" for what, time_ in found) + f"; goal {goal}")
        return
    best = minima(found, options.seconds, time.process_time if options.cpu else time.perf_counter)
    print(f"{name}: {best[0] / unit:.2f} {unit_name}; goal {goal}")
    for (what, _), other in zip(found[1:], best[1:]):
        print(f"    {what} {other / unit:.2f} {unit_name}: ratio {best[0] / other:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="of the rows to run; all unless given")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each row")
    parser.add_argument("--threads", type=int, help="of torch; FRISKET_NUM_THREADS are ours, and other libraries have variables of theirs")
    parser.add_argument("--cpu", action="store_true", help="times are of the processor, of all threads: for a busy machine, with one thread")
    options = parser.parse_args()
    if torch is None:
        print("torch is not installed: rows that race it are left out")
    elif options.threads:
        torch.set_num_threads(options.threads)
    for name, goal, unit, function in rows:
        if options.words and not any(word in name for word in options.words):
            continue
        try:
            found = function()
        except Absent as absent:
            print(f"{name}: SKIP: {absent} is not installed")
            continue
        except (AttributeError, ImportError):
            if torch is not None:
                raise
            print(f"{name}: SKIP: torch is not installed")
            continue
        show(name, goal, unit, found, options)


if __name__ == "__main__":
    main()
