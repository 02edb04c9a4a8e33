# SPDX-License-Identifier: MIT
"""The operations of torch.masked, by torch's own samples: values, masks and gradients are torch's."""
import warnings

import frisket as fk
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is absent")
pytest.importorskip("expecttest", reason="expecttest, which torch.testing wants, is absent")
definitions = pytest.importorskip("torch.testing._internal.opinfo.definitions._masked")

infos = {info.name.removeprefix("masked."): info for info in definitions.op_db if not info.name.startswith("masked.sparse")}
cumulative = {"cumsum", "cumprod", "softmax", "log_softmax", "softmin", "normalize"}
# torch sums, multiplies and averages integers in their own dtypes; these operations are of floats there too.
of_floats = {"mean", "median", "norm", "var", "std", "softmax", "log_softmax", "softmin", "normalize", "logaddexp", "logsumexp"}


def samples(name, dtype, requires_grad=False):
    """torch's samples with tensors of strided layout: (input, mask, positional arguments, keywords)."""
    torch.manual_seed(0)
    made = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in infos[name].sample_inputs("cpu", dtype, requires_grad=requires_grad):
            keywords = dict(sample.kwargs)
            mask = keywords.pop("mask", None)
            if isinstance(sample.input, torch.Tensor) and sample.input.layout is torch.strided:
                if mask is None or mask.layout is torch.strided:
                    made.append((sample.input, mask, sample.args, keywords))
    return made


def whole(x, mask):
    return torch.ones_like(x, dtype=torch.bool) if mask is None else mask.expand(x.shape)


def ours(name, x, mask, args, keywords):
    """The operation of frisket of a masked array, with torch's arguments."""
    keywords = {key: value for key, value in keywords.items() if value is not None or key == "dim"}
    if name in ("var", "std") and "unbiased" in keywords:
        keywords["correction"] = 1 if keywords.pop("unbiased") else 0
    elif name in ("var", "std"):
        keywords["correction"] = keywords.get("correction", 1)
    dtype = keywords.pop("dtype", None)
    if dtype is not None:
        x = fk.astype(x, dtype)
    if name == "logaddexp":
        return fk.logaddexp(fk.masked(x, mask), fk.masked(args[0], mask))
    names = {"norm": ["ord", "dim"], "normalize": ["ord", "dim"]}.get(name, ["dim"])
    keywords.update(zip(names, args))
    return getattr(fk, name)(fk.masked(x, mask), **keywords)


def theirs(name, x, mask, args, keywords):
    """torch's result, and where it is specified."""
    if name == "logaddexp":
        return torch.masked.logaddexp(x, *args, input_mask=mask, other_mask=mask), mask
    made = getattr(torch.masked, name)(x, *args, mask=mask, **keywords)
    if name in cumulative:
        return made, mask
    reduced = {key: value for key, value in keywords.items() if key in ("dim", "keepdim")}
    names = {"norm": ["ord", "dim"]}.get(name, ["dim"])
    dim = reduced.get("dim", dict(zip(names, args)).get("dim"))
    axes = tuple(range(x.ndim)) if dim is None or dim == () else (dim,) if isinstance(dim, int) else tuple(dim)
    found = np.any(mask.numpy(), axis=axes, keepdims=bool(reduced.get("keepdim")))
    return made, torch.as_tensor(found)


def compared(made, wanted, is_specified):
    """Compares values where torch's result is specified, and the mask."""
    mask = made.mask if isinstance(made, fk.Masked) else np.ones(tuple(made.shape), bool)
    values = np.asarray(made.filled(0) if isinstance(made, fk.Masked) else made)
    assert values.shape == tuple(wanted.shape)
    is_specified = is_specified.numpy()
    assert np.array_equal(mask, is_specified)
    wanted = wanted.detach().numpy()
    np.testing.assert_allclose(values[is_specified], wanted[is_specified], rtol=2e-5 if wanted.dtype == np.float32 else 1e-9, atol=1e-6)


def dims_of(args, keywords):
    return [value for value in (*args, *keywords.values()) if isinstance(value, (tuple, list))]


def given(name, dtype):
    """Samples that both take: an empty tuple of dimensions means all of them, and a number has dimension 0 only in torch."""
    for x, mask, args, keywords in samples(name, dtype):
        if x.ndim == 0 and name not in cumulative | {"median"}:
            args, keywords = args[:1] if name == "norm" else (), {**keywords, "dim": None}
        elif x.ndim == 0:
            continue
        if any(dims == () or dims == [] for dims in dims_of(args, keywords)):
            keywords = {key: None if value in ((), []) and key == "dim" else value for key, value in keywords.items()}
        yield x, whole(x, mask), args, keywords


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64], ids=str)
@pytest.mark.parametrize("name", sorted(infos))
def test_values_and_masks_are_those_of_torch(name, dtype):
    if dtype is torch.int64 and name in of_floats:
        return
    count = 0
    for x, mask, args, keywords in given(name, dtype):
        if name == "var" or name == "std":
            size = mask.sum()
            if size < 2:
                continue
        if 0 in x.shape and name in ("amax", "amin", "argmax", "argmin", "median"):
            continue  # torch refuses these; here nothing is specified
        wanted, is_specified = theirs(name, x, mask, args, keywords)
        compared(ours(name, x, mask, args, keywords), wanted, is_specified)
        count += 1
    assert count >= 3, f"torch gave {count} samples"


@pytest.mark.parametrize("name", sorted(set(infos) - {"argmax", "argmin", "median", "logaddexp"}))
def test_gradients_are_those_of_torch(name):
    count = 0
    for x, mask, args, keywords in given(name, torch.float64):
        if count == 12 or 0 in x.shape or x.ndim == 0:
            continue
        variable = x.detach().clone().requires_grad_()
        made, is_specified = theirs(name, variable, mask, args, keywords)
        weights = torch.linspace(0.5, 1.5, made.numel(), dtype=torch.float64).reshape(made.shape) * is_specified
        if not is_specified.any() or not made.dtype.is_floating_point:
            continue
        torch.where(is_specified, made * weights, 0).sum().backward()

        def gradient(x, mask, weights):
            value = ours(name, x, mask, args, keywords)
            return fk.gradient(fk.sum(fk.to_dense(value, 0.0) * weights), x, allow_unused=True)

        found = fk.eval(gradient, x.detach().numpy(), mask.numpy(), weights.numpy())
        found = found.filled(0) if isinstance(found, fk.Masked) else found
        wanted = torch.where(mask, variable.grad, 0).numpy()
        if np.isfinite(wanted).all():
            np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)
            count += 1
    assert count >= 2, f"torch gave {count} samples"
