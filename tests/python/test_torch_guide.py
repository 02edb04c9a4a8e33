# SPDX-License-Identifier: MIT
"""The lines of docs/python.md that need torch."""
import frisket as fk
import pytest

torch = pytest.importorskip("torch", reason="torch is absent")


def test_guide():
    ids = torch.tensor([3, 5, 3])
    # [optimizer]
    table, layer = torch.nn.Embedding(1000, 8, sparse=True), torch.nn.Linear(8, 1)
    optimizer = fk.torch.optim.AdamW([*table.parameters(), *layer.parameters()], lr=1e-3, weight_decay=0.01)

    layer(table(ids)).square().mean().backward()
    optimizer.step()  # rows of the table that no gradient specifies stay, also under weight decay
    # [/optimizer]
    before = table.weight.detach().clone()
    optimizer.step()
    assert (table.weight != before).any(1).nonzero().flatten().tolist() == [3, 5]

    u, v = torch.ones(6, 3, requires_grad=True), torch.ones(5, 3, requires_grad=True)
    ratings = fk.coo((6, 5), [[0, 2], [1, 3]], torch.tensor([1.0, 2.0]))

    # [function]
    @fk.torch.function(sparse=("u", "v"))  # gradients of these are torch.sparse tensors
    def loss(ratings, u, v):
        return fk.mean(fk.square(ratings - u @ v.T))

    loss(ratings, u, v).backward()  # forward and backward are a compiled function each
    # [/function]
    assert u.grad.coalesce().indices().tolist() == [[0, 2]]
