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
