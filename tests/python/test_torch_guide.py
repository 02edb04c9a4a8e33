# SPDX-License-Identifier: MIT
"""The lines of docs/python.md that need torch, and the table of its spellings."""
import frisket as fk
import pytest
import spellings

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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("theirs, ours", spellings.rows("torch"))
def test_spellings_of_torch(theirs, ours):
    t = torch.tensor([[1.0, 2, 3], [4, 5, 6]])
    names = {"torch": torch, "fk": fk, "t": t, "mask": torch.tensor([[True, False, True], [True, True, False]]),
             "ids": torch.tensor([[0, 2], [1, 1]]), "at": torch.tensor([[0, 1], [2, 0]]), "v": torch.tensor([7.0, 8.0]), "p": t}  # fmt: skip
    spellings.compare(theirs, ours, names)
