# SPDX-License-Identifier: MIT
"""fk.torch.optim compared with torch.optim: torch's own configurations, state, schedulers, hooks, and sparse gradients."""
import copy
import io
import pickle
import warnings

import frisket as fk
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is absent")
pytest.importorskip("expecttest", reason="expecttest, which torch.testing wants, is absent")
common = pytest.importorskip("torch.testing._internal.common_optimizers")

shared = [info for info in common.optim_db if hasattr(fk.torch.optim, info.optim_cls.__name__)]
by_name = {info.optim_cls.__name__: info for info in shared}
ours_alone = ["RowwiseAdagrad", "Lion", "FTRL", "LAMB", "LARS"]
device = torch.device("cpu")


def ours(info):
    return getattr(fk.torch.optim, info.optim_cls.__name__)


def configurations(info):
    """torch's configurations of a class, without those that are refused here."""
    made = []
    for given in info.optim_inputs_func(device=device):
        options = dict(given.kwargs)
        if options.pop("capturable", False) or options.pop("differentiable", False):
            continue
        made.append((given.desc, options))
    return made


every_configuration = [
    pytest.param(info, options, id=f"{name} {desc} {i}")
    for name, info in by_name.items()
    for i, (desc, options) in enumerate(configurations(info))
]
every_class = [pytest.param(info, id=name) for name, info in by_name.items()]


def make_parameters(dtype=torch.float64, seed=0, shapes=((5, 3), (3, 4))):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, dtype=dtype, generator=generator).requires_grad_() for shape in shapes]


def give_gradients(parameters, step, is_sparse=False):
    generator = torch.Generator().manual_seed(1000 + step)
    for parameter in parameters:
        gradient = torch.randn(parameter.shape, dtype=parameter.dtype, generator=generator)
        if is_sparse:
            gradient = (gradient * (torch.rand(parameter.shape[0], 1, generator=generator) < 0.6)).to_sparse(1)
        parameter.grad = gradient


def run(optimizer, parameters, steps, first=0, is_sparse=False):
    for step in range(first, first + steps):
        give_gradients(parameters, step, is_sparse)
        optimizer.step(lambda: torch.zeros(()))


def fresh(options):
    """Options of their own: a rate that is a tensor is changed by schedulers."""
    return {k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in options.items()}


def check_close(made, wanted, name, tolerance=4e-7):
    # torch's Muon iterates in bfloat16.
    tolerance = 2e-2 if name == "Muon" else tolerance
    for a, b in zip(made, wanted, strict=True):
        torch.testing.assert_close(a.detach(), b.detach().to(a.dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("info, options", every_configuration)
def test_fifty_steps_are_those_of_torch(info, options):
    is_sparse = info.only_supports_sparse_grads
    results = []
    for cls in (ours(info), info.optim_cls):
        parameters = make_parameters()
        run(cls(parameters, **fresh(options)), parameters, 50, is_sparse=is_sparse)
        results.append(parameters)
    check_close(*results, info.optim_cls.__name__)


@pytest.mark.parametrize("info", every_class)
def test_float32_parameters(info):
    results = []
    for cls in (ours(info), info.optim_cls):
        parameters = make_parameters(torch.float32)
        run(cls(parameters), parameters, 20, is_sparse=info.only_supports_sparse_grads)
        results.append(parameters)
    check_close(*results, info.optim_cls.__name__, 1e-5)


@pytest.mark.parametrize("info, options", every_configuration)
def test_state_goes_to_torch_and_comes_back(info, options):
    is_sparse = info.only_supports_sparse_grads
    wanted = make_parameters()
    reference = info.optim_cls(wanted, **fresh(options))
    parameters = make_parameters()
    optimizer = ours(info)(parameters, **fresh(options))
    for round_, cls in enumerate((ours(info), info.optim_cls, ours(info))):
        if round_:
            state = optimizer.state_dict()
            optimizer = cls(parameters, **fresh(options))
            optimizer.load_state_dict(copy.deepcopy(state))
        run(optimizer, parameters, 5, 5 * round_, is_sparse)
        run(reference, wanted, 5, 5 * round_, is_sparse)
    check_close(parameters, wanted, info.optim_cls.__name__)
    for p, q in zip(parameters, wanted):
        names = set(reference.state[q]) - {name for name, value in reference.state[q].items() if value is None}
        assert names <= set(optimizer.state[p]), (names, set(optimizer.state[p]))
        for name in names:
            made, torchs = (torch.as_tensor(state[name]) for state in (optimizer.state[p], reference.state[q]))
            if name != "exp_avg" and info.optim_cls.__name__ != "Muon":
                torch.testing.assert_close(made, torchs, rtol=1e-6, atol=1e-6, check_dtype=False)


@pytest.mark.parametrize("info", every_class)
def test_a_copy_and_a_pickle_go_on_alike(info):
    is_sparse = info.only_supports_sparse_grads
    parameters = make_parameters()
    optimizer = ours(info)(parameters)
    run(optimizer, parameters, 3, is_sparse=is_sparse)
    copies = [copy.deepcopy((parameters, optimizer)), pickle.loads(pickle.dumps((parameters, optimizer)))]
    file = io.BytesIO()
    torch.save((parameters, optimizer), file)
    file.seek(0)
    copies.append(torch.load(file, weights_only=False))
    run(optimizer, parameters, 3, 3, is_sparse)
    for made, other in copies:
        assert type(other) is type(optimizer)
        run(other, made, 3, 3, is_sparse)
        check_close(made, parameters, "", 0)


@pytest.mark.parametrize("info", every_class)
def test_schedulers(info):
    for scheduled in info.scheduler_inputs:
        results = []
        for cls in (ours(info), info.optim_cls):
            parameters = make_parameters()
            optimizer = cls(parameters)
            schedulers = [make(optimizer) for make in scheduled]
            for step in range(10):
                run(optimizer, parameters, 1, step, info.only_supports_sparse_grads)
                for scheduler in schedulers:
                    if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
                        scheduler.step(1.0)
                    else:
                        scheduler.step()
            results.append(parameters)
        check_close(*results, info.optim_cls.__name__)


@pytest.mark.parametrize("info", every_class)
def test_wrong_options_are_refused_as_torch_refuses_them(info):
    for wrong in info.optim_error_inputs_func(device=device, dtype=torch.float64):
        given = wrong.optimizer_error_input
        if wrong.error_on is not common.OptimizerErrorEnum.CONSTRUCTION_ERROR:
            continue
        said = pytest.warns if issubclass(wrong.error_type, Warning) else pytest.raises
        with said(wrong.error_type, match=wrong.error_regex):
            ours(info)(given.params, **given.kwargs)


@pytest.mark.parametrize("name", [*by_name, *ours_alone])
def test_arguments_are_those_of_torch(name):
    import inspect

    cls = getattr(fk.torch.optim, name)
    assert issubclass(cls, torch.optim.Optimizer)
    taken = inspect.signature(cls).parameters
    assert {"params", "untouched", "stochastic_rounding", "seed"} <= set(taken)
    if name not in by_name:
        return
    wanted = inspect.signature(by_name[name].optim_cls).parameters
    assert list(wanted) == list(taken)[: len(wanted)]
    assert all(taken[n].default == p.default for n, p in wanted.items())
    assert cls(make_parameters()).defaults == by_name[name].optim_cls(make_parameters()).defaults
    known = set(fk._core.rule_options(cls.rule))
    sources = {key for key, _, option in fk.torch.optim._sources(cls.rule, cls(make_parameters()).defaults)}
    assert set(cls(make_parameters()).defaults) - sources <= fk.torch.optim.without_effect, known


def gradients_of_every_layout(mask, values):
    at = mask.nonzero()
    element = torch.sparse_coo_tensor(at.T, values[mask], mask.shape)
    yield "COO elements", element, mask
    yield "CSR", (values * mask).to_sparse_csr(), mask
    yield "CSC", (values * mask).to_sparse_csc(), mask
    blocks = mask.reshape(3, 2, 2, 2).any(3).any(1)
    yield "BSR", (values * mask).to_sparse_bsr((2, 2)), blocks.repeat_interleave(2, 0).repeat_interleave(2, 1)
    rows = torch.tensor([3, 1, 3])
    doubled = torch.sparse_coo_tensor(rows[None], values[:3], mask.shape)
    met = torch.zeros_like(mask)
    met[rows] = True
    yield "COO rows", doubled, met
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield "MaskedTensor", torch.masked.masked_tensor(values.clone(), mask), mask
    yield "fk.Masked", fk.masked(values.numpy().copy(), mask.numpy()), mask
    yield "dense", values, torch.ones_like(mask)


@pytest.mark.parametrize("name", sorted(set(by_name) - {"Adafactor", "Muon"}) + ours_alone)
def test_gradients_of_every_layout_touch_what_they_specify(name):
    generator = torch.Generator().manual_seed(5)
    values = torch.randn((6, 4), generator=generator)
    mask = torch.rand((6, 4), generator=generator) < 0.4
    decay = {"weight_decay": 0.1} if "weight_decay" in fk._core.rule_options(getattr(fk.torch.optim, name).rule) else {}
    for layout, gradient, touched in gradients_of_every_layout(mask, values):
        parameter, beside = torch.ones((6, 4), requires_grad=True), torch.ones(3, requires_grad=True)
        optimizer = getattr(fk.torch.optim, name)([parameter, beside], **decay)
        for _ in range(2):
            beside.grad = torch.ones(3)
            optimizer.set_grad(parameter, gradient)
            optimizer.step()
        changed = (parameter != 1).detach()
        assert not bool((changed & ~touched).any()), layout
        assert bool(changed.any()) and bool((beside != 1).all()), layout


def test_a_sparse_embedding_and_a_dense_layer_share_an_optimizer():
    torch.manual_seed(0)
    results = []
    for is_ours in (True, False):
        torch.manual_seed(1)
        table = torch.nn.Embedding(20, 4, sparse=True)
        layer = torch.nn.Linear(4, 1)
        both = [*table.parameters(), *layer.parameters()]
        if is_ours:
            optimizers = [fk.torch.optim.Adagrad(both, lr=0.1)]
        else:
            optimizers = [torch.optim.Adagrad(table.parameters(), lr=0.1), torch.optim.Adagrad(layer.parameters(), lr=0.1)]
        for step in range(5):
            ids = torch.tensor([step, 3, 3, 7])
            for optimizer in optimizers:
                optimizer.zero_grad()
            layer(table(ids)).square().sum().backward()
            for optimizer in optimizers:
                optimizer.step()
        results.append([p.detach() for p in both])
    check_close(*results, "", 1e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_parameters_of_16_bits_have_state_of_float32(dtype):
    parameters = make_parameters(dtype)
    optimizer = fk.torch.optim.AdamW(parameters, lr=0.01)
    run(optimizer, parameters, 3)
    assert all(optimizer.state[p]["exp_avg"].dtype == torch.float32 for p in parameters)
    other = make_parameters(dtype)
    with torch.no_grad():
        for p, q in zip(other, parameters):
            p.copy_(q)
    again = fk.torch.optim.AdamW(other, lr=0.01)
    again.load_state_dict(optimizer.state_dict())
    assert all(again.state[p]["exp_avg"].dtype == torch.float32 for p in other)
    run(optimizer, parameters, 3, 3)
    run(again, other, 3, 3)
    check_close(other, parameters, "", 0)


def test_stochastic_rounding_moves_what_rounding_to_nearest_leaves():
    still, moving = torch.ones(4096, dtype=torch.bfloat16), torch.ones(4096, dtype=torch.bfloat16)
    for p, is_rounding in ((still, False), (moving, True)):
        optimizer = fk.torch.optim.SGD([p], lr=1e-3, stochastic_rounding=is_rounding, seed=7)
        for _ in range(4):
            p.grad = torch.full_like(p, 0.25)
            optimizer.step()
    assert bool((still == 1).all())
    assert float(moving.float().mean()) == pytest.approx(1 - 1e-3, rel=0.2e-3)


def test_hooks_run_in_the_order_of_torch():
    from torch.optim import optimizer as base

    for cls in (fk.torch.optim.SGD, torch.optim.SGD):
        said = []
        p = torch.ones(2)
        p.grad = torch.ones(2)
        optimizer = cls([p], lr=1.0)
        handles = [
            base.register_optimizer_step_pre_hook(lambda *_: said.append("all before")),
            optimizer.register_step_pre_hook(lambda *_: said.append("before")),
            optimizer.register_step_post_hook(lambda *_: said.append("after")),
            base.register_optimizer_step_post_hook(lambda *_: said.append("all after")),
        ]
        optimizer.step()
        for handle in handles:
            handle.remove()
        optimizer.step()
        assert said == ["all before", "before", "after", "all after"]
        assert p.tolist() == [-1, -1]
        loaded = []
        optimizer.register_state_dict_post_hook(lambda *_: loaded.append("state"))
        optimizer.register_load_state_dict_pre_hook(lambda *_: loaded.append("load"))
        optimizer.load_state_dict(optimizer.state_dict())
        assert loaded == ["state", "load"]


def test_a_closure_is_called_with_gradients_enabled():
    p = torch.ones(2, requires_grad=True)
    optimizer = fk.torch.optim.SGD([p], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = p.square().sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 2
    assert p.tolist() == [0, 0]


def test_a_step_counts_as_a_change_to_autograd():
    p = torch.ones(2, requires_grad=True)
    loss = p.square().sum()
    p.grad = torch.ones(2)
    fk.torch.optim.SGD([p], lr=0.5).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_groups_are_read_at_each_step():
    p, q, r = torch.ones(2), torch.ones(2), torch.ones(2)
    optimizer = fk.torch.optim.SGD([{"params": [p]}, {"params": [q], "lr": torch.tensor(0.25)}], lr=1.0)
    for x in (p, q, r):
        x.grad = torch.ones(2)
    optimizer.step()
    assert p[0] == 0 and q[0] == 0.75
    optimizer.param_groups[1]["lr"].fill_(0.5)
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.add_param_group({"params": [r], "maximize": True})
    optimizer.step()
    assert p[0] == -0.5 and q[0] == 0.25 and r[0] == 2
    optimizer.param_groups[0]["momentum"] = 0.5
    optimizer.step()
    assert optimizer.state[p]["momentum_buffer"].tolist() == [1, 1]
    optimizer.step()
    assert p[0] == -0.5 - 0.5 - 0.75
    with pytest.raises(ValueError, match="option lr is"):
        optimizer.param_groups[0]["lr"] = -1.0
        optimizer.step()
    assert p[0] == -1.75


def test_a_parameter_that_moved_and_state_that_was_changed():
    wanted, given = make_parameters(), make_parameters()
    theirs, optimizer = torch.optim.Adam(wanted, amsgrad=True), fk.torch.optim.Adam(given, amsgrad=True)
    for made, parameters in ((theirs, wanted), (optimizer, given)):
        run(made, parameters, 2)
        parameters[0].data = parameters[0].data.clone()
        run(made, parameters, 2, 2)
        made.state[parameters[1]]["exp_avg"] = torch.ones_like(parameters[1])
        made.state[parameters[0]]["step"].fill_(9)
        run(made, parameters, 2, 4)
        made.state.clear()
        run(made, parameters, 2, 6)
        parameters[0].grad = None
        made.step()
    check_close(given, wanted, "", 1e-6)
    for p in given:  # torch refuses this
        p.grad = None
        p.data = p.data.float()
    run(optimizer, given, 1, 8)
    assert optimizer.state[given[0]]["exp_avg"].dtype == torch.float32


def test_grad_scaler():
    results = []
    for cls in (fk.torch.optim.AdamW, torch.optim.AdamW):
        torch.manual_seed(3)
        layer = torch.nn.Linear(4, 2)
        optimizer = cls(layer.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
        x = torch.randn(8, 4)
        for step in range(6):
            optimizer.zero_grad()
            scaler.scale(layer(x).square().mean()).backward()
            if step == 2:
                layer.weight.grad[0, 0] = float("inf")
            if step == 4:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(layer.parameters(), 0.1)
            scaler.step(optimizer)
            scaler.update()
        assert optimizer.state[layer.weight]["step"] == 5
        results.append([p.detach() for p in layer.parameters()])
    check_close(*results, "", 1e-5)


def test_untouched():
    results = {}
    gradient = torch.sparse_coo_tensor([[1]], torch.ones(1, 2), (3, 2))
    for untouched in ("masked", "dense_equivalent", "caught_up"):
        p = torch.ones(3, 2)
        optimizer = fk.torch.optim.SGD([p], lr=0.5, weight_decay=0.5, untouched=untouched)
        for _ in range(3):
            p.grad = gradient
            optimizer.step()
        optimizer.catch_up()
        results[untouched] = p
    assert results["masked"][0].tolist() == [1, 1]
    assert results["dense_equivalent"][0, 0] == 0.75**3
    torch.testing.assert_close(results["caught_up"], results["dense_equivalent"])


def refusals():
    dense, sparse = torch.ones(2, 2), torch.eye(2).to_sparse()
    whole = torch.ones(2, dtype=torch.int64)
    yield lambda: fk.torch.optim.Adam([dense], capturable=True), TypeError, "capturable=True"
    yield lambda: fk.torch.optim.Adam([dense], differentiable=True), TypeError, "differentiable=True"
    yield lambda: fk.torch.optim.SGD([torch.ones(2, dtype=torch.complex64)]), TypeError, "view_as_real"
    yield lambda: fk.torch.optim.SGD([sparse]), ValueError, "requires dense parameter tensors, and one has layout torch.sparse_coo"
    yield lambda: fk.torch.optim.SGD([whole]), TypeError, "torch.int64"
    yield lambda: fk.torch.optim.SGD([dense], untouched="all"), ValueError, "untouched is"
    yield lambda: fk.torch.optim.Lion([dense], momentum=1.0), TypeError, "Lion has no argument momentum"
    yield lambda: fk.torch.optim.Lion([dense], lr=-1.0).step(), ValueError, "option lr"
    yield lambda: fk.torch.optim.SGD([dense], lr=-1.0), ValueError, "Invalid learning rate"

    def sparse_muon():
        p = torch.ones(2, 2)
        p.grad = sparse
        fk.torch.optim.Muon([p]).step()

    yield sparse_muon, ValueError, 'untouched="dense_equivalent"'

    def other_shape():
        optimizer = fk.torch.optim.SGD([dense])
        optimizer.set_grad(dense, fk.masked(np.ones(3, "float32"), np.ones(3, bool)))
        optimizer.step()

    yield other_shape, ValueError, "they must be equal"


def test_refusals():
    for run_, kind, words in refusals():
        with pytest.raises(kind) as caught:
            run_()
        assert words in str(caught.value)


def test_foreach_and_fused_change_nothing():
    results = []
    for options in ({}, {"foreach": True}, {"fused": True}):
        parameters = make_parameters()
        run(fk.torch.optim.Adam(parameters, **options), parameters, 3)
        results.append(parameters)
    check_close(results[1], results[0], "", 0)
    check_close(results[2], results[0], "", 0)


def test_the_other_rules_are_those_of_fk_optim():
    for name in ours_alone:
        given = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
        p, q = torch.from_numpy(given.copy()), given.copy()
        optimizer, plain = getattr(fk.torch.optim, name)([p]), getattr(fk.optim, name)([q])
        for step in range(3):
            g = np.full((3, 4), 0.5 - step, "float32")
            p.grad = torch.from_numpy(g)
            optimizer.step()
            plain.step([g])
        assert np.array_equal(p.numpy(), q)
        again = getattr(fk.torch.optim, name)([p])
        again.load_state_dict(optimizer.state_dict())
        again.step()
        assert again.state[p].keys() == optimizer.state[p].keys()
