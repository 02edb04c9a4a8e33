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
Graph checked(const E& expression) {
    Graph seen;
    const auto simple = [&](const Graph& graph, std::span<const Argument> arguments) {
        seen = ir::simplified(graph);
        return evaluate(seen, arguments);
    };
    build::ExpressionContext session("simple", simple);
    GraphEmitter emitter(session);
    const Result made = session.run(frisket::detail::lowered(emitter, expression));
    build::ExpressionContext other("meant", &evaluate);
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

}  // namespace simplify_test
