# SPDX-License-Identifier: MIT
"""Layers of graphs, and other compositions of lists, by torch and SciPy, for peers.py: the data of graphs.cpp."""

from lists import EXTENT, Lists

FEATURES = 32
FEW_ROWS = 512
HEADS = 4


def workloads(at):
    """Names with functions that make the peers."""
    np, torch, scipy = at.np, at.torch, at.scipy

    def csr(count=1000000):
        return Lists(at, count=count).coo().tocsr()

    def leaves(*arrays):
        return [torch.from_numpy(array).requires_grad_() for array in arrays]

    def gradients(loss, *inputs):
        return (loss.detach(), *torch.autograd.grad(loss, inputs))

    def attention_of(edges, h, w, to, source):
        """Edge by edge: gathers, and sums at indices."""
        target, origin = edges
        wh = h @ w
        score = torch.nn.functional.leaky_relu((wh @ to)[target, 0] + (wh @ source)[origin, 0], 0.2)
        largest = torch.full((EXTENT,), -torch.inf, dtype=h.dtype)
        largest = largest.scatter_reduce(0, target, score.detach(), "amax")
        share = (score - largest[target]).exp()
        total = torch.zeros(EXTENT, dtype=h.dtype).index_add(0, target, share)
        return torch.zeros_like(h).index_add(0, target, (share / total[target])[:, None] * wh[origin])

    def heads_of(edges, h, w, to, source):
        """All heads of an edge at once."""
        target, origin = edges
        wh = torch.einsum("nf,kfd->nkd", h, w)
        ends = [(wh * part[:, :, 0]).sum(2) for part in (to, source)]
        score = torch.nn.functional.leaky_relu(ends[0][target] + ends[1][origin], 0.2)
        index = target[:, None].expand(-1, HEADS)
        largest = torch.full((EXTENT, HEADS), -torch.inf, dtype=h.dtype)
        largest = largest.scatter_reduce(0, index, score.detach(), "amax")
        share = (score - largest[target]).exp()
        total = torch.zeros(EXTENT, HEADS, dtype=h.dtype).index_add(0, target, share)
        made = torch.zeros_like(wh).index_add(0, target, (share / total[target])[:, :, None] * wh[origin])
        return made.reshape(EXTENT, FEATURES)

    def heads_data():
        width = FEATURES // HEADS
        return (at.numbers(1, EXTENT, FEATURES), at.numbers(2, HEADS, FEATURES, width),
                at.numbers(3, HEADS, width, 1), at.numbers(4, HEADS, width, 1))

    def graph():
        data = Lists(at)
        return torch.from_numpy(data.rows), torch.from_numpy(data.columns)

    def attention_data():
        return (at.numbers(1, EXTENT, FEATURES), at.numbers(2, FEATURES, FEATURES), at.numbers(3, FEATURES, 1),
                at.numbers(4, FEATURES, 1))

    def attention(layer, arrays):
        peers = at.Peers()
        if torch:
            edges, data = graph(), [torch.from_numpy(array) for array in arrays()]
            peers.run["torch"] = lambda: layer(edges, *data)
        return peers

    def attention_gradients(layer, arrays):
        peers = at.Peers()
        if torch:
            edges, data = graph(), leaves(*arrays())
            wanted = torch.from_numpy(at.numbers(8, EXTENT, FEATURES))
            peers.run["torch"] = lambda: gradients(((layer(edges, *data) - wanted) ** 2).mean(), *data)
        return peers

    def attention_step():
        """Weights learn at a rate of 0, as those of graphs.cpp."""
        peers = at.Peers()
        if torch:
            h, *arrays = attention_data()
            edges, h, weights = graph(), torch.from_numpy(h), leaves(*arrays)
            wanted = torch.from_numpy(at.numbers(8, EXTENT, FEATURES))

            def run():
                slopes = torch.autograd.grad(((attention_of(edges, h, *weights) - wanted) ** 2).mean(), weights)
                with torch.no_grad():
                    for weight, slope in zip(weights, slopes):
                        weight -= 0.0 * slope
                return slopes

            peers.run["torch"] = run
        return peers

    def convolution_gradients():
        peers = at.Peers()
        if torch:
            matrix = csr()
            parts = [torch.from_numpy(np.asarray(part)) for part in (matrix.indptr, matrix.indices, matrix.data)]
            edges = torch.sparse_csr_tensor(*parts, matrix.shape)
            w, v = leaves(at.numbers(2, FEATURES, FEATURES), at.numbers(3, FEATURES, FEATURES))
            h, wanted = (torch.from_numpy(at.numbers(number, EXTENT, FEATURES)) for number in (1, 8))

            def run():
                hidden = torch.relu(edges @ (h @ w))
                return gradients(((edges @ (hidden @ v) - wanted) ** 2).mean(), w, v)

            peers.run["torch"] = run
        return peers

    def row_ids():
        return ((at.bits_of(9, FEW_ROWS) >> np.uint64(8)) % np.uint64(EXTENT)).astype(np.int64)

    def of_scipy(function, *arrays):
        def made():
            peers = at.Peers()
            if scipy:
                peers.of_scipy(function, *(array() for array in arrays))
            return peers

        return made

    def by_hand(matrix, h, y):
        """The products of rows at the places of a matrix."""
        rows = np.repeat(np.arange(EXTENT), np.diff(matrix.indptr))
        made = matrix.copy()
        made.data = np.einsum("ij,ij->i", y[rows], h[matrix.indices])
        return made

    def h():
        return at.numbers(1, EXTENT, FEATURES)

    return {
        "graph attention": lambda: attention(attention_of, attention_data),
        "graph attention gradients": lambda: attention_gradients(attention_of, attention_data),
        "graph attention step": attention_step,
        "graph attention, 4 heads": lambda: attention(heads_of, heads_data),
        "graph attention gradients, 4 heads": lambda: attention_gradients(heads_of, heads_data),
        "graph convolution gradients": convolution_gradients,
        "csr rows by ids": of_scipy(lambda x, ids: x[ids], csr, row_ids),
        "csr rows by ids x dense": of_scipy(lambda x, ids, h: x[ids] @ h, csr, row_ids, h),
        "triangles": of_scipy(lambda x: x.multiply(x @ x).sum(), lambda: csr(700000)),
        "csr + a column as a row": of_scipy(
            lambda x, r: scipy.sparse.csr_matrix((x.data + r[x.indices, 0], x.indices, x.indptr), x.shape), csr,
            lambda: at.numbers(1, EXTENT, 1)),
        "csr * its transpose": of_scipy(lambda x: x.multiply(x.T.tocsr()), csr),
        "gradient of csr x dense by csr": of_scipy(by_hand, csr, h, lambda: at.numbers(2, EXTENT, FEATURES)),
    }
