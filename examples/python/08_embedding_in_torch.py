# SPDX-License-Identifier: MIT
"""An embedding's optimizer, swapped in one line: AdamW with weight decay over sparse gradients, which torch refuses."""
import frisket as fk
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Embedding(1000, 8, sparse=True), torch.nn.Flatten(), torch.nn.Linear(16, 1))
ids, wanted = torch.randint(0, 50, (64, 2)), torch.randn(64, 1)
model(ids).square().mean().backward()
try:
    torch.optim.AdamW(model.parameters(), lr=0.01).step()
except RuntimeError:
    print("torch's AdamW refuses the gradient of the embedding")

optimizer = fk.torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.01)  # the one line
before = model[0].weight.detach().clone()
for _ in range(100):
    optimizer.zero_grad()
    loss = (model(ids) - wanted).square().mean()
    loss.backward()
    fk.torch.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
moved = (model[0].weight != before).any(1).nonzero().flatten()
print("the loss is small:", loss.item() < 0.1)
print("rows that moved are those that were read:", moved.tolist() == ids.unique().tolist())

# Prints:
# torch's AdamW refuses the gradient of the embedding
# the loss is small: True
# rows that moved are those that were read: True
