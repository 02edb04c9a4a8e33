# SPDX-License-Identifier: MIT
"""Sparse gradients, and a step by them, of other libraries, for peers.py: the same data as in training.cpp."""

TABLE_ROWS = 1000000
WIDTH = 64


def random_ids(at, number, count, is_skewed):
    """As in training.cpp and zipf.hpp."""
    np, bits = at.np, at.bits_of(number, count)
    if not is_skewed:
        return ((bits >> np.uint64(8)) % np.uint64(TABLE_ROWS)).astype(np.int64)
    weights = np.cumsum(np.arange(1, TABLE_ROWS + 1, dtype=np.float64) ** -1.05)
    share = (bits >> np.uint64(40)).astype(np.float64) * 2.0**-24
    rank = np.minimum(np.searchsorted(weights, share * weights[-1]), TABLE_ROWS - 1)
    return rank * 387420489 % TABLE_ROWS


def lookup(at, is_skewed):
    peers = at.Peers()
    table, ids = at.numbers(1, TABLE_ROWS, WIDTH), random_ids(at, 2, 4096, is_skewed)

    def by_torch(table, ids):
        leaf = table.detach().requires_grad_()
        (at.torch.nn.functional.embedding(ids, leaf, sparse=True) ** 2).sum().backward()
        return leaf.grad

    peers.of_torch(by_torch, table, ids, compiled=False, name="torch sparse")
    return peers


def regression(at):
    np, peers = at.np, at.Peers()
    columns = ((at.bits_of(1, 5120) >> np.uint64(8)) % np.uint64(TABLE_ROWS)).astype(np.int64)
    rows = np.repeat(np.arange(256), 20)
    w, y = at.numbers(3, TABLE_ROWS, 1), at.numbers(4, 256, 1)
    x = at.scipy and at.scipy.sparse.coo_matrix((at.numbers(2, 5120), (rows, columns)), (256, TABLE_ROWS)).tocsr()

    def by_hand(x, w, y):
        return x.T @ ((at.scipy.special.expit(x @ w) - y) / len(y))

    peers.of_scipy(by_hand, x, w, y)
    if at.torch and at.scipy:
        parts = [at.torch.from_numpy(np.asarray(part)) for part in (x.indptr, x.indices, x.data)]
        matrix, wanted = at.torch.sparse_csr_tensor(*parts, x.shape), at.torch.from_numpy(y)

        def by_torch(w):
            leaf = w.detach().requires_grad_()
            z = matrix @ leaf
            (at.torch.nn.functional.softplus(z) - wanted * z).mean().backward()
            return leaf.grad

        peers.of_torch(by_torch, w, compiled=False)
    return peers


def bags(at):
    """FBGEMM's table batched embeddings, of the package fbgemm-gpu-cpu."""
    peers = at.Peers()
    if at.dtype != at.np.float32:  # its tables have no float64
        return peers
    try:
        from fbgemm_gpu import split_table_batched_embeddings_ops_common as common
        from fbgemm_gpu import split_table_batched_embeddings_ops_training as training
        from fbgemm_gpu.split_embedding_configs import EmbOptimType
    except ImportError:
        return peers
    where = (common.EmbeddingLocation.HOST, training.ComputeDevice.CPU)
    table = training.SplitTableBatchedEmbeddingBagsCodegen(
        [(TABLE_ROWS, WIDTH, *where)], optimizer=EmbOptimType.EXACT_ROWWISE_ADAGRAD, learning_rate=0.01, eps=1e-8,
        pooling_mode=common.PoolingMode.SUM)
    table.split_embedding_weights()[0].copy_(at.torch.from_numpy(at.numbers(1, TABLE_ROWS, WIDTH)))
    ids = at.torch.from_numpy(random_ids(at, 2, 4096 * 20, True))
    offsets, upstream = at.torch.arange(0, len(ids) + 1, 20), at.torch.from_numpy(at.numbers(3, 4096, WIDTH))

    def by_tables():
        pooled = table(ids, offsets)
        pooled.backward(upstream)
        return pooled.detach()

    peers.run["TBE"] = by_tables
    return peers


def workloads(at):
    """Names with functions that make the peers."""
    return {
        "embedding gradient": lambda: lookup(at, False),
        "embedding gradient, skewed": lambda: lookup(at, True),
        "csr regression gradient": lambda: regression(at),
        "embedding bags, row-wise Adagrad": lambda: bags(at),
    }
