# SPDX-License-Identifier: MIT
"""A recommender: factors of a matrix of ratings by a masked loss, and row-wise Adagrad on the rows that a batch reads."""
import frisket as fk
import numpy as np
import report


def generated(users, items, rank, noise, known, generator):
    """User, item and rating of the entries that are known, of a product of factors with noise."""
    u, v = generator.normal(size=(users, rank)), generator.normal(size=(items, rank))
    user, item = np.nonzero(generator.random((users, items)) < known)
    truth = (u[user] * v[item]).sum(1) / np.sqrt(rank)
    return user, item, (truth + generator.normal(0, noise, len(user))).astype("float32")


def read(path):
    """The columns user, item and rating of a file of MovieLens: u.data, ratings.dat or ratings.csv."""
    lines = open(path, encoding="utf-8").read().replace("::", "\t").replace(",", "\t").splitlines()
    table = np.array([line.split("\t")[:3] for line in lines if line[:1].isdigit()], "float64")
    user, item = (np.unique(column, return_inverse=True)[1] for column in table.T[:2])
    return user, item, table[:, 2].astype("float32")


def batches(user, item, rating, shape, size):
    """Each batch: `size` users, and their ratings as a matrix in csr."""
    order = np.lexsort((item, user))
    item, rating = item[order], rating[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(user, minlength=shape[0]))])
    for first in range(0, shape[0], size):
        ids = np.arange(first, min(first + size, shape[0]))
        pointers = starts[ids[0] : ids[-1] + 2]
        part = slice(pointers[0], pointers[-1])
        yield ids, fk.csr((len(ids), shape[1]), pointers - pointers[0], item[part], rating[part])


def loss(u, v, ids, ratings):
    """Squared errors of the known ratings, for each user of the batch; other products are not computed."""
    return fk.sum(fk.square(ratings - u[ids] @ v.T)) / ratings.shape[0]


def main():
    chosen = report.options(__doc__, ratings=None, epochs=15, lr=0.3)
    run, generator = report.Report("Recommender", chosen), np.random.default_rng(chosen.seed)
    noise, rank, size = 0.5, 4, 10 if chosen.small else 100
    with run.phase("data"):
        if chosen.ratings:
            user, item, rating = read(chosen.ratings)
            noise, rank = 1.0, 8
        else:
            users, items, known = (100, 75, 0.6) if chosen.small else (3000, 1500, 0.1)
            user, item, rating = generated(users, items, rank, noise, known, generator)
        shape = (user.max() + 1, item.max() + 1)
        mean, is_held_out = rating.mean(), generator.random(len(user)) < 0.1
        rating = rating - mean
        train = list(batches(user[~is_held_out], item[~is_held_out], rating[~is_held_out], shape, size))
        u, v = (generator.normal(0, 0.3, (n, rank)).astype("float32") for n in shape)

    def rmse(u, v):
        found = (u[user[is_held_out]] * v[item[is_held_out]]).sum(1)
        return np.sqrt(np.mean((found - rating[is_held_out]) ** 2))

    start = u.copy(), v.copy()
    optimizer = fk.optim.RowwiseAdagrad({"u": u, "v": v}, lr=chosen.lr)
    for _ in run.epochs("frisket", chosen.epochs):
        total = sum(float(optimizer.minimize(loss, ids=ids, ratings=block).loss) * len(ids) for ids, block in train)
        run.loss("frisket", total / shape[0])
    found = rmse(u, v)
    print(f"ratings: {len(user)} of {shape[0]} users for {shape[1]} items")
    if chosen.torch:
        run.compare("RMSE held out", found, rmse(*in_torch(run, chosen, train, *start)))
    run.close("RMSE held out" if chosen.ratings else "RMSE held out / noise", found / noise)


def in_torch(run, chosen, train, u, v):
    """Factors that PyTorch finds with its Adagrad, which is not row-wise."""
    import torch

    tables = [torch.nn.Embedding.from_pretrained(torch.tensor(x), freeze=False) for x in (u, v)]
    optimizer = torch.optim.Adagrad([table.weight for table in tables], lr=chosen.lr)
    blocks = []
    for ids, block in train:
        places = torch.tensor(ids).repeat_interleave(torch.tensor(np.diff(block.pointers)))
        blocks.append((len(ids), places, torch.tensor(block.indices), torch.tensor(block.stored_values)))
    for _ in run.epochs("PyTorch", chosen.epochs):
        total = 0.0
        for count, user, item, rating in blocks:
            optimizer.zero_grad()
            value = (rating - (tables[0](user) * tables[1](item)).sum(1)).square().sum() / count
            value.backward()
            optimizer.step()
            total += value.item() * count
        run.loss("PyTorch", total / len(u))
    return [table.weight.detach().numpy() for table in tables]


if __name__ == "__main__":
    main()
