# SPDX-License-Identifier: MIT
"""Workloads over lists by SciPy and torch, for peers.py: the same positions as in lists.cpp."""

COUNT = 1000000  # positions, before those that come twice are dropped
EXTENT = 100000  # of square matrices


class Lists:
    """The data of the workloads; `at` is the module of peers.py."""

    def __init__(self, at, is_skewed=False, count=COUNT):
        self.at, np = at, at.np
        rows, columns = self.indices(5, is_skewed, count), self.indices(6, False, count)
        positions = np.unique(rows * EXTENT + columns)
        self.rows, self.columns = positions // EXTENT, positions % EXTENT
        self.values = at.numbers(7, len(positions))
        self.shape = (EXTENT, EXTENT)

    def indices(self, number, is_skewed=False, count=COUNT):
        """As in list_data.hpp."""
        np, bits = self.at.np, self.at.bits_of(number, count)
        if is_skewed:
            share = (bits >> np.uint64(40)).astype(np.float64) * 2.0**-24
            return (share * share * share * EXTENT).astype(np.int64)
        return (bits % np.uint64(EXTENT)).astype(np.int64)

    def coo(self):
        return self.at.scipy.sparse.coo_matrix((self.values, (self.rows, self.columns)), self.shape)

    def torch_coo(self, transposed=False):
        torch, np = self.at.torch, self.at.np
        indices = np.stack([self.columns, self.rows] if transposed else [self.rows, self.columns])
        return torch.sparse_coo_tensor(torch.from_numpy(indices), torch.from_numpy(self.values),
                                       self.shape).coalesce()


def workloads(at):
    """Names with functions that make the peers."""

    def of(scipy_function, torch_function=None, prepare=lambda data: data.coo().tocsr(), is_skewed=False):
        def made():
            peers, data = at.Peers(), Lists(at, is_skewed)
            if at.scipy:
                peers.of_scipy(scipy_function, prepare(data))
            if at.torch and torch_function:
                function = torch_function(data)
                peers.run["torch"] = function
            return peers

        return made

    def torch_sums(data):
        x = data.torch_coo()
        return lambda: at.torch.sparse.sum(x, 1)

    def torch_softmax(data):
        x = data.torch_coo()
        return lambda: at.torch.sparse.softmax(x, 1)

    def torch_union(data):
        x, y = data.torch_coo(), data.torch_coo(transposed=True)
        return lambda: (x + y).coalesce()

    def torch_intersection(data):
        x, y = data.torch_coo(), data.torch_coo(transposed=True)
        return lambda: x * y

    def torch_transpose(data):
        x = data.torch_coo()
        return lambda: x.t().coalesce()

    def softmax(is_skewed=False):
        def made():
            peers = at.Peers()
            if at.torch:
                peers.run["torch"] = torch_softmax(Lists(at, is_skewed))
            return peers

        return made

    def both(data):
        matrix = data.coo().tocsr()
        return matrix, matrix.T.tocsr()

    def shuffled(data):
        rows, columns = data.indices(5), data.indices(6)
        return at.numbers(7, COUNT), rows, columns

    def coalesced(given):
        values, rows, columns = given
        matrix = at.scipy.sparse.coo_matrix((values, (rows, columns)), (EXTENT, EXTENT))
        matrix.sum_duplicates()
        return matrix

    return {
        "coo row sums": of(lambda x: x.sum(1), torch_sums),
        "coo softmax rows": softmax(),
        "coo union": of(lambda x: x[0] + x[1], torch_union, both),
        "coo intersection": of(lambda x: x[0].multiply(x[1]), torch_intersection, both),
        "coo transpose": of(lambda x: x.T.tocsr(), torch_transpose),
        "coo coalesce": of(coalesced, None, shuffled),
        "coo to csr": of(lambda x: x.tocsr(), None, Lists.coo),
        "csr to coo": of(lambda x: x.tocoo()),
        "csr to csc": of(lambda x: x.tocsc()),
        "csc to csr": of(lambda x: x.tocsr(), None, lambda data: data.coo().tocsc()),
        "csr to bsr": of(lambda x: x.tobsr((4, 4))),
        "bsr to csr": of(lambda x: x.tocsr(), None, lambda data: data.coo().tocsr().tobsr((4, 4))),
        "skewed row sums": of(lambda x: x.sum(1), torch_sums, is_skewed=True),
        "skewed softmax rows": softmax(is_skewed=True),
        "skewed union": of(lambda x: x[0] + x[1], torch_union, both, is_skewed=True),
        "skewed transpose": of(lambda x: x.T.tocsr(), torch_transpose, is_skewed=True),
    }
