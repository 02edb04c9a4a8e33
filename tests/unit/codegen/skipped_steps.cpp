// SPDX-License-Identifier: MIT
// Steps that change nothing where a gradient is not finite.
#include "../../../codegen/jit/run_step.hpp"
#include "../../../ir/planner/executor/interpreted_stages.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace skipped_steps_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"squares"> squares;
constexpr InOut<"row_sum"> row_sum;
constexpr Masked<"grad"> grad;
constexpr In<"x"> x;
constexpr In<"y"> y;
constexpr In<"ids", std::int64_t> ids;
constexpr Scalar<"lr"> lr;
constexpr ScalarState<"steps"> steps;
constexpr Let<"slope"> slope;

constexpr float infinity = std::numeric_limits<float>::infinity(),
                not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float bads[] = {not_a_number, -not_a_number, infinity, -infinity};

constexpr auto plain = step<"plain">(over(grad), squares += grad * grad,
                                     param -= lr * grad / (sqrt(squares) + 1e-6), steps += 1);
// [guarded]
constexpr auto guarded = step<"guarded">(skip_nonfinite(grad), over(grad), squares += grad * grad,
                                         param -= lr * grad / (sqrt(squares) + 1e-6), steps += 1);
// [/guarded]
constexpr auto row_wise = step<"row_wise">(row_sum += mean(grad * grad, {1}, keepdim),
                                           param -= on(grad, lr / (sqrt(row_sum) + 1e-6)) * grad, steps += 1);
constexpr auto guarded_rows = step<"guarded_rows">(row_sum += mean(grad * grad, {1}, keepdim),
                                                   param -= on(grad, lr / (sqrt(row_sum) + 1e-6)) * grad,
                                                   steps += 1, skip_nonfinite(grad));

/// A masked tensor with an element in place of one that it specifies: the one at `which` of a thousand.
MaskedTensor<float> with(const MaskedTensor<float>& masked, std::int64_t which, float element) {
    const MaskedTensor<float> made(masked.to(Layout::strided).clone());
    const Tensor<bool> mask = made.mask_tensor();
    std::vector<std::int64_t> specified;
    for (std::int64_t i = 0; i < mask.size(); ++i)
        if (mask.data()[i]) specified.push_back(i);
    const auto count = static_cast<std::int64_t>(specified.size());
    if (count == 0) return masked;
    const Tensor<float> values(made.values());
    values.data()[specified[static_cast<std::size_t>(which * (count - 1) / 1000)]] = element;
    poison(made);
    return made.to(masked.layout());
}

/// Targets of a call.
struct State {
    Tensor<float> param, squares, row_sum;
    double steps = 3;
    explicit State(const Shape& shape, std::uint32_t seed = 1)
        : param(random_tensor(shape, seed)),
          squares(full<float>(shape, 0.5F)),
          row_sum(full<float>({shape[0], 1}, 0.5F)) {}
    State(const State& other)
        : param(other.param.clone()),
          squares(other.squares.clone()),
          row_sum(other.row_sum.clone()),
          steps(other.steps) {}

    void check_same(const State& other) const {
        CHECK_THAT(param, HasTheBytesOf(other.param));
        CHECK_THAT(squares, HasTheBytesOf(other.squares));
        CHECK_THAT(row_sum, HasTheBytesOf(other.row_sum));
        CHECK(steps == other.steps);
    }
};

template <class Step>
constexpr bool has_rows =
    std::ranges::any_of(Step::parameters, [](const StepSymbol& one) { return one.name == row_sum.name; });

template <class Step>
void compiled(const Step& step, State& state, const MaskedTensor<float>& g) {
    const auto kernel = jit(step);
    if constexpr (has_rows<Step>)
        kernel(param = state.param, row_sum = state.row_sum, grad = g, lr = 0.1, steps = state.steps);
    else
        kernel(param = state.param, squares = state.squares, grad = g, lr = 0.1, steps = state.steps);
}

/// The step's graph for the shapes of arguments, and these in its order.
template <class Step>
struct Call {
    Graph graph;
    std::vector<Argument> arguments;
    Call(const Step& step, State& state, const MaskedTensor<float>& g) {
        for (const StepSymbol& symbol : Step::parameters)
            arguments.push_back(symbol.name == "param"     ? Argument(AnyTensor(state.param))
                                : symbol.name == "squares" ? Argument(AnyTensor(state.squares))
                                : symbol.name == "row_sum" ? Argument(AnyTensor(state.row_sum))
                                : symbol.name == "grad"    ? Argument(AnyMasked(g))
                                : symbol.name == "lr"      ? Argument(0.1)
                                                           : Argument::state(state.steps));
        std::vector<Shape> shapes;
        for (const Argument& argument : arguments)
            shapes.push_back(argument.kind() == Argument::Kind::tensor ||
                                     argument.kind() == Argument::Kind::masked
                                 ? argument.shape()
                                 : Shape{});
        graph = describe(step, shapes);
    }
};

template <class Step, class Without>
void check_step(const Step& step, const Without& without, Layout layout, const Shape& shape, double density) {
    INFO(name_of(layout) << ", shape " << to_string(shape) << ", density " << density);
    const MaskedTensor<float> g(random_masked(shape, specified(density), layout, 7));
    const State before(shape);
    State wanted = before, state = before, interpreted = before, planned = before;
    compiled(without, wanted, g);
    compiled(step, state, g);
    state.check_same(wanted);
    const bool is_empty = g.specified_count() == 0;
    for (const std::int64_t which : {0, 430, 1000})
        for (const float bad : bads) {
            const MaskedTensor<float> wrong = with(g, which, bad);
            State now = before;
            compiled(step, now, wrong);
            now.check_same(is_empty ? wanted : before);
        }
    const MaskedTensor<float> wrong = with(g, 430, infinity);
    const Call good_call(step, interpreted, g), planned_call(step, planned, g);
    interpret(good_call.graph, good_call.arguments);
    planning::interpret_planned(planned_call.graph, planned_call.arguments);
    if (is_empty) return;
    CHECK(interpreted.steps == 4);
    CHECK(planned.steps == 4);
    State now = before;
    const Call call(step, now, wrong);
    interpret(call.graph, call.arguments);
    now.check_same(before);
    planning::interpret_planned(call.graph, call.arguments);
    now.check_same(before);
}

auto says(const std::string& text) { return MessageMatches(ContainsSubstring(text)); }

}  // namespace

TEST_CASE("a step is skipped as a whole for one element that is not finite, and is itself without it",
          "[full]") {
    const auto layout = GENERATE(every_layout());
    for (const Shape& shape : {Shape{4, 4}, {1, 4}, {37, 12}, {0, 4}, {4, 0}, {130, 132}})
        for (const double density : {0.0, 0.1, 0.6}) {
            if (!can_hold(layout, shape)) continue;
            check_step(guarded, plain, layout, shape, density);
            check_step(guarded_rows, row_wise, layout, shape, density);
        }
}

TEMPLATE_TEST_CASE("gradients of any float skip a step", "", float16, bfloat16, double) {
    constexpr InOut<"p", TestType> p;
    constexpr Masked<"g", TestType> g;
    const auto kernel = jit(step<"typed">(skip_nonfinite(g), p -= 0.5 * g));
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows})
        for (const float bad : {not_a_number, infinity, -infinity, 65504.F}) {
            Tensor<TestType> values({2, 3}, std::vector<TestType>(6, static_cast<TestType>(1.F)));
            values.at({1, 2}) = static_cast<TestType>(bad);
            const Tensor<bool> rows({2, 3}, {layout == Layout::dense, layout == Layout::dense,
                                             layout == Layout::dense, true, true, true});
            const Tensor<TestType> t({2, 3}, std::vector<TestType>(6, static_cast<TestType>(2.F)));
            const Tensor<TestType> before(t.clone());
            kernel(p = t, g = masked(values, rows).to(layout));
            INFO(name_of(layout) << ", " << bad);
            CHECK(same(t, before) == (bad != 65504.F));
        }
}

TEST_CASE("of several gradients one that is not finite is enough") {
    constexpr InOut<"q"> q;
    constexpr Masked<"other"> other;
    constexpr auto both =
        step<"both">(skip_nonfinite(grad), param -= grad, skip_nonfinite(other), q -= other);
    const auto kernel = jit(both);
    const auto good = MaskedTensor<float>::coo({3}, {{0, 2}}, {1, 2}),
               more = MaskedTensor<float>::coo({4, 2}, {{1, 3}, {0, 1}}, {3, 4});
    for (const float bad : bads)
        for (const int which : {0, 1, 2}) {
            const Tensor<float> a = full<float>({3}, 1), b = full<float>({4, 2}, 1);
            kernel(param = a, q = b, grad = which == 1 ? with(good, 1000, bad) : good,
                   other = which == 2 ? with(more, 0, bad) : more);
            CHECK(a.to_vector() == (which == 0 ? std::vector<float>{0, 1, -1} : std::vector<float>(3, 1)));
            CHECK(b.at({3, 1}) == (which == 0 ? -3.F : 1.F));
        }
}

TEST_CASE("a parameter is judged by its new value after an update, and by its old one before") {
    const auto after = jit(step<"after">(param *= lr, skip_nonfinite(param), steps += 1));
    const auto before = jit(step<"before">(skip_nonfinite(param), param *= lr, steps += 1));
    double count = 0;
    const Tensor<float> p({2}, {1e30F, 1});
    after(param = p, lr = 1e20, steps = count);
    CHECK(p.to_vector() == std::vector<float>{1e30F, 1});
    CHECK(count == 0);
    before(param = p, lr = 1e20, steps = count);
    CHECK(p.to_vector() == std::vector<float>{infinity, 1e20F});
    before(param = p, lr = 2, steps = count);
    CHECK(p.at({1}) == 1e20F);
    CHECK(count == 1);
}

TEST_CASE("numbers alone may be what a step updates") {
    const auto kernel = jit(step<"counted">(skip_nonfinite(grad), steps += 1));
    double count = 0;
    const auto g = MaskedTensor<float>::coo({3}, {{0, 2}}, {1, 2});
    kernel(grad = g, steps = count);
    CHECK(count == 1);
    kernel(grad = with(g, 0, infinity), steps = count);
    CHECK(count == 1);
}

TEST_CASE("gradients that a step computes skip it") {
    constexpr auto loss = mean(square(matmul(x, param) - y));
    constexpr auto fit =
        step<"fit">(slope = gradient(loss, param), skip_nonfinite(slope), param -= lr * slope, steps += 1);
    constexpr auto judged =
        step<"judged">(skip_nonfinite(loss), param -= lr * gradient(loss, param), steps += 1);
    const Tensor<float> a({3, 2}, {1, 2, 3, 4, 5, 6}), p = full<float>({2, 1}, 1);
    const Tensor<float> wanted(p.clone()), before(p.clone());
    jit(step<"free">(param -= lr * gradient(loss, param)))(param = wanted, x = a, y = full<float>({3, 1}, 2),
                                                           lr = 0.1);
    const auto check = [&](const auto& kernel) {
        double count = 0;
        const Tensor<float> q(before.clone()), z = full<float>({3, 1}, 2);
        kernel(param = q, x = a, y = z, lr = 0.1, steps = count);
        CHECK_THAT(q, HasTheBytesOf(wanted));
        z.at({1, 0}) = infinity;
        kernel(param = q, x = a, y = z, lr = 0.1, steps = count);
        CHECK_THAT(q, HasTheBytesOf(wanted));
        CHECK(count == 1);
    };
    check(jit(fit));
    check(jit(judged));
}

TEST_CASE("a gradient that is a list of rows skips rules among the statements, and is no table") {
    constexpr InOut<"param_sum"> param_sum;
    constexpr Scalar<"lr_decay"> lr_decay;
    constexpr Scalar<"eps"> eps;
    constexpr Scalar<"t", double> t;
    constexpr Scalar<"weight_decay"> weight_decay;
    constexpr auto loss = mean(square(sum(param[ids], {1}) * y));
    const auto run = [&](const auto& kernel, const Tensor<float>& p, const Tensor<float>& s, float factor) {
        const Tensor<std::int64_t> i({2, 2}, {5, 1, 5, 4});
        kernel(param = p, param_sum = s, ids = i, y = full<float>({2, 1}, factor), lr = 0.1, lr_decay = 0,
               eps = 1e-10, t = 1, weight_decay = 0);
    };
    const auto free =
        jit(step<"free">(slope = gradient(loss, param), optim::update(optim::adagrad, param, slope)));
    const auto bags = jit(step<"bags">(slope = gradient(loss, param), skip_nonfinite(slope),
                                       optim::update(optim::adagrad, param, slope)));
    const Tensor<float> p = random_tensor({8, 3}, 3), s = full<float>({8, 3}, 0), q(p.clone()), r(s.clone());
    run(free, p, s, 2);
    run(bags, q, r, 2);
    CHECK_THAT(q, HasTheBytesOf(p));
    CHECK_THAT(r, HasTheBytesOf(s));
    for (const float bad : bads) run(bags, q, r, bad);
    CHECK_THAT(q, HasTheBytesOf(p));
    CHECK_THAT(r, HasTheBytesOf(s));
}

TEST_CASE("a rule that skips is a statement like any other") {
    constexpr InOut<"w"> w;
    constexpr InOut<"v"> v;
    constexpr auto rule = step<"rule">(skip_nonfinite(grad), param -= lr * grad);
    const auto kernel = jit(step<"two">(optim::update(rule, w, x), optim::update(rule, v, y)));
    const Tensor<float> a = full<float>({2}, 1), b = full<float>({3}, 1);
    kernel(w = a, v = b, x = full<float>({2}, 2), y = full<float>({3}, 2), lr = 0.25);
    CHECK(a.at({0}) == 0.5F);
    kernel(w = a, v = b, x = full<float>({2}, 2), y = full<float>({3}, not_a_number), lr = 0.25);
    CHECK(a.at({0}) == 0.5F);
    CHECK(b.at({2}) == 0.5F);
}

TEST_CASE("products are judged where the statement reads them, not where updates do") {
    const auto everywhere_judged =
        jit(step<"wide">(skip_nonfinite(matmul(x, y)), param -= grad * matmul(x, y)));
    const auto under_mask =
        jit(step<"narrow">(skip_nonfinite(on(grad, matmul(x, y))), param -= grad * matmul(x, y)));
    const Tensor<float> a({2, 1}, {1, infinity}), b({1, 2}, {1, 1});
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::strided, Layout::bitmask}) {
        const auto g = MaskedTensor<float>::coo({2, 2}, {{0}, {1}}, {1}).to(layout);
        const Tensor<float> p = full<float>({2, 2}, 1);
        everywhere_judged(param = p, x = a, y = b, grad = g);
        CHECK(p.at({0, 1}) == 1);
        under_mask(param = p, x = a, y = b, grad = g);
        CHECK(p.to_vector() == std::vector<float>{1, 0, 1, 1});
    }
}

TEST_CASE("steps made from steps skip as they do") {
    for (const float bad : {1.F, infinity, not_a_number}) {
        const auto g = with(random_masked({5, 4}, specified(0.4), Layout::strided, 3), 500, bad);
        State state(Shape{5, 4}), before = state;
        const auto kernel = jit(dense_equivalent(guarded));
        kernel(param = state.param, squares = state.squares, grad = g, lr = 0.1, steps = state.steps);
        CHECK(state.steps == (bad == 1 ? 4 : 3));
        CHECK(same(state.param, before.param) == (bad != 1));
    }
    constexpr InOut<"small", bfloat16> small;
    constexpr auto rounded = step<"rounded">(skip_nonfinite(grad), small -= lr * grad);
    const Graph graph =
        stochastic_rounding(describe(rounded, std::array{Shape{3}, Shape{3}, Shape{}}), "small");
    for (const float bad : {1.F, infinity}) {
        const Tensor<bfloat16> p = full<float>({3}, 2).to<bfloat16>(), q(p.clone());
        const auto g = AnyMasked(MaskedTensor<float>::coo({3}, {{0, 2}}, {1, bad}));
        for (const bool is_compiled : {true, false}) {
            const std::vector<Argument> arguments{
                g, AnyTensor(is_compiled ? p : q), 0.1, std::int64_t{5}, std::int64_t{1}, std::int64_t{0}};
            is_compiled ? codegen::run_step(graph, arguments) : interpret(graph, arguments);
        }
        CHECK(same(p, q));
        CHECK((p.to<float>().at({0}) == 2) == (bad != 1));
    }
}

TEST_CASE("a call that is wrong is refused, whether its step would be skipped or not") {
    const auto kernel = jit(step<"indexed">(skip_nonfinite(grad), param -= on(grad, x[ids])));
    const Tensor<float> p = full<float>({2}, 1);
    const auto g = MaskedTensor<float>::coo({2}, {{0}}, {infinity});
    CHECK_THROWS_AS(
        kernel(param = p, grad = g, x = full<float>({3}, 1), ids = Tensor<std::int64_t>({2}, {0, 3})),
        IndexError);
    kernel(param = p, grad = g, x = full<float>({3}, 1), ids = Tensor<std::int64_t>({2}, {0, 2}));
    CHECK(p.to_vector() == std::vector<float>(2, 1));
}

TEST_CASE("graphs that may be skipped print so, and are no loops of elementwise steps") {
    const Graph graph = describe(guarded, std::array{Shape{2}, Shape{2}, Shape{2}, Shape{}, Shape{}});
    CHECK_THAT(to_string(graph), ContainsSubstring("  skip if %"));
    Graph other = graph;
    other.skips.clear();
    CHECK_FALSE(other == graph);
    CHECK(hash(other) != hash(graph));
    CHECK_THROWS_MATCHES(jit(graph), ValueError, says("guarded: skip_nonfinite(x) is no loop"));
    GraphBuilder builder("built");
    const NodeId whole = builder.symbol("whole", SymbolKind::in, DType::int32, {2});
    CHECK_THROWS_MATCHES(builder.skip_nonfinite(whole), DTypeError, says("floats, and x is int32"));
    CHECK_THROWS_MATCHES(builder.skip_nonfinite(builder.constant(1.0)), DTypeError, says("x is a number"));
    GraphBuilder unshaped("unshaped");
    const NodeId float_symbol = unshaped.symbol("x", SymbolKind::in, DType::float32);
    CHECK_THROWS_MATCHES(unshaped.skip_nonfinite(float_symbol), ValueError, says("symbols have shapes"));
}

}  // namespace skipped_steps_test
