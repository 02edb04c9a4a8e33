# SPDX-License-Identifier: MIT
"""Arrays of NumPy, np.ma, SciPy and torch: their masks are never ignored, their memory is not copied."""
import copy
import gc
import pickle
import threading
import weakref

import frisket as fk
import numpy as np
import pytest

x = np.arange(12, dtype="float32").reshape(3, 4)


def test_np_ma_has_true_where_elements_are_out():
    a = np.ma.masked_where(x > 5, x)
    m = fk.asmasked(a)
    assert np.array_equal(m.mask, x <= 5)
    back = m.numpy()
    assert np.array_equal(back.mask, a.mask) and np.array_equal(back.compressed(), a.compressed())


def test_np_ma_is_an_operand():
    a = np.ma.masked_where(x > 5, x)
    assert fk.sum(a) == a.sum()
    assert np.allclose(fk.jit(lambda a: fk.mean(a, axis=0))(a).numpy(), a.mean(axis=0))
    assert np.allclose(np.ma.getdata((fk.asmasked(a) * 2).numpy()[0]), 2 * x[0])


def test_np_ma_without_a_mask():
    assert fk.asmasked(np.ma.array(x)).count() == 12


def test_reductions_agree_with_np_ma():
    generator = np.random.default_rng(1)
    values = generator.normal(size=(7, 5)).astype("float64")
    a = np.ma.masked_array(values, generator.random((7, 5)) < 0.4)
    m = fk.asmasked(a)
    for name in ("sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "all", "any"):
        for axis in (None, 0, 1):
            got, want = getattr(fk, name)(m, axis=axis), getattr(np.ma, name)(a, axis=axis)
            got = got.numpy() if isinstance(got, fk.Masked) else got
            assert np.ma.allclose(got, want), (name, axis)


def test_elementwise_functions_agree_with_numpy():
    y = np.linspace(0.1, 0.9, 12).reshape(3, 4)
    m = fk.masked(y, y < 0.7)
    for name in """negative abs sign square reciprocal sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos
            arctan sinh cosh tanh arcsinh arctanh deg2rad rad2deg sinc i0 floor ceil trunc isnan isfinite signbit""".split():
        got = getattr(fk, name)(m)
        assert np.allclose(got.numpy().compressed(), getattr(np, name)(y)[y < 0.7], rtol=1e-6), name
        through = getattr(np, name)(m)
        assert np.array_equal(through.filled(0), got.filled(0)), name


def test_subscripts_agree_with_numpy():
    y = np.arange(60, dtype="int64").reshape(3, 4, 5)
    m = fk.masked(y, np.ones_like(y, dtype=bool))
    ids = np.array([2, 0])
    for key in (0, -1, slice(1, 3), (slice(None), 2), (Ellipsis, 1), (None, 1), (slice(None, None, -1), slice(3, 0, -2)),
                ids, (slice(None), ids), (slice(None), slice(None), ids), (ids, ids), (slice(None), ids, ids),
                (ids, slice(None), ids), (0, ids), (Ellipsis, None, slice(1, 4, 2)), np.array([[0, 1], [2, 2]])):  # fmt: skip
        got = m[key]
        assert np.array_equal(got.filled(0) if isinstance(got, fk.Masked) else got, y[key]), key
    assert np.array_equal(m[y > 30].filled(0), y[y > 30])


def test_a_result_keeps_its_memory():
    m = fk.masked(x.copy(), x > 2)
    values = m.stored_values
    del m
    gc.collect()
    assert np.array_equal(values, x)


def test_an_array_is_kept_while_it_is_needed():
    class Kept(np.ndarray):
        pass

    values = x.copy().view(Kept)
    gone = weakref.ref(values)
    m = fk.masked(values, x > 2)
    del values
    gc.collect()
    assert gone() is not None and m.count() == 9
    del m
    gc.collect()
    assert gone() is None


def test_nothing_is_copied():
    values = x.copy()
    m = fk.masked(values, x > 2)
    values[2, 3] = 100
    assert m[2, 3].item() == 100


def test_pickle_and_copy():
    for m in (fk.masked(x, x > 2), fk.rows((4, 2), [1, 3], np.ones((2, 2), "float32")), fk.masked(x, x > 2).to("csr")):
        for other in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
            assert other.layout == m.layout and np.array_equal(other.mask, m.mask)
            assert np.array_equal(other.filled(-1), m.filled(-1))


def test_layouts():
    m = fk.masked(x, x > 2)
    for layout in ("strided", "bitmask", "coo", "csr", "csc", "bsr", "bsc"):
        assert m.to(layout).layout == layout
        assert np.array_equal((m.to(layout) * 2).filled(0), 2 * x * (x > 2))


def test_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    a = sparse.csr_matrix(np.where(x > 5, x, 0))
    m = fk.asmasked(a)
    assert m.layout == "csr" and m.count() == 6
    assert np.array_equal(m.scipy().toarray(), a.toarray())
    assert fk.asmasked(sparse.coo_array(x)).count() == 11
    assert fk.asmasked(a.tocoo()).layout == "coo" and fk.asmasked(a.tocsc()).layout == "csc"
    assert fk.sum(a) == a.sum()


def test_torch():
    torch = pytest.importorskip("torch")
    t = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    m = fk.masked(t, t > 2)
    assert m.count() == 3 and isinstance(fk.add(t, 1.0), torch.Tensor)
    compiled = fk.jit(lambda a, b: a @ b.T + 1)
    assert torch.equal(compiled(t, t), t @ t.T + 1)

    @fk.step
    def descend(p, g, *, lr):
        p -= lr * g

    descend(t, fk.asmasked(torch.ones(2, 3).to_sparse()), lr=1.0)
    assert torch.equal(t, torch.arange(6.0).reshape(2, 3) - 1)
    with pytest.raises(ValueError, match="requires grad"):
        fk.exp(torch.ones(3, requires_grad=True))
    with pytest.raises(ValueError, match="resolve_neg"):
        fk.exp(torch._neg_view(torch.ones(3)))


@pytest.mark.filterwarnings("ignore:Sparse")
def test_torch_sparse_layouts():
    torch = pytest.importorskip("torch")
    d = torch.arange(16.0).reshape(4, 4) * (torch.arange(16).reshape(4, 4) % 3 == 0)
    for tensor, layout in ((d.to_sparse(), "coo"), (d.to_sparse(1), "rows"), (d.to_sparse_csr(), "csr"),
                           (d.to_sparse_csc(), "csc"), (d.to_sparse_bsr((2, 2)), "bsr"), (d.to_sparse_bsc((2, 2)), "bsc")):  # fmt: skip
        m = fk.asmasked(tensor)
        assert m.layout == layout and np.array_equal(m.filled(0), d.numpy())


def test_threads():
    compiled = fk.jit(lambda a: fk.sum(fk.square(a)))
    values = np.ones((256, 256), "float32")
    found = []
    threads = [threading.Thread(target=lambda: found.extend(float(compiled(values)) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [65536.0] * 80


def test_sparse_torch_tensors_and_masked_tensors_are_operands():
    torch = pytest.importorskip("torch", reason="torch is absent")
    dense = torch.tensor([[1.0, 0, 3], [0, 5, 0]])
    for sparse in (dense.to_sparse(), dense.to_sparse_csr(), dense.to_sparse_csc(), dense.to_sparse().coalesce()):
        assert fk.sum(sparse).item() == 9
        assert fk.sum(sparse, axis=1).numpy().tolist() == [4, 5]
        assert fk.jit(lambda x: x * 2.0)(sparse).count() == 3
        with pytest.raises(ValueError, match="requires grad"):
            fk.sum(sparse.requires_grad_())
    masked = torch.masked.masked_tensor(dense, dense > 2)
    assert fk.sum(masked).item() == 8
    assert fk.mean(masked, axis=0).numpy().tolist() == [None, 5, 3]
    with pytest.raises(TypeError, match="x.to_dense()"):
        fk.masked(dense.to_sparse(), dense > 2)


def test_numpy_arrays_of_every_kind_are_read_in_place(tmp_path):
    x = np.arange(24, dtype="float32").reshape(4, 6)
    file = np.memmap(tmp_path / "x", dtype="float32", shape=(4, 6), mode="w+")
    file[:] = x
    packed = np.zeros(4, dtype=[("a", "u1"), ("b", "f4")])  # b is not aligned
    packed["b"] = [1, 2, 3, 4]
    for array in (x, x[::-1, 1::2], x.T, np.asfortranarray(x), file, x[1:1], x[0, 0:1], np.array(3.0), x.view(np.matrix)):
        made = fk.add(array, 1.0)
        assert type(made) is np.ndarray and np.array_equal(made, np.asarray(array) + 1)
        assert made.dtype == array.dtype and made.flags.writeable
    for dtype in ("bool", "uint8", "int32", "int64", "float16", "float32", "float64", "longlong"):
        assert fk.masked(np.ones(3, dtype), np.ones(3, bool)).dtype == {"longlong": "int64"}.get(dtype, dtype)
        assert float(fk.sum(np.ones(3, dtype))) == 3
    for dtype in ("bool", "int32", "int64", "float32", "float64"):
        assert fk.flip(np.ones(3, dtype)).dtype == dtype
    for array in (packed["b"], x.astype(">f4"), x.astype("complex64"), np.array(["a"]), np.array([None])):
        with pytest.raises((TypeError, ValueError)):
            fk.add(array, 1.0)


def test_a_result_keeps_its_memory_as_long_as_a_view_of_it():
    view = fk.jit(lambda x: x * 2.0)(np.ones((64, 64), "float32"))[1:, ::2]
    for _ in range(20):
        fk.jit(lambda x: x * 3.0)(np.ones((64, 64), "float32"))
    assert (view == 2).all()
    view += 1
    assert view.sum() == 3 * view.size


def test_an_array_that_is_held_outlives_its_last_name():
    import gc

    for make in (lambda: np.full((32, 32), 5, "float32"), lambda: np.full((32, 64), 5, "float32")[:, ::2]):
        held = fk.masked(make(), np.ones((32, 32), bool))
        gc.collect()
        np.full((32, 32), 7, "float32")
        assert fk.sum(held).item() == 5 * 32 * 32


def test_calls_within_calls_do_not_share_memory():
    @fk.jit
    def inner(a, b):
        return a + b

    def outer(x):
        class Bad:
            shape = (2,)

            def __dlpack__(self, **_):
                inner(x, x)
                raise ValueError("no")

        with pytest.raises(fk.BindingError, match="type Bad gives no memory to read: no"):
            inner(x, Bad())
        return inner(x, x)

    x = np.ones(2, "float32")
    for _ in range(3):
        assert outer(x).tolist() == [2, 2]
