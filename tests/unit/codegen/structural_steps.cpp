// SPDX-License-Identifier: MIT
#include "../../../codegen/jit/run_step.hpp"
#include "../../../ir/passes/gradient/gradient.hpp"
#include "../../../ir/planner/executor/interpreted_stages.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace structural_steps_test {

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr InOut<"total"> total;
constexpr InOut<"small", float16> small;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Let<"mean_square"> mean_square;

constexpr auto rowwise = step<"rowwise">(state_sum += mean(grad * grad, {1}, keepdim),
                                         param -= on(grad, lr / sqrt(state_sum)) * grad);
constexpr auto by_let =
    step<"by_let">(mean_square = mean(square(to_dense(grad, 0)), {1}, keepdim), state_sum += mean_square);
constexpr auto sums = step<"sums">(total = sum(to_dense(grad, 0)));
constexpr auto between = step<"between">(small += grad, everywhere(total = sum(small)),
                                         small -= on(grad, total), everywhere(total -= sum(small)));

}  // namespace

TEST_CASE("a step with a reduction runs for the shapes of each call") {
    const auto kernel = jit(rowwise);
    for (const std::int64_t columns : {2, 3, 1}) {
        const Tensor<float> p = full<float>({2, columns}, 1), s = full<float>({2, 1}, 0);
        const auto g = MaskedTensor<float>::coo({2, columns}, {{1}, {0}}, {4});
        kernel(param = p, state_sum = s, grad = g, lr = 0.5);
        CHECK(s.to_vector() == std::vector<float>{0, 16});
        CHECK(p.at({1, 0}) == 0.5F);
        CHECK(p.at({0, 0}) == 1);
        if (columns > 1) CHECK(p.at({1, 1}) == 1);
    }
}

TEST_CASE("a Let holds a reduction, and a target takes one number") {
    const auto g = MaskedTensor<float>::coo({2, 2}, {{1, 1}, {0, 1}}, {4, 2});
    const Tensor<float> s = full<float>({2, 1}, 1), t = full<float>({}, 0);
    jit(by_let)(state_sum = s, grad = g);
    CHECK(s.to_vector() == std::vector<float>{1, 11});
    jit(sums)(total = t, grad = g);
    CHECK(t.at({}) == 6);
}

TEST_CASE("a reduction between masked updates of 16 bits reads what memory would hold") {
    const std::vector<Shape> shapes{{2, 2}, {2, 2}, {}};
    const Graph graph = describe(between, shapes);
    for (const Layout layout : {Layout::coo, Layout::strided, Layout::bitmask}) {
        const auto g = MaskedTensor<float>::coo({2, 2}, {{0, 1}, {0, 1}}, {1, 1}).to(layout);
        const auto check = [&](auto run) {
            const Tensor<float16> s = full<float>({2, 2}, 2048).to<float16>();
            const Tensor<float> t = full<float>({}, 0);
            run(s, t);
            // 2049 is rounded to 2048, so that the first sum is 8192 and the second -8192.
            CHECK(s.to<float>().to_vector() == std::vector<float>{-6144, 2048, 2048, -6144});
            CHECK(t.at({}) == 16384);
        };
        INFO(name_of(layout));
        check([&](auto s, auto t) { jit(between)(small = s, grad = g, total = t); });
        check([&](auto s, auto t) { interpret(graph, {{"small", s}, {"grad", g}, {"total", t}}); });
    }
}

TEST_CASE("a step with a reduction refuses shapes before anything is written") {
    const Tensor<float> p = full<float>({2, 3}, 1), s = full<float>({3, 1}, 0);
    const auto g = MaskedTensor<float>::coo({2, 3}, {{1}, {0}}, {4});
    CHECK_THROWS_AS(jit(rowwise)(param = p, state_sum = s, grad = g, lr = 0.5), ShapeError);
    CHECK(p.to_vector() == std::vector<float>(6, 1));
}

TEST_CASE("a step of whole tensors is described for shapes") {
    const std::vector<Shape> shapes{{2, 1}, {2, 3}, {2, 3}, {}};
    const Graph graph = describe(rowwise, shapes);
    CHECK(graph.shaped);
    CHECK_THROWS_AS(describe(rowwise, std::span(shapes).first(2)), BindingError);
}

TEST_CASE("a step descends along a gradient") {
    constexpr In<"left"> left;
    constexpr In<"right"> right;
    const auto fit = jit(
        step<"fit">(param -= lr * to_dense(gradient(sum(square(matmul(left, param) - right)), param), 0)));
    const Tensor<float> p({2, 1}, {1, 2}), a({2, 2}, {1, 2, 3, 4}), y({2, 1}, {4, 10});
    fit(param = p, left = a, right = y, lr = 0.5);
    CHECK(p.to_vector() == std::vector<float>{-3, -4});  // left^T of residuals (1, 1)
    const auto masked_descent =
        jit(step<"masked_descent">(param -= lr * gradient(sum(grad * grad * param), grad)));
    const auto g = MaskedTensor<float>::coo({2, 2}, {{0, 1}, {1, 0}}, {3, 5});
    for (const Layout layout : {Layout::coo, Layout::strided, Layout::bitmask, Layout::csr}) {
        const Tensor<float> q({2, 2}, {1, 2, 4, 8});
        masked_descent(param = q, grad = g.to(layout), lr = 0.5);
        CHECK(q.to_vector() == std::vector<float>{1, 2 - 6, 4 - 20, 8});
    }
}

TEST_CASE("no gradient passes through an update, as through no other tensor in memory") {
    using ir::Value;
    GraphBuilder builder("through");
    const auto symbol = [&](std::string_view name, SymbolKind kind) {
        return Value{&builder, builder.symbol(name, kind, DType::float32, {2, 2})};
    };
    const Value slope = symbol("slope", SymbolKind::in);
    builder.update("param", (symbol("param", SymbolKind::in_out) - slope).id);
    const Value loss = ir::sum(symbol("param", SymbolKind::in_out));
    CHECK_THROWS_AS(ir::gradient(loss, std::array{slope}), ValueError);
}

TEST_CASE("numbers of the host are moved as tensors are") {
    using ir::Value;
    const auto check = [](const Shape& shape, Value (*make)(Value)) {
        const AnyTensor found(DType::float64, shape), wanted(DType::float64, shape);
        GraphBuilder builder("moved");
        const Value number{&builder, builder.symbol("number", SymbolKind::scalar, DType::float64, {})};
        builder.symbol("target", SymbolKind::in_out, DType::float64, shape);
        builder.update("target", make(number).id, Scope::everywhere);
        const Graph graph = builder.finish();
        codegen::run_step(graph, std::vector<Argument>{1.5, found});
        interpret(graph, std::vector<Argument>{1.5, wanted});
        CHECK(same(found, wanted));
    };
    check({1, 1}, [](Value x) { return reshape(x, {1, -1}); });
    check({2, 3}, [](Value x) { return expand(x, {2, 3}); });
    check({2}, [](Value x) { return stack(std::vector<Value>{x, x}, 0); });
    check({}, [](Value x) { return sum(reshape(x, {1, 1})); });
}

TEST_CASE("numbers of the host on a list are reduced and moved as doubles") {
    using ir::Value;
    const auto check = [](Layout layout, Value (*make)(Value)) {
        const AnyMasked list = MaskedTensor<float>::coo({2, 2}, {{0, 1}, {1, 1}}, {1, 1}).to(layout);
        const AnyTensor found(DType::float64, {2, 2}), planned(DType::float64, {2, 2}),
            wanted(DType::float64, {2, 2});
        GraphBuilder builder("numbers");
        const NodeId masked = builder.symbol("list", SymbolKind::masked, DType::float32, {2, 2}),
                     number = builder.symbol("number", SymbolKind::scalar, DType::float64, {});
        builder.symbol("target", SymbolKind::in_out, DType::float64, {2, 2});
        builder.update("target",
                       builder.to_dense(make({&builder, builder.on(masked, number)}).id, builder.constant(0)),
                       Scope::everywhere);
        const Graph graph = builder.finish();
        codegen::run_step(graph, std::vector<Argument>{list, 0.1, found});
        planning::interpret_planned(graph, std::vector<Argument>{list, 0.1, planned});
        interpret(graph, std::vector<Argument>{list, 0.1, wanted});
        INFO(name_of(layout));
        CHECK(same(found, wanted));
        CHECK(same(planned, wanted));
    };
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::bitmask}) {
        check(layout, [](Value x) { return sum(x, std::vector<int>{0}, true); });
        check(layout, [](Value x) { return transpose(x, 0, 1); });
        check(layout, [](Value x) { return matmul(x, x); });
    }
}

TEST_CASE("a step with reductions is refused for processors that are not this one", "[step]") {
    constexpr InOut<"p"> p;
    const Tensor<float> tensor = full<float>({4, 4}, 1.0F);
    auto centred = jit(step<"centred">(p -= mean(p)), TargetName("arm-64"));
    CHECK_THROWS_AS(centred(p = tensor), TargetError);
}

}  // namespace structural_steps_test
