# SPDX-License-Identifier: MIT
"""Attention over the edges of a graph, in torch: forward and backward are a compiled function each, and no matrix is dense."""
import frisket as fk
import torch

torch.manual_seed(0)
nodes, edges, features = 20_000, 100_000, 8
places = torch.randint(0, nodes, (2, edges)).unique(dim=1)
graph = fk.coo((nodes, nodes), places, torch.ones(places.shape[1]))


@fk.torch.function
def attend(graph, h):
    scores = fk.on(graph, h @ h.T)  # a product for each edge
    return fk.to_dense(fk.softmax(scores, axis=1) @ h, 0)


h = torch.randn(nodes, features, requires_grad=True)
attend(graph, h).square().sum().backward()

# By hand, in operations of torch.
g = h.detach().clone().requires_grad_()
source, target = places
scores = (g[source] * g[target]).sum(1)
highest = torch.full((nodes,), -torch.inf).scatter_reduce(0, source, scores, "amax")
weights = (scores - highest[source]).exp()
weights = weights / torch.zeros(nodes).index_add(0, source, weights)[source]
torch.zeros(nodes, features).index_add(0, source, weights[:, None] * g[target]).square().sum().backward()
print("the gradient is torch's:", torch.allclose(h.grad, g.grad, rtol=1e-3, atol=1e-3))

# Prints:
# the gradient is torch's: True
