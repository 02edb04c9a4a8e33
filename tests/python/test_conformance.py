# SPDX-License-Identifier: MIT
"""The reference cases through Python: operation by operation, as one expression, compiled, and as steps."""
import frisket as fk
import numpy as np
import pytest

from cases import Program, all_cases, elementwise, error_class
from compare import difference, storage_difference

host = {"construct", "coalesce", "item", "str", "to_layout"}
by_value = {"median", "index_bool"}
corpus = list(all_cases())


def pytest_generate_tests(metafunc):
    sample = metafunc.config.getoption("--sample")
    if metafunc.function in (test_compiled, test_step):
        sample *= metafunc.config.getoption("--jit-every")
    chosen = [case for case in corpus[::sample] if applies(metafunc.function, case)]
    metafunc.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def applies(test, case):
    if case["op"] == "gradcheck":
        return test is test_gradient_check
    program = Program(case)
    if test is test_compiled:
        return not program.ops & (host | by_value)
    if test is test_step:
        is_float = all(value["dtype"].startswith("float") for value in case["inputs"])
        return program.ops <= elementwise - host and is_float and "expect" in case and len(program.outputs) == 1
    if test is test_operations:
        return case["op"] != "backward"
    return test is test_expression and not program.ops & host


def judge(case, run):
    """Runs a case, and compares its results or its error."""
    if "expect_error" in case:
        with pytest.raises(error_class(case["expect_error"])):
            run()
        return
    got, expect = run(), case["expect"]
    wanted = expect["outputs"] if expect["kind"] == "outputs" else [expect]
    assert len(got) == len(wanted)
    for one, want in zip(got, wanted):
        text = difference(one, want, case.get("rtol", 0), case.get("atol", 0))
        assert not text, text
        if case["op"] in ("to_layout", "coalesce"):
            assert not storage_difference(one, want)


def test_operations(case):
    program = Program(case)
    judge(case, lambda: program.run(*program.inputs()))


def test_expression(case):
    program = Program(case)
    judge(case, lambda: fk.eval(program.run, *program.inputs()))


def test_compiled(case):
    program = Program(case)

    def run():
        compiled = fk.jit(lambda *inputs: program.run(*inputs))
        return compiled(*program.inputs())

    judge(case, run)


def test_step(case):
    program = Program(case)
    want = case["expect"]["outputs"][0] if case["expect"]["kind"] == "outputs" else case["expect"]

    @fk.step
    def store(out, *inputs):
        out[...] = program.run(*inputs)[0]

    out = np.zeros(want["shape"], want["dtype"])
    store(out, *program.inputs())
    if want["kind"] == "masked":
        out = fk.masked(out, np.array(want["mask"], dtype=bool).reshape(want["shape"]))
    assert not difference(out, want, case.get("rtol", 0), case.get("atol", 0))


functions = {
    "mm_sparse_mm": lambda x, pattern: nonmasked(fk.matmul(x, x)) @ nonmasked(x),
    "masked_mm_sparse_mm": lambda x, pattern: functions["mm_sparse_mm"](fk.masked(x, pattern), pattern),
    "to_dense": lambda x, pattern: fk.to_dense(x, 0.0),
    "to_dense_nonmasked": lambda x, pattern: nonmasked(x),
    "mm": lambda x, pattern: nonmasked(x) @ nonmasked(x),
    "sparse_mm": lambda x, pattern: x @ x,
    "sparse_sum": lambda x, pattern: fk.sum(x),
}


def nonmasked(x):
    return fk.to_dense(x, 0.0, gradient="everywhere")


def test_gradient_check(case):
    attrs, x = case["attrs"], Program(case).inputs()[0]
    pattern = x.mask
    options = {"masked": attrs["masked"], "eps": attrs["eps"], "rtol": attrs["check_rtol"], "atol": attrs["check_atol"]}
    passes, numerical, analytical = fk.check_grad_report(
        lambda x: functions[attrs["function"]](x, pattern), x, **options
    )
    assert passes == case["expect"]["pass"]
    for got, name in ((numerical, "numerical"), (analytical, "analytical")):
        text = difference(got, case["expect"][name], case.get("rtol", 0), case.get("atol", 0))
        assert not text, f"{name}: {text}"
