# SPDX-License-Identifier: MIT
"""A spam filter: hashed n-grams of letters in csr, logistic regression, and FTRL, whose L1 keeps most weights at 0."""
import zlib

import frisket as fk
import numpy as np
import report

buckets = 1 << 18  # weights of n-grams; one more weight is the bias


def features(text):
    """The buckets of a message's n-grams, ascending, each once; the last is that of the bias."""
    letters = b" " + text.lower() + b" "
    grams = {letters[i : i + n] for n in (3, 4, 5) for i in range(len(letters) - n + 1)}
    return np.array([*sorted({zlib.crc32(gram) % buckets for gram in grams}), buckets])


def matrix(rows):
    """Messages as the rows of a matrix in csr; a row has length 1."""
    pointers = np.cumsum([0, *map(len, rows)])
    values = np.concatenate([np.full(len(row), len(row) ** -0.5, "float32") for row in rows])
    return fk.csr((len(rows), buckets + 1), pointers, np.concatenate(rows), values)


def loss(w, x, y):
    """The mean logistic loss."""
    score = x @ w
    return fk.mean(fk.logaddexp(score, 0.0) - y * score)


def area_under_curve(scores, is_spam):
    """The probability that a spam has a higher score than a ham."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores)] = np.arange(len(scores))
    spam = is_spam.sum()
    return (ranks[is_spam].sum() - spam * (spam - 1) / 2) / (spam * (len(scores) - spam))


def main():
    chosen = report.options(__doc__, epochs=10, lr=10.0, l1=0.02, save=None)
    run, size = report.Report("Spam filter", chosen), 8 if chosen.small else 64
    with run.phase("data"):
        lines = (report.data / "SMSSpamCollection").read_bytes().splitlines()[1 :: 100 if chosen.small else 1]
        labels, texts = zip(*(line.split(b"\t", 1) for line in lines))
        is_spam = np.array([label == b"spam" for label in labels])
        is_test = np.array([zlib.crc32(text) % 5 == 0 for text in texts])  # a text that occurs twice is on one side
        rows = [features(text) for text in texts]
        order = np.random.default_rng(chosen.seed).permutation(np.flatnonzero(~is_test))
        parts = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
        train = [(matrix([rows[i] for i in part]), is_spam[part, None].astype("float32")) for part in parts]
        test = matrix([rows[i] for i in np.flatnonzero(is_test)])

    w = np.zeros((buckets + 1, 1), "float32")
    optimizer = fk.optim.FTRL({"w": w}, lr=chosen.lr, l1=chosen.l1)
    for _ in run.epochs("frisket", chosen.epochs):
        run.loss("frisket", np.mean([float(optimizer.minimize(loss, x=x, y=y).loss) for x, y in train]))

    def quality(w):
        return area_under_curve((test @ w).filled(0).ravel(), is_spam[is_test])

    met = len(np.unique(np.concatenate([rows[i] for i in order])))
    print(f"messages: {len(texts)}, of which {is_test.sum()} are for the test; buckets in use: {met}")
    print(f"zero weights of buckets in use: {1 - np.count_nonzero(w) / met:.4f}")
    if chosen.save:
        fk.save(chosen.save, w)  # a .npy file, which classify_spam.c of examples/programs reads
    if chosen.torch:
        run.compare("AUC", quality(w), quality(in_torch(run, chosen, train)))
    run.close("AUC", quality(w))


def in_torch(run, chosen, train):
    """The weights that PyTorch finds, which has no FTRL: its formula over the rows of a sparse gradient."""
    import torch

    model = torch.nn.EmbeddingBag(buckets + 1, 1, mode="sum", sparse=True)
    w, z, n = model.weight.detach().zero_(), torch.zeros(buckets + 1, 1), torch.zeros(buckets + 1, 1)
    bags = [[torch.tensor(a) for a in (x.indices, x.pointers[:-1], x.stored_values, y)] for x, y in train]
    entropy = torch.nn.functional.binary_cross_entropy_with_logits
    for _ in run.epochs("PyTorch", chosen.epochs):
        losses = []
        for ids, offsets, values, y in bags:
            model.weight.grad = None
            value = entropy(model(ids, offsets, per_sample_weights=values), y)
            value.backward()
            gradient = model.weight.grad.coalesce()
            row, g = gradient.indices()[0], gradient.values()
            old = n[row]
            n[row] = new = old + g * g
            z[row] = total = z[row] + g - (new.sqrt() - old.sqrt()) / chosen.lr * w[row]
            w[row] = -(total - total.clamp(-chosen.l1, chosen.l1)) / ((1 + new.sqrt()) / chosen.lr)
            losses.append(value.item())
        run.loss("PyTorch", np.mean(losses))
    return w.numpy()


if __name__ == "__main__":
    main()
