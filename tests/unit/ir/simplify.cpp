// SPDX-License-Identifier: MIT
#include "../../../ir/passes/simplify.hpp"
#include "../../support/oracle.hpp"
#include "../../support/random.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace simplify_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

std::int64_t count(const Graph& graph, NodeKind kind) {
    return std::ranges::count(graph.nodes, kind, &Node::kind);
}

AnyMasked as_masked(const Result& result) {
    return result.mask ? AnyMasked::strided(result.values.clone(), result.mask->clone())
                       : AnyMasked::dense(result.values.clone());
}

/// The graph of an expression, simplified; checks that it means the same.
template <class E>
Graph checked(const E& expression, ir::SeenViews views = ir::SeenViews::moved) {
    Graph seen;
    const auto simple = [&](const Graph& graph, std::span<const Argument> arguments) {
        seen = ir::simplified(graph, views);
        return evaluate(seen, arguments);
    };
    ir::ExpressionContext session("simple", simple);
    GraphEmitter emitter(session);
    const Result made = session.run(frisket::detail::lowered(emitter, expression));
    ir::ExpressionContext other("meant", &evaluate);
    GraphEmitter others(other);
    const Result meant = other.run(frisket::detail::lowered(others, expression));
    CHECK(made.mask.has_value() == meant.mask.has_value());
    CHECK(same(as_masked(made), as_masked(meant)));
    return seen;
}

}  // namespace

TEST_CASE("views of views are one view, with the offsets of both", "[ir]") {
    const Tensor<float> x = random_tensor({6, 10});
    const Graph twice = checked(transpose(slice(slice(x, 1, 2, 9, 2), 1, 1, 4), 0, 1));
    CHECK(count(twice, NodeKind::view) == 1);
    CHECK(count(checked(flip(slice(x, 0, 1, 5, 3), {0, 1})), NodeKind::view) == 1);
    CHECK(count(checked(select(select(x, 0, 3), 0, 7)), NodeKind::view) == 1);
    CHECK(count(checked(expand(unsqueeze(select(x, 1, 4), 0), {3, 6})), NodeKind::view) == 1);
}

TEST_CASE("views of views have offsets where they show parts of dimensions", "[ir]") {
    const Tensor<float> x = random_tensor<float>({6, 8}, 1);
    const auto view_of = [](const Graph& graph) {
        return *std::ranges::find(graph.nodes, NodeKind::view, &Node::kind);
    };
    // Loops take the extents of a view without offsets for the extents of its operand.
    CHECK(view_of(checked(unsqueeze(slice(x * 2.0F, 1, 0, 3), 1))).offsets == Shape{0, 0});
    CHECK(view_of(checked(unsqueeze(slice(x * 2.0F, 1, 0, 8), 1))).offsets.empty());
    CHECK(view_of(checked(transpose(slice(x * 2.0F, 0, 0, 5), 0, 1))).offsets == Shape{0, 0});
}

TEST_CASE("what shows its operand as it is goes away", "[ir]") {
    const Tensor<float> x = random_tensor({6, 10});
    CHECK(checked(transpose(transpose(x, 0, 1), 0, 1) + 1).nodes.size() == 3);
    CHECK(checked(reshape(reshape(x, {3, 20}), {6, 10}) + 1).nodes.size() == 3);
    CHECK(count(checked(reshape(reshape(x, {3, 20}), {60})), NodeKind::reshape) == 1);
    CHECK(count(checked(slice(reshape(x, {60}), 0, 1, 7)), NodeKind::view) == 1);
    CHECK(count(checked(flip(x, {0})), NodeKind::view) == 1);
}

TEST_CASE("masks go with views, reshapes and casts", "[ir]") {
    const MaskedTensor<float> m = masked(random_tensor({6, 10}), random_mask({6, 10}, specified(0.5), 2));
    checked(transpose(transpose(m, 0, 1), 0, 1) + 1);
    checked(reshape(reshape(transpose(m, 0, 1), {4, 15}), {60}));
    checked(on(m, to_dense(m, 0)) * 2);
    checked(sum(transpose(m, 0, 1), {0}));
}

TEST_CASE("what is repeated is reduced once", "[ir]") {
    const Tensor<float> x = random_tensor({6, 10});
    const auto wide = expand(unsqueeze(x, 1), {6, 5, 10});
    const Graph sums = checked(sum(wide, {2}));
    for (const Node& node : sums.nodes)
        if (node.kind == NodeKind::reduce) CHECK(node.shape == Shape{6});
    checked(sum(wide, {0}));
    checked(amax(wide, {0, 2}));
    checked(sum(wide, {1}));
    checked(sum(wide, {1, 2}));
    checked(argmax(wide, 2));
    checked(any(expand(unsqueeze(x > 0, 0), {4, 6, 10}), {1}));
    checked(sum(expand(full<float>({1}, 0.1F), {5}), {0}));
    checked(sum(expand(select(select(x, 0, 1), 0, 2), {4, 5}), {1}));
}

TEST_CASE("what does not vary along a dimension is computed once", "[ir]") {
    GraphBuilder builder("eval");
    const NodeId x = builder.symbol("x", SymbolKind::in, DType::float32, {5, 1});
    const NodeId y = builder.symbol("y", SymbolKind::in, DType::float32, {5, 1});
    Node wide{.kind = NodeKind::op, .op = op_id<op::Add>, .dtype = DType::float32, .operands = {x, y}};
    wide.shape = {5, 8};
    const NodeId results[] = {builder.add(std::move(wide))};
    const Graph graph = builder.expression(results);
    REQUIRE(ir::has_repeats(graph));
    const Tensor<float> column = random_tensor({5, 1}, 3), row = random_tensor({1, 8}, 4);
    CHECK_FALSE(ir::has_repeats(checked(column + row)));
    CHECK_FALSE(ir::has_repeats(checked(row * column + full<float>({5, 8}, 1))));
    const Graph simple = ir::simplified(graph);
    CHECK_FALSE(ir::has_repeats(simple));
    for (const Node& node : simple.nodes)
        if (node.kind == NodeKind::op) CHECK(node.shape == Shape{5, 1});
    const Argument arguments[] = {random_tensor({5, 1}, 1), random_tensor({5, 1}, 2)};
    CHECK(same(as_masked(evaluate(simple, arguments)[0]), as_masked(evaluate(graph, arguments)[0])));
}

TEST_CASE("what views repeat is computed once, and reshaped once", "[ir]") {
    const Tensor<float> column = random_tensor({5, 1}, 3), cube = random_tensor({2, 1, 3}, 4);
    const auto dense = [](const auto& e) { return checked(e, ir::SeenViews::moved_of_dense); };
    const auto largest = [](const Graph& graph, NodeKind kind) {
        std::int64_t most = 0;
        for (const Node& node : graph.nodes)
            if (node.kind == kind) most = std::max(most, element_count(node.shape));
        return most;
    };
    CHECK(largest(dense(expand(column, {5, 8}) + expand(sqrt(abs(column)), {5, 8})), NodeKind::op) == 5);
    CHECK(largest(dense(expand(column, {5, 8}) + random_tensor({5, 8}, 6)), NodeKind::op) == 40);
    CHECK(largest(dense(expand(column, {5, 0}) * 2), NodeKind::op) == 0);
    // Dimensions that a reshape puts together, splits, or both.
    const auto reshapes = [&](const auto& e) { return largest(dense(e), NodeKind::reshape); };
    CHECK(reshapes(reshape(expand(column, {5, 8}), {5, 2, 4})) == 0);
    CHECK(reshapes(reshape(expand(unsqueeze(column, 2), {5, 8, 3}), {5, 24})) == 0);
    CHECK(reshapes(reshape(expand(unsqueeze(column, 2), {5, 8, 3}), {5, 6, 4})) == 0);
    CHECK(reshapes(reshape(expand(unsqueeze(column, 2), {5, 8, 3}), {40, 3})) == 40);
    CHECK(reshapes(reshape(expand(cube, {2, 4, 3}), {24})) == 24);
    CHECK(reshapes(reshape(expand(unsqueeze(cube, 3), {2, 1, 3, 4}), {6, 2, 2})) == 6);
    CHECK(reshapes(reshape(expand(column, {5, 0}), {0, 5})) == 0);
    dense(any(reshape(expand(unsqueeze(column > 0, 2), {5, 8, 3}), {5, 24}), {1}));
}

TEST_CASE("results seen through views are made where they are seen", "[ir]") {
    const Tensor<float> x = random_tensor({6, 10}), row = random_tensor({10}, 2),
                        column = random_tensor({6, 1}, 3);
    const MaskedTensor<float> m = masked(random_tensor({6, 10}), random_mask({6, 10}, specified(0.5), 2));
    CHECK(count(checked(transpose(x * row + column, 0, 1)), NodeKind::view) == 3);
    CHECK(count(checked(reshape(unsqueeze(x, 0) * row, {6, 1, 10})), NodeKind::reshape) == 0);
    checked(transpose(unsqueeze(m * row + column, 1), 0, 2));
    checked(transpose(to_dense(m * column, 3), 0, 1));
    checked(transpose(where(x > 0, x, row), 0, 1) + 1);
    checked(flip(x * row, {0}));
    checked(expand(unsqueeze(x * row, 0), {3, 6, 10}));
    checked(select(x * row, 0, 2));
}

TEST_CASE("products seen through views have their dimensions there", "[ir]") {
    const Tensor<float> a = random_tensor({3, 6, 10}, 1), b = random_tensor({3, 10, 7}, 2),
                        v = random_tensor({10}, 3);
    const auto none_is_stored = [](const Graph& graph) {
        for (const NodeId result : graph.results) CHECK(graph[result].kind != NodeKind::view);
    };
    none_is_stored(checked(transpose(matmul(a, b), 1, 2)));
    none_is_stored(checked(transpose(matmul(a, b), 0, 2)));
    none_is_stored(checked(transpose(matmul(a, b), 0, 1)));
    none_is_stored(checked(unsqueeze(transpose(matmul(a, b), 1, 2), 1)));
    none_is_stored(checked(transpose(relu(matmul(a, b)) + 1, 1, 2)));
    none_is_stored(checked(transpose(matmul(a, v), 0, 1)));
    none_is_stored(checked(transpose(matmul(select(a, 0, 1), select(b, 0, 2)), 0, 1)));
    const MaskedTensor<float> m = masked(a, random_mask({3, 6, 10}, specified(0.5), 2));
    checked(transpose(matmul(m, b), 1, 2));
    checked(transpose(matmul(to_dense(m, 0), b), 0, 2));
    const auto loss = sum(square(matmul(m, b)));
    checked(gradient(loss, b));
    checked(gradient(loss, m));
}

}  // namespace simplify_test
