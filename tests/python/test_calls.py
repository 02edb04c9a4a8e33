# SPDX-License-Identifier: MIT
"""Calls whose arguments do not fit: the sentence names the function, the argument, the arguments that came and those wanted, and the remedy."""
import frisket as fk
import numpy as np
import pytest

x = np.ones((2, 3), "float32")
g = fk.masked(x, x > 0)


@fk.step
def adagrad(param, state_sum, grad, *, lr, eps=1e-10):
    state_sum += grad * grad
    param -= lr * grad / (fk.sqrt(state_sum) + eps)


def scaled_loss(w, x, k=2.0):
    return fk.sum(fk.square(w * x)) * k


class Model:
    @fk.jit
    def scores(self, a, b):
        return a + b


def with_defaults(w, a=1.0, b=2.0):
    return fk.sum(w * a * b)


def with_names(w, *, a, b=1.0):
    return fk.sum(w * a * b)


f = fk.jit(lambda a, /, b, c=2.0: a * b * c)
rest = fk.jit(lambda a, *others, **named: a)
loss = fk.value_and_grad(scaled_loss)
p, s = x.copy(), x.copy()


def optimizer():
    return fk.optim.SGD({"w": x.copy()}, lr=0.1)


of_adagrad = "wanted (param, state_sum, grad, *, lr, eps=1e-10): "
of_step = "wanted (grads, *, scale=1.0, clip_norm=inf, clip_value=inf, skip_nonfinite=False): "
rows = [
    (lambda: adagrad(p, s, g), "adagrad: lr is missing: param, state_sum and grad came, " + of_adagrad + "write lr=..."),
    (lambda: adagrad(p, lr=0.1), "adagrad: state_sum is missing: param and lr came, " + of_adagrad + "write state_sum=..."),
    (lambda: adagrad(), "adagrad: param is missing: nothing came, " + of_adagrad + "write param=..."),
    (lambda: adagrad(p, s, g, lr=0.1, esp=1), "adagrad has no argument esp, " + of_adagrad + "write eps=..."),
    (lambda: adagrad(p, s, g, rate=0.1), "adagrad has no argument rate, " + of_adagrad + "write lr=..."),
    (lambda: adagrad(p, s, g, lr=0.1, z=1), "adagrad has no argument z, " + of_adagrad + "leave out z=..."),
    (lambda: adagrad(p, s, g, 0.1), "adagrad takes 3 arguments by position, and 4 came, " + of_adagrad + "write lr=..."),
    (lambda: adagrad(p, s, g, grad=g, lr=0.1), "adagrad: grad is given twice, by position and by name, " + of_adagrad + "leave out grad=..."),
    (lambda: f(x), "lambda: b is missing: a came, wanted (a, /, b, c=2.0): write b=..."),
    (lambda: f(), "lambda: a is missing: nothing came, wanted (a, /, b, c=2.0): give it by position"),
    (lambda: f(a=x, b=x), "lambda: a is given by name, wanted (a, /, b, c=2.0): give it by position"),
    (lambda: f(x, x, 1, 2), "lambda takes 3 arguments by position, and 4 came, wanted (a, /, b, c=2.0): leave out the last one"),
    (lambda: f(x, 1, 2, 3, 4), "leave out the last 2"),
    (lambda: f(x, x, d=1), "lambda has no argument d, wanted (a, /, b, c=2.0): leave out d=..."),
    (lambda: rest(b=x), "lambda: a is missing: b came, wanted (a, *others, **named): write a=..."),
    (lambda: Model().scores(x), "scores: b is missing: a came, wanted (a, b): write b=..."),
    (lambda: Model().scores(x, x, x), "scores takes 2 arguments by position, and 3 came, wanted (a, b)"),
    (lambda: fk.jit(lambda a: f(a))(x), "lambda: b is missing"),
    (lambda: loss(x), "scaled_loss: x is missing: w came, wanted (w, x, k=2.0): write x=..."),
    (lambda: loss(x, x, w=x), "scaled_loss: w is given twice"),
    (lambda: fk.grad(scaled_loss)(x, x, 1.0, 2.0), "scaled_loss takes 3 arguments by position, and 4 came"),
    (lambda: fk.grad(scaled_loss)(x, x, j=1.0), "scaled_loss has no argument j, wanted (w, x, k=2.0): leave out j=..."),
    (lambda: fk.grad(scaled_loss, argnums="w"), "argnums are 'w', wanted the places of arguments: write argnums=0"),
    (lambda: fk.value_and_grad(scaled_loss, argnums=None), "argnums are None"),
    (lambda: fk.explain(adagrad, p), "adagrad: state_sum is missing"),
    (lambda: fk.show(loss, x), "scaled_loss: x is missing"),
    (lambda: fk.tune(loss, x), "scaled_loss: x is missing"),
    (lambda: fk.eval(lambda a, b: a + b, x), "lambda: b is missing: a came, wanted (a, b): write b=..."),
    (lambda: fk.eval(lambda a: a, x, b=x), "lambda has no argument b, wanted (a): leave out b=..."),
    (lambda: fk.check_grad(lambda a, b: fk.sum(a * b), x.astype(float)), "lambda: b is missing"),
    (lambda: optimizer().step(), "SGD.step: grads is missing: nothing came, " + of_step + "write grads=..."),
    (lambda: optimizer().step({}, clip=1.0), "SGD.step has no argument clip, " + of_step + "write clip_norm=..."),
    (lambda: optimizer().step({}, 1.0), "SGD.step takes 1 argument by position, and 2 came, " + of_step + "write scale=..."),
    (lambda: optimizer().step({}, grads={}), "SGD.step: grads is given twice, by position and by name"),
    (lambda: optimizer().step({}, scale="a"), "scale is 'a', wanted a number"),
    (lambda: optimizer().step(None), "grads are of type NoneType, wanted a dict of arrays by name, or a list"),
    (lambda: optimizer().step({"v": x}), "there is no parameter v: there are w"),
    (lambda: optimizer().minimize(), "SGD.minimize: loss is missing: nothing came"),
    (lambda: optimizer().minimize(scaled_loss, x), "SGD.minimize takes 1 argument by position, and 2 came"),
    (lambda: optimizer().minimize(None), "minimize: None is no function"),
    (lambda: optimizer().minimize(scaled_loss), "minimize: the input x is missing: nothing came, and the inputs of scaled_loss are x and k: write x=..."),
    (lambda: optimizer().minimize(scaled_loss, k=1.0), "minimize: the input x is missing: k came"),
    (lambda: optimizer().minimize(scaled_loss, x=x, y=x), "minimize: there is no input y: the inputs of scaled_loss are x and k: leave out y=..."),
    (lambda: optimizer().minimize(scaled_loss, x=x, w=x), "minimize: w is a parameter of the optimizer, and came as an input"),
    (lambda: optimizer().minimize(lambda w, *others: w), "a loss of minimize names its arguments, and *others came"),
    (lambda: fk.optim.SGD(), "SGD: params is missing: nothing came"),
    (lambda: fk.optim.SGD([x.copy()], 0.1), "SGD takes 1 argument by position, and 2 came"),
    (lambda: fk.optim.SGD(3), "params are of type int, wanted a dict of arrays by name, or a list of arrays"),
    (lambda: fk.optim.SGD({1: x.copy()}), "a parameter is named 1, wanted a text"),
    (lambda: fk.optim.Adam([x.copy()], betas=3), "betas is 3, wanted two numbers: write betas=(0.9, 0.999)"),
    (lambda: optimizer().set(1, 2), "SGD.set takes 1 argument by position, and 2 came"),
    (lambda: optimizer().add_group(), "SGD.add_group: params is missing"),
    (lambda: fk.jit(3), "jit: 3 is no function: write a def, or lambda x: ..."),
    (lambda: fk.step("a"), "step: 'a' is no function"),
    (lambda: fk.jit(max), "jit: max does not list its arguments: write lambda x: max(x)"),
    (lambda: fk.grad(3), "value_and_grad: 3 is no function"),
    (lambda: fk.jit(scaled_loss, static_argnames=3), 'scaled_loss: static_argnames is 3, wanted names: write static_argnames="n"'),
    (lambda: fk.jit(scaled_loss, target=3), "scaled_loss: target is 3, wanted a text"),
    (lambda: fk.step(scaled_loss, schedule=3), "scaled_loss: schedule is 3, wanted a text"),
]


@pytest.mark.parametrize("run, words", rows, ids=[f"{i} {row[1]}"[:60] for i, row in enumerate(rows)])
@pytest.mark.parametrize("is_known", [False, True])
def test_the_sentence(run, words, is_known):
    if is_known:  # the base class binds calls whose like was made
        adagrad(p, s, g, lr=0.1)
        f(x, x), loss(x, x), optimizer().step({"w": x})
    before = p.copy(), s.copy()
    with pytest.raises(fk.BindingError) as caught:
        run()
    assert words in str(caught.value)
    assert np.array_equal(p, before[0]) and np.array_equal(s, before[1])


def test_a_type_error_of_the_function_stays():
    def raises(x):
        raise TypeError("of the function")

    for call in (lambda: fk.jit(raises)(x), lambda: fk.eval(raises, x), lambda: fk.check_grad(raises, x.astype(float)), lambda: fk.jit(lambda x: raises())(x)):
        with pytest.raises(TypeError) as caught:
            call()
        assert not isinstance(caught.value, fk.Error)


def test_arguments_of_a_loss_are_taken_by_name():
    opt = optimizer()
    assert opt.minimize(with_defaults, b=4.0).loss.item() == 24  # a has its default
    assert opt.minimize(with_names, a=0.0).loss.item() == 0
    opt.add_group({"b": np.float32([3.0])})
    before = opt._arrays[1].copy()
    opt.minimize(with_defaults)  # b is a parameter now
    assert opt._arrays[1] != before
