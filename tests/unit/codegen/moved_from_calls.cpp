// SPDX-License-Identifier: MIT
#include "../../../codegen/jit/run_step.hpp"
#include "../../../ir/interpreter/interpret.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

namespace moved_from_calls_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr auto descent = step<"descent">(param -= grad * 0.5F);
constexpr auto centred = step<"centred">(param -= grad - mean(grad));

void check_refused(const auto& use) {
    CHECK_THROWS_MATCHES(use(), ValueError, MessageMatches(ContainsSubstring("was moved from")));
}

/// Tensors of which some were moved from.
struct Given {
    Layout layout;
    Tensor<float> p = full<float>({2, 4}, 1), moved = full<float>({2, 4}, 1);
    Tensor<float> g = full<float>({2, 4}, 2);
    MaskedTensor<float> moved_masked = masked(full<float>({2, 4}, 2), full<bool>({2, 4}, true)).to(layout);
    Tensor<float> to = std::move(moved);
    MaskedTensor<float> masked_to = std::move(moved_masked);
    explicit Given(Layout of) : layout(of) {}
};

}  // namespace

TEST_CASE("a call with a tensor that was moved from is refused, and writes nothing", "[codegen]") {
    const Graph graph = describe(descent);
    const auto kernel = jit(descent);
    const CompiledKernel& untyped = kernel.untyped();
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows}) {
        CAPTURE(layout);
        Given given(layout);
        check_refused([&] { kernel(param = given.moved, grad = given.g); });
        check_refused([&] { kernel(param = given.p, grad = given.moved); });
        check_refused([&] { kernel(param = given.p, grad = given.moved_masked); });
        check_refused([&] { jit(centred)(param = given.p, grad = given.moved_masked); });
        check_refused([&] { untyped({{"param", given.p}, {"grad", given.moved}}); });
        const Argument borrowed[] = {Argument::borrow(given.p), Argument::borrow(given.moved_masked)};
        check_refused([&] { untyped.call(borrowed); });
        check_refused([&] { interpret(graph, borrowed); });
        check_refused([&] { codegen::run_step(graph, borrowed); });
        check_refused([&] { (void)kernel.prepare(given.moved_masked); });
        CHECK(same(given.p, full<float>({2, 4}, 1)));
        kernel(param = given.p, grad = given.masked_to);
        CHECK(same(given.p, full<float>({2, 4}, 0)));
    }
}

TEST_CASE("a kernel that was moved from is refused until it is assigned to", "[codegen]") {
    Tensor<float> p = full<float>({2, 4}, 1);
    const Tensor<float> g = full<float>({2, 4}, 2);
    auto kernel = jit(descent);
    const auto to = std::move(kernel);
    check_refused([&] { kernel(param = p, grad = g); });
    check_refused([&] { kernel.warm_up({Layout::coo}); });
    check_refused([&] { (void)kernel.untyped().signature(); });
    auto whole = jit(centred);
    const auto whole_to = std::move(whole);
    check_refused([&] { whole(param = p, grad = g); });
    kernel = to;
    kernel(param = p, grad = g);
    CHECK(same(p, full<float>({2, 4}, 0)));
}

TEST_CASE("an expression of what was moved from is refused", "[codegen]") {
    const Jit way = GENERATE(Jit::never, Jit::always);
    const EvalOptions options{.jit = way};
    Given given(Layout::strided);
    check_refused([&] { (void)eval(given.moved + given.p, options); });
    check_refused([&] { (void)eval(given.p * given.moved, options); });
    check_refused([&] { (void)eval(given.moved_masked + 1, options); });
    check_refused([&] { (void)eval(sum(given.moved), options); });
    check_refused([&] { (void)eval(masked(given.moved, full<bool>({2, 4}, true)), options); });
    auto node = given.p + given.g;
    const auto to = std::move(node);
    check_refused([&] { (void)eval(node, options); });
    CHECK(same(eval(to, options), full<float>({2, 4}, 3)));
}

TEST_CASE("an optimizer refuses what was moved from, and is refused so itself", "[codegen]") {
    Given given(Layout::coo);
    check_refused([&] { optim::Optimizer(optim::SGD{}, {{"p", given.moved}}); });
    optim::Optimizer optimizer(optim::SGD{.lr = 0.5}, {{"p", given.p}});
    check_refused([&] { optimizer.step({given.moved}); });
    check_refused([&] { optimizer.step({{"p", given.moved_masked}}); });
    std::vector<optim::StateEntry> state = optimizer.state();
    const AnyTensor taken = std::move(state[0].value);
    check_refused([&] { optimizer.set_state(state); });
    optim::Optimizer to = std::move(optimizer);
    check_refused([&] { optimizer.step({given.g}); });
    check_refused([&] { (void)optimizer.state(); });
    check_refused([&] { (void)optimizer.state("p", "step"); });
    check_refused([&] { optimizer.set_state({}); });
    check_refused([&] { (void)optimizer.rule(); });
    check_refused([&] { (void)optimizer.group_count(); });
    check_refused([&] { (void)optimizer.add_group(optim::SGD{}, {}); });
    check_refused([&] { optimizer.catch_up(); });
    check_refused([&] { optimizer.save("/nowhere/x"); });
    optimizer = std::move(to);
    optimizer.step({given.g});
    CHECK(same(given.p, full<float>({2, 4}, 0)));
    optim::AnyRule rule = optim::SGD{};
    const optim::AnyRule rule_to = std::move(rule);
    check_refused([&] { (void)rule.options(); });
    check_refused([&] { rule.set("lr", "1"); });
    check_refused([&] { optim::Optimizer(rule, {{"p", given.p}}); });
}

TEST_CASE("a graph that was moved from has no step", "[codegen]") {
    Graph graph = describe(descent);
    const Graph to = std::move(graph);
    Tensor<float> p = full<float>({2, 4}, 1);
    const Tensor<float> g = full<float>({2, 4}, 2);
    const Argument arguments[] = {p, g};
    CHECK_THROWS_AS(interpret(graph, arguments), Error);
    CHECK_THROWS_AS(codegen::run_step(graph, arguments), Error);
    CHECK_THROWS_AS(jit(graph).call(arguments), Error);
    CHECK(same(p, full<float>({2, 4}, 1)));
}

TEST_CASE("numbers that are no value of an enum are refused", "[codegen]") {
    const Tensor<float> x = full<float>({4}, 1);
    CHECK_THROWS_MATCHES(
        eval(x + x, {.jit = static_cast<Jit>(99)}), ValueError,
        Says("eval: number 99 was cast to a Jit and is none: use automatic, always or never"));
    CHECK_THROWS_AS(default_schedule(static_cast<Strategy>(99)), ScheduleError);
    CHECK_THROWS_AS(to_string(Schedule{.strategy = static_cast<Strategy>(99)}), ScheduleError);
    CHECK_THROWS_AS(jit(descent, Schedule{.strategy = static_cast<Strategy>(99)}), ScheduleError);
    CHECK_THROWS_AS(jit(descent).warm_up({static_cast<Layout>(99)}), LayoutError);
    CHECK_THROWS_AS(optim::Optimizer({.untouched = static_cast<optim::Untouched>(99)}, optim::SGD{},
                                     {{"p", full<float>({4}, 1)}}),
                    ValueError);
    CHECK_THROWS_AS(info_of(static_cast<OpId>(9999)), ValueError);
    CHECK_THROWS_AS(name_of(static_cast<Reduction>(99)), ValueError);
    optim::RowwiseAdagrad rule;
    rule.weight_decay_mode = static_cast<optim::RowwiseAdagrad::Decay>(99);
    CHECK_THROWS_AS(optim::AnyRule(rule).options(), ValueError);
    CHECK_THROWS_AS(optim::Optimizer(rule, {{"p", full<float>({4, 4}, 1)}}), ValueError);
}

}  // namespace moved_from_calls_test
