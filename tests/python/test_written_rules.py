# SPDX-License-Identifier: MIT
"""fk.optim.rule: rules that a function writes have the results of the library's rules, and wrong rules are refused with a sentence."""
import frisket as fk
import numpy as np
import pytest


@fk.optim.rule(state={"m": 0.0, "v": 0.0}, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8)
def own_adam(param, grad, m, v, t, lr, beta1, beta2, eps):
    """Adam, as its paper has it."""
    m += (1 - beta1) * (grad - m)
    v += (1 - beta2) * (grad * grad - v)
    param -= lr * (m / (1 - beta1**t)) / (fk.sqrt(v / (1 - beta2**t)) + eps)


def gradients(dtype, count=6):
    rng = np.random.default_rng(5)
    for i in range(count):
        g = rng.standard_normal((7, 5)).astype(dtype)
        yield (g, fk.masked(g, g > 0), fk.rows((7, 5), [1, 3, 1], g[:3]), fk.masked(g, g < 1).to("coo"))[i % 4]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("untouched", ["masked", "dense_equivalent"])
def test_it_does_what_the_rule_of_the_library_does(dtype, untouched):
    start = np.random.default_rng(1).standard_normal((7, 5)).astype(dtype)
    mine, other = start.copy(), start.copy()
    a = own_adam({"w": mine}, lr=0.1, untouched=untouched)
    b = fk.optim.Adam({"w": other}, lr=0.1, untouched=untouched)
    for one, two in zip(gradients(dtype), gradients(dtype)):
        a.step([one], clip_value=2.0)
        b.step([two], clip_value=2.0)
    assert np.allclose(mine, other, rtol=0, atol={np.float16: 2e-3, np.float32: 3e-6, np.float64: 1e-14}[dtype])
    assert not np.array_equal(mine, start)
    assert a.state["w"]["m"].dtype == (np.float64 if dtype is np.float64 else np.float32)


def test_it_has_options_groups_state_and_files(tmp_path):
    w, u = np.ones((3, 2), np.float32), np.ones(4, np.float32)
    opt = own_adam({"w": w}, lr=0.1)
    assert opt.add_group({"u": u}, lr=0.2, beta1=0.5) == 1
    assert opt.options(0)["lr"] == 0.1 and opt.options(1)["beta1"] == 0.5
    opt.set(lr=0.05)
    opt.step({"w": np.ones((3, 2), np.float32), "u": np.ones(4, np.float32)})
    assert np.allclose(w, 0.95) and np.allclose(u, 0.8)
    opt.save(tmp_path / "state.safetensors")
    again = own_adam({"w": w.copy()}, lr=0.1)
    again.add_group({"u": u.copy()})
    again.load(tmp_path / "state.safetensors")
    assert np.array_equal(again.state["w"]["m"], opt.state["w"]["m"]) and again.options(1)["lr"] == 0.2
    assert own_adam.__doc__ == "Adam, as its paper has it." and own_adam.__name__ == "own_adam"


def test_a_state_begins_with_its_number():
    @fk.optim.rule(state={"most": -3.0}, lr=1.0)
    def greatest(param, grad, most, lr):
        most[...] = fk.maximum(most, grad)
        param -= lr * most

    w = np.zeros(3, np.float32)
    greatest([w]).step([np.float32([-5, -1, 2])])
    assert w.tolist() == [3, 1, -2]


def test_minimize_finds_the_least():
    @fk.optim.rule(lr=0.1)
    def plain(param, grad, lr):
        param -= lr * grad

    w = np.float64([3, -2])
    opt = plain({"w": w})
    for _ in range(60):
        opt.minimize(lambda w: fk.sum(fk.square(w - 1)))
    assert np.allclose(w, 1, atol=1e-4)


def refused(text, wanted, **settings):
    scope = {"fk": fk, "np": np}
    exec(f"def bad(param, grad, m, lr):\n    {text}", scope)
    with pytest.raises(fk.Error, match=wanted):
        fk.optim.rule(scope["bad"], **{"state": ["m"], "lr": 1, **settings})


def test_what_is_refused():
    refused("param -= lr * fk.sum(grad)", "elementwise")
    refused("return param", "its step gives none")
    refused("param -= lr * m * grad", "the step updates each")
    refused("m += grad", "does not update param|takes param as In")
    refused("m += grad; param -= m", "beta is no argument", beta=2)
    refused("m += grad; param -= m + np.ones(3)", "of its surroundings")
    with pytest.raises(fk.Error, match="the argument gamma is no state and no option"):
        fk.optim.rule(lambda param, grad, gamma: None)
    with pytest.raises(fk.Error, match="two of its names are t"):
        fk.optim.rule(lambda param, grad, t: None, state=["t"])
    opt = own_adam([np.ones(3, np.float32)])
    with pytest.raises(fk.Error, match="has no option"):
        opt.set(momentum=1)
    with pytest.raises(fk.Error, match="no closed form"):
        own_adam([np.ones(3, np.float32)], untouched="caught_up")
    with pytest.raises(fk.Error, match="wanted float32"):
        own_adam([np.ones(3, np.int32)])


def test_it_is_an_optimizer_of_torch():
    torch = pytest.importorskip("torch", reason="torch is absent")
    start = torch.randn(7, 5)
    mine, other = (torch.nn.Parameter(start.clone()) for _ in range(2))
    a, b = own_adam.torch([mine], lr=0.1), torch.optim.Adam([other], lr=0.1)
    assert isinstance(a, torch.optim.Optimizer)
    schedules = [torch.optim.lr_scheduler.StepLR(opt, 2) for opt in (a, b)]
    for i in range(5):
        for parameter in (mine, other):
            parameter.grad = torch.full((7, 5), float(i - 2))
        a.step()
        b.step()
        for schedule in schedules:
            schedule.step()
    assert torch.allclose(mine, other, atol=1e-6)
    assert set(a.state[mine]) == {"m", "v", "step"}
    again = own_adam.torch([mine], lr=0.1)
    again.load_state_dict(a.state_dict())
    assert torch.equal(again.state[mine]["m"], a.state[mine]["m"])
