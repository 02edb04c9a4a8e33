// SPDX-License-Identifier: MIT
// Optimizer::minimize: a loss, its gradients and the step in one call.
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace minimize_test {

using namespace frisket;
using namespace frisket::optim;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

auto says(const std::string& text) { return MessageMatches(ContainsSubstring(text)); }

Tensor<float> filled(const Shape& shape, int seed) {
    Tensor<float> tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] = static_cast<float>((i * 37 + seed * 101) % 97 - 48) / 64;
    return tensor;
}

constexpr In<"x"> x_of;
constexpr In<"y"> y_of;
constexpr InOut<"w"> w_of;
constexpr Masked<"m"> m_of;
constexpr Scalar<"decay"> decay_of;
constexpr auto symbolic = mean(square(matmul(x_of, w_of) - y_of)) + decay_of * sum(square(w_of));

}  // namespace

TEST_CASE("minimize does what gradients and a step do") {
    const Tensor<float> x = filled({6, 4}, 1), y = filled({6, 3}, 2);
    Tensor<float> w = filled({4, 3}, 3), b = filled({3}, 4), w2 = w.clone(), b2 = b.clone();
    Optimizer one(AdamW{.lr = 0.1}, {{"w", w}, {"b", b}}), two(AdamW{.lr = 0.1}, {{"w", w2}, {"b", b2}});
    const auto loss_of = [&](const Tensor<float>& v, const Tensor<float>& c) {
        return mean(square(matmul(x, v) + c - y));
    };
    const auto loss = loss_of(w, b), loss2 = loss_of(w2, b2);
    double last = 1e9;
    for (int i = 0; i < 5; ++i) {
        const auto [value, gw, gb] = eval(loss2, gradient(loss2, w2), gradient(loss2, b2));
        const StepOutcome outcome = one.minimize(loss);
        two.step({gw, gb});
        CHECK(outcome.loss == static_cast<double>(value.item()));
        CHECK(outcome.loss < last);
        CHECK(same(w, w2));
        CHECK(same(b, b2));
        last = outcome.loss;
    }
}

TEST_CASE("minimize binds inputs to the symbols of a loss by name") {
    const Tensor<float> x = filled({6, 4}, 1), y = filled({6, 3}, 2);
    Tensor<float> w = filled({4, 3}, 3), w2 = w.clone();
    Optimizer one(SGD{.lr = 0.1}, {{"w", w}}), two(SGD{.lr = 0.1}, {{"w", w2}});
    for (const double decay : {0.5, 0.25}) {
        const auto loss = mean(square(matmul(x, w2) - y)) + static_cast<float>(decay) * sum(square(w2));
        const StepOutcome a = one.minimize(symbolic, x_of = x, y_of = y, decay_of = decay);
        const StepOutcome b = two.minimize(loss);
        CHECK(a.loss == b.loss);
        CHECK(same(w, w2));
    }
    const MaskedTensor<float> m = masked(filled({4, 3}, 5), eval(filled({4, 3}, 6) > 0));
    one.minimize(sum(square(m_of - w_of)), m_of = m);
    two.minimize(sum(square(m - w2)));
    CHECK(same(w, w2));
}

TEST_CASE("a symbol is a variable of its own, in minimize and in functions, whatever tensor it is bound to") {
    const auto loss = sum(square(x_of * w_of));
    const auto start = Tensor<float>({3}, {1, 2, 0.5f});
    const Tensor<float> apart = eval(start - 0.125f * 2.0f * start * start * start),
                        as_one = eval(start - 0.125f * 4.0f * start * start * start);
    Tensor<float> w = start.clone(), v = start.clone(), u = start.clone(), t = start.clone();
    const Tensor<float> slope = jit(function<"slope">(to_dense(gradient(loss, w_of), 0)))(x_of = w, w_of = w);
    CHECK(same(eval(start - 0.125f * slope), apart));
    Optimizer(SGD{.lr = 0.125}, {{"w", w}}).minimize(loss, x_of = w);
    CHECK(same(w, apart));
    Optimizer(SGD{.lr = 0.125}, {{"w", v}}).minimize(loss, x_of = v.reshape({1, 3}));
    CHECK(same(v, apart));
    // A tensor that occurs in the loss is one variable.
    Optimizer(SGD{.lr = 0.125}, {{"w", u}}).minimize(sum(square(u * u)));
    CHECK(same(u, as_one));
    // Two inputs of one tensor are two variables as well.
    Optimizer(SGD{.lr = 1}, {{"w", t}})
        .minimize(sum(gradient(sum(x_of * y_of * w_of), x_of)), x_of = start, y_of = start);
    CHECK(same(t, full<float>({3}, 0)));
}

TEST_CASE("minimize leaves rows of a table alone that no id names") {
    Tensor<float> table = filled({50, 4}, 1), unused = filled({3}, 2);
    const Tensor<float> before = table.clone(), unused_before = unused.clone();
    const Tensor<std::int64_t> ids = Tensor<std::int64_t>({3}, {7, 9, 7});
    Optimizer adagrad(Adagrad{.lr = 0.5}, {{"table", table}, {"unused", unused}});
    adagrad.minimize(mean(square(table[ids] - 1.0f)));
    for (std::int64_t row = 0; row < 50; ++row)
        CHECK(same(table.slice(0, row, row + 1), before.slice(0, row, row + 1)) == (row != 7 && row != 9));
    CHECK(same(unused, unused_before));
    CHECK(*static_cast<const std::int64_t*>(adagrad.state("table", "step").data()) == 1);
    CHECK(*static_cast<const std::int64_t*>(adagrad.state("unused", "step").data()) == 0);
}

TEST_CASE("minimize takes a gradient that is the parameter, views of it, and options") {
    Tensor<float> w = full<float>({6}, 1), v = w.clone();
    Optimizer optimizer(SGD{.lr = 1}, {{"w", w}}), views(SGD{.lr = 1}, {{"v", v}});
    optimizer.minimize(0.5f * sum(square(w)));  // the gradient is w
    CHECK(same(w, full<float>({6}, 0)));
    views.minimize(0.5f * sum(square(v.reshape({2, 3}))));
    CHECK(same(v, w));

    const StepOutcome clipped = optimizer.minimize(sum(w * 3.0f), GradientOptions{.clip_value = 0.5});
    CHECK(same(w, full<float>({6}, -0.5f)));
    CHECK(clipped.loss == 0);
    const StepOutcome skipped = optimizer.minimize(sum(w) / 0.0f, GradientOptions{.skip_nonfinite = true});
    CHECK(skipped.is_skipped);
    CHECK(std::isinf(skipped.loss));
    CHECK(same(w, full<float>({6}, -0.5f)));
}

TEST_CASE("the loss of nothing specified is NaN, and no element moves") {
    Tensor<float> w = filled({4}, 1);
    const Tensor<float> before = w.clone();
    Optimizer optimizer(SGD{.lr = 1}, {{"w", w}});
    const StepOutcome outcome = optimizer.minimize(mean(masked(w, full<bool>({4}, false))));
    CHECK(std::isnan(outcome.loss));
    CHECK(same(w, before));
}

TEST_CASE("minimize refuses by name, and changes nothing") {
    const Tensor<float> x = filled({6, 4}, 1), y = filled({6, 3}, 2);
    const MaskedTensor<float> m = masked(x, eval(x > 0));
    Tensor<float> w = filled({4, 3}, 3);
    const Tensor<float> before = w.clone();
    Optimizer optimizer(AdamW{.lr = 0.1}, {{"w", w}});
    CHECK_THROWS_MATCHES(optimizer.minimize(sum(x)), ValueError, says("the loss reads no parameter"));
    CHECK_THROWS_MATCHES(optimizer.minimize(square(matmul(x, w))), ShapeError,
                         says("the loss has shape [6, 3], wanted one number: write mean(loss)"));
    CHECK_THROWS_MATCHES(optimizer.minimize(symbolic, x_of = x, decay_of = 0.1), BindingError,
                         says("the loss reads y, which is no parameter and has no input"));
    CHECK_THROWS_MATCHES(optimizer.minimize(symbolic, x_of = x, x_of = x), BindingError,
                         says("two inputs of x"));
    CHECK_THROWS_MATCHES(optimizer.minimize(symbolic, x_of = x, y_of = y, decay_of = 0.1, m_of = m),
                         BindingError, says("an input of m, which the loss does not read"));
    CHECK_THROWS_MATCHES(optimizer.minimize(symbolic, x_of = x, y_of = y, decay_of = 0.1, w_of = w),
                         BindingError, says("w is a parameter"));
    constexpr In<"x", double> x64;
    CHECK_THROWS_MATCHES(
        optimizer.minimize(symbolic, x64 = full<double>({6, 4}, 1), y_of = y, decay_of = 0.1), BindingError,
        says("x is float64, wanted float32"));
    constexpr Masked<"x"> masked_x;
    CHECK_THROWS_MATCHES(optimizer.minimize(symbolic, masked_x = m, y_of = y, decay_of = 0.1), BindingError,
                         says("x is a masked tensor, wanted a tensor"));
    CHECK_THROWS_MATCHES(
        optimizer.minimize(symbolic, x_of = x, y_of = y, decay_of = 0.1, GradientOptions{.scale = 0}),
        ValueError, says("option scale is 0"));
    CHECK(same(w, before));
    CHECK(*static_cast<const std::int64_t*>(optimizer.state("w", "step").data()) == 0);
}

TEST_CASE("minimize interpreted gives the bytes of compiled loops") {
    const Tensor<float> x = filled({70, 40}, 1), y = filled({70, 30}, 2);
    Tensor<float> w = filled({40, 30}, 3), w2 = w.clone();
    Optimizer one(SGD{.lr = 0.1}, {{"w", w}});
    Optimizer two({.interpret = true}, SGD{.lr = 0.1}, {{"w", w2}});
    for (int i = 0; i < 2; ++i) {
        one.minimize(mean(square(matmul(x, w) - y)));
        two.minimize(mean(square(matmul(x, w2) - y)));
    }
    CHECK(same(w, w2));
}

TEST_CASE("minimize moves parameters of 16 bits") {
    Tensor<float16> w = full<float16>({8}, float16(1));
    Optimizer optimizer(SGD{.lr = 0.25}, {{"w", w}});
    optimizer.minimize(0.5f * sum(square(w_of)));
    CHECK(same(w, full<float16>({8}, float16(0.75f))));
}

}  // namespace minimize_test
