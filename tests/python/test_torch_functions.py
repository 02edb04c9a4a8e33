# SPDX-License-Identifier: MIT
"""fk.torch.function against autograd and gradcheck, and the norm of gradients of every layout."""
import warnings

import frisket as fk
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is absent")


def ratings():
    return fk.coo((6, 5), [[0, 2, 4], [1, 1, 3]], np.float32([1, 2, 3]))


def by_gather(u, v):
    rows, columns = torch.tensor([0, 2, 4]), torch.tensor([1, 1, 3])
    return ((torch.tensor([1.0, 2, 3]) - (u[rows] * v[columns]).sum(1)) ** 2).mean()


@pytest.mark.parametrize("sparse", [(), ("u",), ("u", "v")])
def test_a_loss_has_the_gradients_of_autograd(sparse):
    loss = fk.torch.function(lambda r, u, v: fk.mean(fk.square(r - u @ v.T)), sparse=sparse)
    torch.manual_seed(1)
    u, v = torch.randn(6, 3, requires_grad=True), torch.randn(5, 3, requires_grad=True)
    value = loss(ratings(), u, v)
    value.backward()
    own = [x.detach().clone().requires_grad_() for x in (u, v)]
    wanted = by_gather(*own)
    wanted.backward()
    assert torch.allclose(value, wanted)
    for name, mine, other in zip("uv", (u, v), own):
        assert mine.grad.layout is (torch.sparse_coo if name in sparse else torch.strided)
        assert torch.allclose(mine.grad.to_dense(), other.grad)
    if "u" in sparse:
        assert u.grad.sparse_dim() == 1 and u.grad.coalesce().indices().tolist() == [[0, 2, 4]]


def test_results_and_arguments_of_several_kinds():
    @fk.torch.function(static_argnames="is_doubled")
    def f(a, b, *, k=2.0, is_doubled=True):
        return a * b * k * (2 if is_doubled else 1), fk.sum(a, axis=0)

    a, b = (torch.randn(4, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(lambda a, b: f(a, b, k=3.0), (a, b))
    assert torch.autograd.gradcheck(lambda a: f(a, b.detach(), is_doubled=False), (a,))
    with torch.no_grad():
        assert not f(a, b)[0].requires_grad
    product, columns = f(a.detach(), b)
    assert product.requires_grad
    product.sum().backward()
    assert torch.allclose(b.grad, 4 * a.detach())


def test_it_is_part_of_a_module():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.u, self.v = torch.nn.Parameter(torch.ones(6, 3)), torch.nn.Parameter(torch.ones(5, 3))
            self.loss = fk.torch.function(lambda r, u, v: fk.sum(fk.square(r - u @ v.T)), sparse=("u", "v"))

        def forward(self, r):
            return self.loss(r, self.u, self.v)

    model = Model()
    optimizer = fk.torch.optim.Adagrad(model.parameters(), lr=0.3)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        losses.append(model(ratings()))
        losses[-1].backward()
        optimizer.step()
    assert losses[-1] < 0.1 * losses[0]
    assert torch.all(model.u[1] == 1)  # no rating is of it


def test_what_is_refused():
    a = torch.ones(3, requires_grad=True)
    with pytest.raises(fk.TraceError, match=r"write fk.to_dense\(x, fill\)"):
        fk.torch.function(lambda a: fk.masked(a, a > 0))(a)
    with pytest.raises(fk.BindingError, match="there is no argument w"):
        fk.torch.function(lambda a: a, sparse="w")
    x = fk.torch.function(lambda a: a * a)(a)
    a.data.mul_(2)  # unseen by autograd, as with torch's own
    with torch.no_grad():
        a.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        x.sum().backward()


def test_norms_of_gradients_of_every_layout():
    table, weight = torch.nn.Embedding(10, 2, sparse=True), torch.nn.Parameter(torch.ones(2))
    table(torch.tensor([1, 1, 3])).sum().backward()
    (3 * weight.sum()).backward()
    norm = fk.torch.clip_grad_norm_([table.weight, weight], 1.0)
    assert norm.item() == pytest.approx(28**0.5)  # 2 x 2, 2 x 1, and 2 x 9
    dense = torch.cat([table.weight.grad.to_dense().flatten(), weight.grad])
    assert torch.linalg.vector_norm(dense).item() == pytest.approx(1, rel=1e-5)
    before = weight.grad.clone()
    assert fk.torch.clip_grad_norm_([table.weight, weight], 5.0).item() == pytest.approx(1, rel=1e-5)
    assert torch.equal(weight.grad, before)
    weight.grad[0] = float("nan")
    with pytest.raises(RuntimeError, match="is nan"):
        fk.torch.clip_grad_norm_([table.weight, weight], 1.0, error_if_nonfinite=True)


@pytest.mark.parametrize("layout", ["coo", "rows", "csr", "csc", "bitmask", "strided"])
def test_masked_arrays_become_tensors(layout):
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    mask = np.repeat([[True], [False], [True], [False]], 3, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's notes on csr and MaskedTensor
        tensor = fk.masked(values, mask).to(layout).torch()
    back = fk.asmasked(tensor)
    assert np.array_equal(back.mask, mask)
    assert np.array_equal(back.filled(0), np.where(mask, values, 0))


def test_arguments_that_do_not_fit():
    with pytest.raises(fk.BindingError, match="lambda: b is missing: a came, wanted .a, b.: write b="):
        fk.torch.function(lambda a, b: a + b)(torch.ones(3))
    with pytest.raises(fk.BindingError, match="torch.function: 3 is no function"):
        fk.torch.function(3)
