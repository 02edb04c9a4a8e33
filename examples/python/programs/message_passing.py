# SPDX-License-Identifier: MIT
"""Subjects of papers in a graph of citations: attention over neighbours by a masked softmax, on features in csr."""
import frisket as fk
import numpy as np
import report

classes, words = 5, 500


def generated(papers, generator):
    """Subjects, links both ways with a loop at each paper, and words of each paper; links and words tell little each."""
    subject = generator.integers(0, classes, papers)
    is_own = generator.random((papers, 4)) < 0.8  # links within a subject
    members = [np.flatnonzero(subject == c) for c in range(classes)]
    own = np.stack([generator.choice(members[c], 4) for c in subject])
    cited = np.where(is_own, own, generator.integers(0, papers, (papers, 4)))
    loops = np.arange(papers)
    source = np.concatenate([loops, loops.repeat(4), cited.ravel()])
    links = np.unique(source * papers + np.concatenate([loops, cited.ravel(), loops.repeat(4)]))
    topic = subject[:, None] * (words // classes) + generator.integers(0, words // classes, (papers, 20))
    used = np.where(generator.random((papers, 20)) < 0.2, topic, generator.integers(0, words, (papers, 20)))
    return subject, links, np.unique(loops[:, None] * words + used)


def csr(places, rows, columns):
    """Ones at positions row * columns + column, which ascend."""
    pointers = np.concatenate([[0], np.cumsum(np.bincount(places // columns, minlength=rows))])
    return fk.csr((rows, columns), pointers, places % columns, np.ones(len(places), "float32"))


def attend(graph, h, to, by):
    """A mean of the neighbours' rows of h, weighted by a softmax over them."""
    scores = fk.on(graph, h @ to + (h @ by).T)
    weights = fk.softmax(fk.maximum(scores, 0.2 * scores), axis=1)
    return fk.to_dense(weights @ h, 0)


@fk.jit
def evaluated(graph, x, params, papers, subjects):
    """The loss, which is the cross-entropy of some papers, the scores of all, and the gradients of the parameters."""
    w1, to1, by1, w2, to2, by2 = params
    h = fk.relu(attend(graph, fk.to_dense(x @ w1, 0), to1, by1))
    scores = attend(graph, h @ w2, to2, by2)
    loss = -fk.mean(fk.log_softmax(scores, axis=1)[papers, subjects])
    # Layer by layer: one gradient through both layers would have masks that are compared for each pair of papers.
    above, *second = fk.gradient(loss, (h, w2, to2, by2))
    first = fk.gradient(h, (w1, to1, by1), fk.to_dense(above, 0))
    return loss, scores, [*first, *second]


def main():
    chosen = report.options(__doc__, epochs=60, lr=0.01)
    run, generator = report.Report("Message passing", chosen), np.random.default_rng(chosen.seed)
    with run.phase("data"):
        papers = 300 if chosen.small else 3000
        subject, links, used = generated(papers, generator)
        graph, x = csr(links, papers, papers), csr(used, papers, words)
        train = generator.permutation(papers)[: papers // 10]
        is_test = ~np.isin(np.arange(papers), train)
        shapes = [(words, 16), (16, 1), (16, 1), (16, classes), (classes, 1), (classes, 1)]
        start = [generator.normal(0, shape[0] ** -0.5, shape).astype("float32") for shape in shapes]

    params = [values.copy() for values in start]
    optimizer = fk.optim.AdamW(params, lr=chosen.lr, weight_decay=0.1)
    for _ in run.epochs("frisket", chosen.epochs):
        loss, scores, gradients = evaluated(graph, x, params, train, subject[train])
        optimizer.step(gradients)
        run.loss("frisket", loss)

    def accuracy(scores):
        return np.mean((scores.argmax(1) == subject)[is_test])

    found = accuracy(evaluated(graph, x, params, train, subject[train])[1])
    print(f"papers: {papers}, links: {len(links) - papers}, known subjects: {len(train)}")
    if chosen.torch:
        run.compare("accuracy", found, accuracy(in_torch(run, chosen, links, x, train, subject, start)))
    run.close("accuracy", found)


def in_torch(run, chosen, links, x, train, subject, start):
    """Scores of a model that PyTorch trains, with sums over links by index_add."""
    import torch

    nodes, source, target = x.shape[0], torch.tensor(links // x.shape[0]), torch.tensor(links % x.shape[0])
    params = [torch.tensor(values, requires_grad=True) for values in start]
    optimizer = torch.optim.AdamW(params, lr=chosen.lr, weight_decay=0.1)
    x, train, subject = x.torch(), torch.tensor(train), torch.tensor(subject)

    def attend(h, to, by):
        scores = torch.nn.functional.leaky_relu((h @ to)[source, 0] + (h @ by)[target, 0], 0.2)
        highest = torch.full((nodes,), -torch.inf).scatter_reduce(0, source, scores.detach(), "amax")
        weights = (scores - highest[source]).exp()
        weights = weights / torch.zeros(nodes).index_add(0, source, weights)[source]
        return torch.zeros(nodes, h.shape[1]).index_add(0, source, weights[:, None] * h[target])

    def network(w1, to1, by1, w2, to2, by2):
        return attend(torch.relu(attend(x @ w1, to1, by1)) @ w2, to2, by2)

    for _ in run.epochs("PyTorch", chosen.epochs):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(*params)[train], subject[train])
        loss.backward()
        optimizer.step()
        run.loss("PyTorch", loss.item())
    return network(*params).detach().numpy()


if __name__ == "__main__":
    main()
