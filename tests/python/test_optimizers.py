# SPDX-License-Identifier: MIT
"""The trajectories of tests/optimizers through fk.optim, and the other functions of the class."""
import json
import pathlib

import frisket as fk
import numpy as np
import pytest

folder = pathlib.Path(__file__).resolve().parents[1] / "optimizers" / "cases"
corpus = [case for path in sorted(folder.glob("*.json")) for case in json.loads(path.read_text(encoding="utf-8"))["cases"]]


def pytest_generate_tests(metafunc):
    if "case" not in metafunc.fixturenames:
        return
    sample = metafunc.config.getoption("--sample")
    if metafunc.function is test_compiled_trajectory:
        sample *= metafunc.config.getoption("--jit-every")
    chosen = corpus[::sample]
    metafunc.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def gradient_of(step, shape, dtype):
    stored = step["grad"]
    values = np.array(stored["values"], dtype)
    if stored["layout"] == "strided":
        return values.reshape(shape)
    if stored["layout"] == "coo":
        if len(stored["indices"]) == len(shape):
            return fk.coo(shape, stored["indices"], values)
        return fk.rows(shape, stored["indices"][0], values.reshape(-1, *shape[1:]))
    mask = np.array(stored["mask"], bool).reshape(shape)
    values = values.reshape(shape)
    values[~mask] = np.nan
    return fk.masked(values, mask)


def is_close(found, wanted, floor, dtype):
    wanted = np.asarray(wanted, "float64").reshape(np.shape(found))
    allowed = 1e-12 * np.maximum(1, abs(wanted)) if dtype == "float64" else max(1e-5, 8 * floor)
    return np.all((np.isnan(found) & np.isnan(wanted)) | (abs(np.asarray(found, "float64") - wanted) <= allowed))


def run(case, dtype, interpret):
    shape, floor = case["shape"], case["float32_floor"]
    param = np.array(case["param0"], dtype).reshape(shape)
    rule = getattr(fk.optim, fk.optim.names[case["optimizer"]])
    untouched = "dense_equivalent" if case["semantics"] == "dense_equivalent" else "masked"
    optimizer = rule({"param": param}, untouched=untouched, interpret=interpret, **case["hyper"])
    for step in case["steps"]:
        optimizer.step([gradient_of(step, shape, dtype)])
        assert is_close(param, step["param"], floor["param_abs"], dtype)
        for name, wanted in step["state"].items():
            assert is_close(optimizer.state["param"][name], wanted, floor["state_abs"], dtype), name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_trajectory(case, dtype):
    run(case, dtype, True)


def test_compiled_trajectory(case):
    run(case, "float32", False)


def test_options_are_read_and_changed():
    w = np.ones(3, "float32")
    optimizer = fk.optim.SGD({"w": w}, lr=0.5)
    assert optimizer.options()["lr"] == 0.5 and optimizer.options()["nesterov"] is False
    optimizer.step({"w": np.ones(3, "float32")})
    optimizer.set(lr=0.25)
    optimizer.step([np.ones(3, "float32")])
    assert np.all(w == 0.25)
    with pytest.raises(ValueError, match="lr"):
        optimizer.set(lr=-1.0)
    with pytest.raises(ValueError, match="momentun"):
        fk.optim.SGD({"w": w}, momentun=0.5)
    with pytest.raises(TypeError, match="there is no parameter v"):
        optimizer.step({"v": w})


def test_a_parameter_without_gradient_stays():
    a, b = np.ones(3, "float32"), np.ones(3, "float32")
    fk.optim.Adam({"a": a, "b": b}, betas=(0.8, 0.9)).step({"a": np.ones(3, "float32")})
    assert np.all(b == 1) and np.all(a < 1)


def test_norms_are_clipped_and_steps_skipped():
    w = np.zeros(2, "float32")
    optimizer = fk.optim.SGD([w], lr=1.0)
    outcome = optimizer.step([np.array([3, 4], "float32")], clip_norm=1.0)
    assert outcome.norm == 5 and np.allclose(w, [-0.6, -0.8])
    before = w.copy()
    assert optimizer.step([np.array([np.inf, 0], "float32")], skip_nonfinite=True).is_skipped
    assert np.array_equal(w, before)


def test_a_state_is_saved_and_taken_back(tmp_path):
    first, second = np.ones((4, 2), "float32"), np.ones((4, 2), "float32")
    a, b = fk.optim.AdamW({"w": first}, lr=0.1), fk.optim.AdamW({"w": second}, lr=0.1)
    rows = fk.rows((4, 2), [2, 0], np.ones((2, 2), "float32"))
    a.step([rows])
    a.save(tmp_path / "state.safetensors")
    b.load(tmp_path / "state.safetensors")
    second[...] = first
    a.step([rows])
    b.step([rows])
    assert np.array_equal(first, second) and a.state["w"]["step"] == 2
    c = fk.optim.AdamW({"w": second.copy()}, lr=0.1)
    c.set_state(a.state)
    assert np.array_equal(c.state["w"]["exp_avg"], a.state["w"]["exp_avg"])


def test_minimize_differentiates_a_loss():
    w = np.zeros((2, 1), "float64")
    x = np.array([[1.0, 2], [3, 5], [2, 2]])
    y = x @ np.array([[2.0], [-1]])
    optimizer = fk.optim.Adam({"w": w}, lr=0.1)

    def loss(w, x, y):
        return fk.mean(fk.square(x @ w - y))

    first = optimizer.minimize(loss, x=x, y=y).loss
    for _ in range(300):
        last = optimizer.minimize(loss, x=x, y=y).loss
    assert float(last) < 1e-3 * float(first)


def test_torch_parameters_with_sparse_gradients():
    torch = pytest.importorskip("torch")
    table = torch.nn.Embedding(10, 4, sparse=True)
    optimizer = fk.optim.Adagrad([table.weight.detach()], lr=0.5)
    reference = torch.nn.Embedding(10, 4, sparse=True)
    reference.load_state_dict(table.state_dict())
    theirs = torch.optim.Adagrad(reference.parameters(), lr=0.5)
    for ids in ([1, 3, 1], [3, 9, 0]):
        for module in (table, reference):
            module.zero_grad()
            module(torch.tensor(ids)).square().sum().backward()
        optimizer.step([fk.asmasked(table.weight.grad)])
        theirs.step()
        assert torch.allclose(table.weight, reference.weight, atol=1e-6)
