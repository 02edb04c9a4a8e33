# SPDX-License-Identifier: MIT
"""Vectors of Shakespeare's words: skip-gram with negative sampling, and SparseAdam on the rows that a batch reads."""
import collections
import re

import frisket as fk
import numpy as np
import report

related = [pair.split() for pair in (
    "king queen", "father mother", "brother sister", "son daughter", "lord lady", "man woman", "men women", "husband wife",
    "uncle cousin", "prince duke", "king crown", "he she", "his her", "him them", "my your", "thou thee", "thy thine",
    "hath doth", "shall will", "come go", "give take", "tell speak", "eyes tears", "head face", "life death", "love hate",
    "god heaven", "heaven hell", "england france", "two three",
)]  # fmt: skip
window, negatives, width = 5, 5, 32


def corpus(generator, is_small):
    """Frequent words, the text as their numbers, and how often each occurs; the most frequent are thinned out."""
    text = (report.data / "shakespeare.txt").read_text(encoding="utf-8").lower()
    found = re.findall(r"[a-z']+", text)
    words = [word for word, count in collections.Counter(found).most_common() if count >= 19]
    number = {word: i for i, word in enumerate(words)}
    ids = np.array([number[word] for word in found if word in number])
    counts = np.bincount(ids)
    ids = ids[generator.random(len(ids)) < np.sqrt(1e-3 * len(ids) / counts[ids])]
    return words, ids[: len(ids) // 100] if is_small else ids, counts


def batches(ids, counts, size, generator):
    """Words, and beside each a word of its window, then others by chance; in a random order."""
    centre = np.concatenate([part for d in range(1, window + 1) for part in (ids[d:], ids[:-d])])
    beside = np.concatenate([part for d in range(1, window + 1) for part in (ids[:-d], ids[d:])])
    order = generator.permutation(len(centre))
    share = np.cumsum(counts**0.75 / np.sum(counts**0.75))
    for first in range(0, len(order) - size + 1, size):
        part = order[first : first + size]
        chance = np.minimum(np.searchsorted(share, generator.random((size, negatives))), len(share) - 1)
        yield centre[part], np.concatenate([beside[part, None], chance], axis=1)


def loss(words, contexts, centre, others, signs):
    """The mean logistic loss of telling a neighbour, the first of `others`, from words by chance."""
    score = fk.sum(words[centre][:, None] * contexts[others], axis=2)
    return fk.mean(fk.sum(fk.logaddexp(signs * score, 0.0), axis=1))


def near_pairs(vectors, words):
    """The number of related pairs whose cosine is above the median of all pairs."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines, number = unit @ unit.T, {word: i for i, word in enumerate(words)}
    median = np.median(cosines[np.triu_indices(len(words), 1)])
    return sum(cosines[number[a], number[b]] > median for a, b in related)


def main():
    chosen = report.options(__doc__, epochs=3, lr=0.005)
    run, generator = report.Report("Word vectors", chosen), np.random.default_rng(chosen.seed)
    with run.phase("data"):
        words, ids, counts = corpus(generator, chosen.small)
        size = 128 if chosen.small else 2048
        start = [generator.normal(0, 0.1, (len(words), width)).astype("float32") for _ in range(2)]
        signs = np.array([-1.0] + [1.0] * negatives, "float32")

    vectors, contexts = (values.copy() for values in start)
    optimizer = fk.optim.SparseAdam({"words": vectors, "contexts": contexts}, lr=chosen.lr)
    for epoch in run.epochs("frisket", chosen.epochs):
        train = batches(ids, counts, size, np.random.default_rng(epoch))
        losses = [float(optimizer.minimize(loss, centre=c, others=o, signs=signs).loss) for c, o in train]
        run.loss("frisket", np.mean(losses))

    print(f"words: {len(words)}, of which the text has {len(ids)}")
    print(f"pairs nearer than the median before training: {near_pairs(start[0], words)}")
    if chosen.torch:
        theirs = in_torch(run, chosen, ids, counts, size, start, signs)
        run.compare("pairs nearer than the median", near_pairs(vectors, words), near_pairs(theirs, words))
    run.close("pairs nearer than the median", near_pairs(vectors, words))


def in_torch(run, chosen, ids, counts, size, start, signs):
    """Vectors that PyTorch finds from the batches above."""
    import torch

    words, contexts = (torch.nn.Embedding.from_pretrained(torch.tensor(x), freeze=False, sparse=True) for x in start)
    optimizer = torch.optim.SparseAdam([words.weight, contexts.weight], lr=chosen.lr)
    signs = torch.tensor(signs)
    for epoch in run.epochs("PyTorch", chosen.epochs):
        losses = []
        for centre, others in batches(ids, counts, size, np.random.default_rng(epoch)):
            optimizer.zero_grad()
            score = (words(torch.tensor(centre))[:, None] * contexts(torch.tensor(others))).sum(2)
            value = torch.nn.functional.softplus(signs * score).sum(1).mean()
            value.backward()
            optimizer.step()
            losses.append(value.item())
        run.loss("PyTorch", np.mean(losses))
    return words.weight.detach().numpy()


if __name__ == "__main__":
    main()
