# SPDX-License-Identifier: MIT
"""Workloads of bench_peers by other libraries: peers.py SIZE DENSITY float32|float64 THREADS, run by race.py.

Prints the libraries that are there, and those that are not; then answers lines: "NAME" by the peers that have this
workload, "NAME<TAB>PEER<TAB>SECONDS" by milliseconds and the total, or by "error: ...".
"""

import importlib
import math
import sys
import time

import graphs
import lists
import training


def library(name):
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever keeps it from loading
        print(f"absent\t{name}: {type(error).__name__}: {error}".replace("\n", " "), flush=True)
        return None


np = library("numpy")
if not np:  # no library has data then
    print("peers", flush=True)
    for _ in sys.stdin:
        print(flush=True)
    sys.exit()
size, density, dtype, threads = int(sys.argv[1]), float(sys.argv[2]), np.dtype(sys.argv[3]), int(sys.argv[4])
torch, jax, scipy = library("torch"), library("jax"), library("scipy")
if torch:
    torch.set_num_threads(threads)
if jax:
    jax.config.update("jax_enable_x64", dtype == np.float64)
    jnp = jax.numpy
if scipy:
    import scipy.linalg.blas
    import scipy.sparse
    import scipy.special


def bits_of(number, count):
    """splitmix64, as in workloads.hpp."""
    x = np.arange(count, dtype=np.uint64) + np.uint64(((number << 40) + 0x9E3779B97F4A7C15) % 2**64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def numbers(number, *shape):
    made = (bits_of(number, math.prod(shape)) >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1
    return made.astype(dtype).reshape(shape)


def random_mask(number, share, *shape):
    return ((bits_of(number, math.prod(shape)) >> np.uint64(40)).astype(np.float64) * 2.0**-24 < share).reshape(shape)


def causal(extent):
    return np.tril(np.ones((extent, extent), bool))


def matrices(rows, columns):
    """x, w, a row, and a mask."""
    return (numbers(1, rows, columns), numbers(2, rows, columns), numbers(3, columns),
            random_mask(4, density, rows, columns))


class Peers:
    """The functions of one workload, by the names of their libraries; each takes no argument."""

    def __init__(self):
        self.run = {}

    def of_torch(self, function, *arrays, compiled=True, name="torch"):
        if not torch:
            return
        tensors = [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]
        self.run[name] = lambda: function(*tensors)
        if compiled:
            faster = torch.compile(function, dynamic=False)
            self.run["torch.compile"] = lambda: faster(*tensors)

    def of_jax(self, function, *arrays):
        if not jax:
            return
        compiled, given = jax.jit(function), [jnp.asarray(array) for array in arrays]
        self.run["JAX"] = lambda: jax.block_until_ready(compiled(*given))

    def of_scipy(self, function, *arrays):
        if scipy:
            self.run["SciPy"] = lambda: function(*arrays)

    def of_both(self, function, *arrays, compiled=True):
        """A function of the library, written once for torch and JAX."""
        self.of_torch(lambda *x: function(torch, *x), *arrays, compiled=compiled)
        self.of_jax(lambda *x: function(jnp, *x), *arrays)


def softmax(at, x, mask):
    scores = at.where(mask, x, -math.inf)
    return torch.softmax(scores, -1) if at is torch else jax.nn.softmax(scores, -1)


def sigmoid(at, x):
    return torch.sigmoid(x) if at is torch else jax.nn.sigmoid(x)


def elementwise():
    peers = Peers()
    peers.of_both(lambda at, x, w, b, m: at.where(m, x * w + b, 0.0), *matrices(size, size))
    return peers


def scaled_difference():
    peers = Peers()
    x, w, _, _ = matrices(size, size)
    rate = [0.1]

    def next_rate():
        rate[0] = rate[0] * 0.999 if rate[0] > 0.01 else 0.1
        return rate[0]

    if torch:
        a, b = torch.from_numpy(x), torch.from_numpy(w)
        peers.run["torch"] = lambda: a - next_rate() * b
    if jax:
        compiled, c, d = jax.jit(lambda x, rate, w: x - rate.astype(x.dtype) * w), jnp.asarray(x), jnp.asarray(w)
        peers.run["JAX"] = lambda: jax.block_until_ready(compiled(c, np.float64(next_rate()), d))
    return peers


def chain():
    peers = Peers()
    x, w, b, m = matrices(size, size)
    peers.of_both(lambda at, x, w, b, m: at.where(m, sigmoid(at, x * w + b) * at.tanh(x), 0.0), x, w, b, m)
    peers.of_scipy(lambda: np.where(m, scipy.special.expit(x * w + b) * np.tanh(x), 0))
    return peers


def softmax_rows(rows, columns):
    peers = Peers()
    x, _, _, m = matrices(rows, columns)
    peers.of_both(softmax, x, m)
    peers.of_scipy(lambda: scipy.special.softmax(np.where(m, x, -np.inf), 1))
    return peers


def layer_norm(rows, columns):
    def function(at, x, m):
        count = m.sum(1)[:, None]
        centred = at.where(m, x - at.where(m, x, 0.0).sum(1)[:, None] / count, 0.0)
        return centred / at.sqrt((centred * centred).sum(1)[:, None] / count + 1e-5)

    peers = Peers()
    x, _, _, m = matrices(rows, columns)
    peers.of_both(function, x, m)
    return peers


def cumsum_rows(rows, columns):
    peers = Peers()
    x, _, _, m = matrices(rows, columns)
    peers.of_both(lambda at, x, m: at.where(m, at.cumsum(at.where(m, x, 0.0), 1), 0.0), x, m)
    return peers


def mse():
    peers = Peers()
    x, w, _, m = matrices(size, size)
    peers.of_both(lambda at, x, w, m: at.where(m, (x - w) ** 2, 0.0).sum() / m.sum(), x, w, m)
    return peers


def mse_gradient():
    peers = Peers()
    x, w, _, m = matrices(size, size)
    peers.of_torch(lambda x, w, m: torch.where(m, 2 * (w - x), 0.0) / m.sum(), x, w, m)
    peers.of_jax(jax and jax.grad(lambda w, x, m: jnp.where(m, (x - w) ** 2, 0.0).sum() / m.sum()), w, x, m)
    return peers


def transpose_add():
    peers = Peers()
    x, w, _, _ = matrices(size, size)
    peers.of_both(lambda at, x, w: x + w.T, x, w)
    return peers


def var_columns():
    def function(at, x, m):
        count = m.sum(0)
        centred = at.where(m, x - at.where(m, x, 0.0).sum(0) / count, 0.0)
        return (centred * centred).sum(0) / (count - 1)

    peers = Peers()
    x, _, _, m = matrices(size, size)
    peers.of_both(function, x, m)
    return peers


def argmax_rows():
    peers = Peers()
    x, _, _, m = matrices(size, size)
    peers.of_both(lambda at, x, m: at.where(m, x, -math.inf).argmax(1), x, m)
    return peers


def nanmean():
    peers = Peers()
    peers.of_both(lambda at, x: at.nanmean(x), matrices(size, size)[0])
    return peers


def padded_mean():
    peers = Peers()
    x, there = numbers(1, 64, 4096, 64), random_mask(4, 0.7, 64, 4096)
    peers.of_both(lambda at, x, m: at.where(m[..., None], x, 0.0).sum(1) / m.sum(1)[:, None], x, there)
    return peers


def matmul(left, right):
    peers = Peers()
    a, b = numbers(1, *left), numbers(2, *right)
    peers.of_both(lambda at, a, b: a @ b, a, b)
    if a.ndim == 2 and b.ndim == 2:
        gemm = scipy and (scipy.linalg.blas.dgemm if dtype == np.float64 else scipy.linalg.blas.sgemm)
        # BLAS has Fortran's order: b^T a^T is (a b)^T.
        peers.of_scipy(lambda: gemm(1, b.T, a.T).T)
    return peers


def weights_gradient(count, inner, columns):
    peers = Peers()
    peers.of_both(lambda at, x, of_y: x.T @ of_y, numbers(1, count, inner), numbers(2, count, columns))
    return peers


def joined_columns(count, columns):
    peers = Peers()
    parts = [numbers(i, count, columns) for i in range(1, 5)]
    peers.of_both(lambda at, *x: torch.cat(x, 1) if at is torch else jnp.concatenate(x, 1), *parts)
    return peers


def attention_tensors(*shape):
    return [numbers(number, *shape) for number in (1, 2, 3)]


def weighted(at, q, k, v, mask):
    return softmax(at, q @ k.swapaxes(-2, -1) * q.shape[-1] ** -0.5, mask) @ v


def attention(shape, mask):
    peers = Peers()
    q, k, v = attention_tensors(*shape)
    attend = torch and torch.nn.functional.scaled_dot_product_attention
    lead = (None,) * (4 - len(shape))
    peers.of_torch(lambda q, k, v, m: attend(q[lead], k[lead], v[lead], attn_mask=m), q, k, v, mask,
                   name="torch attention")
    peers.of_both(weighted, q, k, v, mask, compiled=False)
    return peers


def causal_attention(*shape):
    peers = Peers()
    attend = torch and torch.nn.functional.scaled_dot_product_attention
    lead = (None,) * (4 - len(shape))
    peers.of_torch(lambda q, k, v: attend(q[lead], k[lead], v[lead], is_causal=True), *attention_tensors(*shape),
                   compiled=False, name="torch is_causal")
    return peers


def attention_gradients():
    peers = Peers()
    q, k, v = attention_tensors(64, 256, 64)
    mask = causal(256)
    attend = torch and torch.nn.functional.scaled_dot_product_attention

    def by_torch(q, k, v, mask):
        leaves = [x.detach().requires_grad_() for x in (q, k, v)]
        made = attend(leaves[0], leaves[1], leaves[2], attn_mask=mask)
        return torch.autograd.grad((made * made).sum(), leaves)

    peers.of_torch(by_torch, q, k, v, mask, compiled=False, name="torch attention")
    peers.of_jax(jax and jax.grad(lambda q, k, v, m: (weighted(jnp, q, k, v, m) ** 2).sum(), (0, 1, 2)), q, k, v, mask)
    return peers


def mlp_gradients():
    peers = Peers()
    x, first, second, third, wanted = (numbers(1, 512, 256), numbers(2, 256, 512), numbers(3, 512, 512),
                                       numbers(4, 512, 10), numbers(5, 512, 10))

    def loss(at, first, second, third, x, wanted):
        relu = torch.relu if at is torch else jax.nn.relu
        return ((relu(relu(x @ first) @ second) @ third - wanted) ** 2).mean()

    def by_torch(first, second, third, x, wanted):
        leaves = [w.detach().requires_grad_() for w in (first, second, third)]
        return torch.autograd.grad(loss(torch, *leaves, x, wanted), leaves)

    peers.of_torch(by_torch, first, second, third, x, wanted, compiled=False)
    peers.of_jax(jax and jax.grad(lambda *all: loss(jnp, *all), (0, 1, 2)), first, second, third, x, wanted)
    return peers


def random_list(number, extent, count):
    """Rows, columns and values of about `count` random positions, ascending."""
    places = np.unique((bits_of(number, count) >> np.uint64(8)) % np.uint64(extent * extent)).astype(np.int64)
    return places // extent, places % extent, numbers(number + 1, places.size)


def as_csr(rows, columns, values, extent):
    pointers = np.searchsorted(rows, np.arange(extent + 1))
    return scipy and scipy.sparse.csr_matrix((values, columns, pointers), (extent, extent)), pointers


def ratings(rank):
    return (*random_list(1, 8192, 675_000), numbers(3, 8192, rank), numbers(4, 8192, rank))


def sampled_product(rank):
    peers = Peers()
    rows, columns, values, u, v = ratings(rank)
    pointers = np.searchsorted(rows, np.arange(8193))

    def sampled(pointers, columns, values, u, v):
        m = torch.sparse_csr_tensor(pointers, columns, values, (8192, 8192))
        return torch.sparse.sampled_addmm(m, u, v.T, beta=0.0)

    peers.of_torch(sampled, pointers, columns, values, u, v, compiled=False)
    peers.of_jax(lambda u, v, i, j: (u[i] * v[j]).sum(1), u, v, rows, columns)
    return peers


def factorisation(of_gradients):
    peers = Peers()
    rows, columns, values, u, v = ratings(64)

    def loss(u, v, i, j, m):
        return ((m - (u[i] * v[j]).sum(1)) ** 2).sum()

    def by_torch(u, v, *given):
        if not of_gradients:
            return loss(u, v, *given)
        leaves = [x.detach().requires_grad_() for x in (u, v)]
        return torch.autograd.grad(loss(*leaves, *given), leaves)

    peers.of_torch(by_torch, u, v, rows, columns, values, compiled=False)
    peers.of_jax(jax and (jax.grad(loss, (0, 1)) if of_gradients else loss), u, v, rows, columns, values)
    return peers


def list_by_dense(columns=64, transposed=False):
    peers = Peers()
    *places, values = random_list(1, 100_000, 1_000_000)
    m, pointers = as_csr(*places, values, 100_000)
    right = numbers(3, 100_000, columns)
    peers.of_scipy(lambda: (m.T if transposed else m) @ right)
    if torch and not transposed:
        with_pointers = torch.sparse_csr_tensor(*map(torch.from_numpy, (pointers, places[1], values)), (100_000,) * 2)
        with_indices = torch.sparse_coo_tensor(torch.from_numpy(np.stack(places)), torch.from_numpy(values),
                                               (100_000,) * 2, is_coalesced=True)
        by = torch.from_numpy(right)
        peers.run["torch csr"] = lambda: with_pointers @ by
        peers.run["torch coo"] = lambda: torch.sparse.mm(with_indices, by)
    return peers


def list_by_list():
    peers = Peers()
    left, right = (as_csr(*random_list(number, 100_000, 1_000_000), 100_000)[0] for number in (1, 5))
    peers.of_scipy(lambda: left @ right)
    return peers


def tiny():
    peers = Peers()
    x, w, _, _ = matrices(2, 4)
    m = random_mask(4, 0.5, 2, 4)
    if torch:
        a, b = torch.from_numpy(x), torch.from_numpy(w)
        peers.run["torch, no mask"] = lambda: a * a + b
        masked = torch.masked.masked_tensor(a.clone(), torch.from_numpy(m))
        peers.run["MaskedTensor"] = lambda: masked * masked + b
    peers.of_jax(lambda x, w, m: jnp.where(m, x * x + w, 0.0), x, w, m)
    return peers


WORKLOADS = {
    "elementwise m*w+b": elementwise,
    "x - lr*g, lr changing": scaled_difference,
    "chain sigmoid*tanh": chain,
    "masked softmax rows": lambda: softmax_rows(size, size),
    "masked layer norm rows": lambda: layer_norm(size, size),
    "masked mse": mse,
    "masked mse gradient": mse_gradient,
    "cumsum rows": lambda: cumsum_rows(size, size),
    "transpose add": transpose_add,
    "var columns": var_columns,
    "argmax rows": argmax_rows,
    "nanmean": nanmean,
    "softmax 1000x127": lambda: softmax_rows(1000, 127),
    "layer norm 1000x127": lambda: layer_norm(1000, 127),
    "cumsum 1000x127": lambda: cumsum_rows(1000, 127),
    "padded batch mean": padded_mean,
    "matmul 1024": lambda: matmul((1024, 1024), (1024, 1024)),
    "matmul 1000x37x911": lambda: matmul((1000, 37), (37, 911)),
    "matmul 64x256x64x256": lambda: matmul((64, 256, 64), (64, 64, 256)),
    "matmul rank 50": lambda: matmul((1000, 50), (50, 300)),
    "weights gradient 100kx32x8": lambda: weights_gradient(100_000, 32, 8),
    "cat columns 4x100kx64": lambda: joined_columns(100_000, 64),
    "matrix x vector": lambda: matmul((size, size), (size,)),
    "attention 1024x64": lambda: attention((1024, 64), causal(1024)),
    "attention 8x512x64": lambda: attention((8, 512, 64), causal(512)),
    "attention 64x256x64": lambda: attention((64, 256, 64), causal(256)),
    "attention 4x300x50": lambda: attention((4, 300, 50), random_mask(4, density, 4, 300, 300)),
    "attention 1024x64 vs is_causal": lambda: causal_attention(1024, 64),
    "attention 8x512x64 vs is_causal": lambda: causal_attention(8, 512, 64),
    "attention 64x256x64 vs is_causal": lambda: causal_attention(64, 256, 64),
    "attention gradients 64x256x64": attention_gradients,
    "mlp gradients": mlp_gradients,
    "sampled product rank 64": lambda: sampled_product(64),
    "sampled product rank 50": lambda: sampled_product(50),
    "sampled product rank 127": lambda: sampled_product(127),
    "factorisation loss": lambda: factorisation(False),
    "factorisation gradients": lambda: factorisation(True),
    "csr x dense": list_by_dense,
    "csr x dense, 50 columns": lambda: list_by_dense(50),
    "csr x dense, 127 columns": lambda: list_by_dense(127),
    "coo x dense": list_by_dense,
    "transposed csr x dense": lambda: list_by_dense(transposed=True),
    "csr x csr": list_by_list,
    "tiny eval 2x4": tiny,
    **lists.workloads(sys.modules[__name__]),
    **graphs.workloads(sys.modules[__name__]),
    **training.workloads(sys.modules[__name__]),
}


def total(made):
    """The sum of the absolute values of all that is finite."""
    if isinstance(made, (tuple, list)):
        return sum(total(each) for each in made)
    if torch and isinstance(made, torch.masked.MaskedTensor):
        made = made.to_tensor(0)
    if torch and isinstance(made, torch.Tensor) and made.layout == torch.sparse_csr:
        made = made.values()
    if scipy and scipy.sparse.issparse(made):
        made = made.data
    if torch and isinstance(made, torch.Tensor) and made.is_sparse:
        made = made.coalesce().values()
    array = np.asarray(made, dtype=np.float64)
    return float(np.abs(array[np.isfinite(array)]).sum())


def best_ms(run, seconds):
    """The shortest of at least three calls."""
    best, start, calls = math.inf, time.perf_counter(), 0
    while calls < 3 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - before)
        calls += 1
    return best * 1e3


def main():
    found = [f"{name} {module.__version__}" for name, module in (("torch", torch), ("JAX", jax), ("SciPy", scipy))
             if module]
    print("peers", *found, sep="\t", flush=True)
    name, peers, totals = None, None, {}
    for line in sys.stdin:
        wanted, *rest = line.rstrip("\n").split("\t")
        try:
            if wanted != name:
                name, peers, totals = wanted, None, {}
                if torch:
                    torch.compiler.reset()  # it compiles few variants of one function
                peers = WORKLOADS[wanted]()
            if not rest:
                print(*peers.run, sep="\t", flush=True)
                continue
            run = peers.run[rest[0]]
            if rest[0] not in totals:
                totals[rest[0]] = total(run())
            print(best_ms(run, float(rest[1])), totals[rest[0]], sep="\t", flush=True)
        except Exception as error:  # told to whoever asked
            print(f"error: {type(error).__name__}: {error}".replace("\n", " ")[:300], flush=True)


main()
