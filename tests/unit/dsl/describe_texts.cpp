// SPDX-License-Identifier: MIT
#include <frisket/dsl.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <type_traits>

#include "../ir/graph_helpers.hpp"

namespace describe_texts_test {

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"eps"> eps;
constexpr Let<"d"> d;

/// Names of the masks of a step's updates, "all" for updates of every element.
std::vector<std::string> masks_of(const Graph& graph) {
    std::vector<std::string> masks;
    for (const Node& node : graph.nodes) {
        if (node.kind != NodeKind::updated) continue;
        const NodeId where = node.operands[update_operand::where];
        masks.push_back(where == no_node ? "all"
                                         : graph.symbols[static_cast<std::size_t>(graph[where].symbol)].name);
    }
    return masks;
}

using Masks = std::vector<std::string>;

/// The value of the first update of `param`, named for its operation.
template <class Expression>
std::string text_of(const Expression& expression) {
    const Graph graph = describe(step<"one">(param = expression));
    const Node& node = graph[graph[graph.updates.back()].operands[update_operand::value]];
    return node.kind == NodeKind::op ? std::string(info_of(node.op).name) : std::string(to_string(graph));
}

}  // namespace

TEST_CASE("a step written as an expression is the graph built by hand", "[dsl]") {
    constexpr auto adagrad =
        step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps));
    CHECK(to_string(describe(adagrad)) == to_string(adagrad_graph()));
    CHECK(describe(adagrad) == adagrad_graph());
    CHECK(hash(describe(adagrad)) == hash(adagrad_graph()));
}

TEST_CASE("constants are values: one type of step, two graphs", "[dsl]") {
    constexpr auto slow = step<"sgd">(param -= 0.1F * grad);
    constexpr auto fast = step<"sgd">(param -= 0.2F * grad);
    STATIC_CHECK(std::is_same_v<decltype(slow), decltype(fast)>);
    CHECK_FALSE(describe(slow) == describe(fast));
    CHECK(hash(describe(slow)) != hash(describe(fast)));
}

TEST_CASE("constants are host scalars: float and double write the same step but for the number", "[dsl]") {
    STATIC_CHECK(std::is_same_v<decltype(param * 2.0), decltype(param * 2.0F)>);
    STATIC_CHECK(std::is_same_v<decltype(param * 2), decltype(param * std::int64_t{2})>);
    STATIC_CHECK((param * 2.0).expr_type.type == ElementType{.dtype = DType::float32});
    STATIC_CHECK((2 * lr).expr_type.type == ElementType{.dtype = DType::float64, .is_host_scalar = true});
    STATIC_CHECK((InOut<"x", double>{} * param).expr_type.type == ElementType{.dtype = DType::float64});
}

TEST_CASE("every operator and function makes the operation that the table names", "[dsl]") {
    const auto x = grad;
    CHECK(text_of(x + 1.0) == "add");
    CHECK(text_of(1.0 - x) == "sub");
    CHECK(text_of(x * x) == "mul");
    CHECK(text_of(lr / x) == "div");
    CHECK(text_of(-x) == "neg");
    CHECK(text_of(sqrt(x)) == "sqrt");
    CHECK(text_of(square(x)) == "square");
    CHECK(text_of(abs(x)) == "abs");
    CHECK(text_of(exp(x)) == "exp");
    CHECK(text_of(log(x)) == "log");
    CHECK(text_of(pow(x, 2)) == "pow");
    CHECK(text_of(min(x, 1.0)) == "minimum");
    CHECK(text_of(max(0.0, x)) == "maximum");
    CHECK(text_of(x == 1.0) == "eq");
    CHECK(text_of(x != 1.0) == "ne");
    CHECK(text_of(x < 1.0) == "lt");
    CHECK(text_of(x <= 1.0) == "le");
    CHECK(text_of(x > 1.0) == "gt");
    CHECK(text_of(x >= 1.0) == "ge");
    CHECK(text_of(x > 0.0 && x < 1.0) == "logical_and");
    CHECK(text_of(x < 0.0 || x > 1.0) == "logical_or");
    CHECK(text_of(logical_xor(x < 0.0, x < 1.0)) == "logical_xor");
    CHECK(text_of(!(x < 0.0)) == "logical_not");
    CHECK(text_of(where(x > 0.0, x, 0.0)) == "where");
}

TEST_CASE("operators of the masked world give masked values, to_dense and on cross its border", "[dsl]") {
    STATIC_CHECK((grad * param).expr_type.category == ExprCategory::masked);
    STATIC_CHECK((lr * grad).expr_type.category == ExprCategory::masked);
    STATIC_CHECK(sqrt(param).expr_type.category == ExprCategory::dense);
    STATIC_CHECK((lr * 2).expr_type.category == ExprCategory::scalar);
    STATIC_CHECK(to_dense(grad, 0).expr_type.category == ExprCategory::dense);
    STATIC_CHECK(on(grad, param).expr_type.category == ExprCategory::masked);
    STATIC_CHECK(on(grad, 1 - lr).expr_type.category == ExprCategory::masked);
    STATIC_CHECK(where(grad > 0, param, 0.0).expr_type.category == ExprCategory::masked);
    STATIC_CHECK((d * grad).expr_type.category == ExprCategory::open);
    CHECK(masks_of(describe(step<"s">(param *= on(grad, 1 - lr)))) == Masks{"grad"});
    CHECK(masks_of(describe(step<"s">(param -= to_dense(grad, 0)))) == Masks{"all"});
}

TEST_CASE("over restricts every update, everywhere none", "[dsl]") {
    constexpr auto lazy = step<"lazy">(over(grad), state_sum *= 0.9, param -= lr * state_sum);
    CHECK(masks_of(describe(lazy)) == Masks{"grad", "grad"});
    constexpr auto mixed = step<"mixed">(state_sum += grad, everywhere(param -= lr * state_sum));
    CHECK(masks_of(describe(mixed)) == Masks{"grad", "all"});
    constexpr auto each = step<"each">(everywhere(param = 1.0), everywhere(param += lr),
                                       everywhere(param *= lr), everywhere(param /= 2), state_sum += grad);
    CHECK(masks_of(describe(each)) == Masks{"all", "all", "all", "all", "grad"});
}

TEST_CASE("a Let has the mask of its expression", "[dsl]") {
    constexpr auto masked = step<"masked">(d = lr * grad, param -= d, state_sum += d * d);
    CHECK(masks_of(describe(masked)) == Masks{"grad", "grad"});
    constexpr auto dense = step<"dense">(d = lr * state_sum, param -= d);
    CHECK(masks_of(describe(dense)) == Masks{"all"});
}

TEST_CASE("a mask from values that the step only reads is allowed", "[dsl]") {
    constexpr In<"weight"> weight;
    constexpr auto chosen = step<"chosen">(param = where(weight > 0, grad, 1.0));
    const Graph graph = describe(chosen);
    CHECK(graph[graph[graph.updates[0]].operands[update_operand::where]].kind == NodeKind::op);
}

TEST_CASE("a step knows its arguments in order of first appearance", "[dsl]") {
    constexpr auto sgd = step<"sgd">(d = lr * grad, param -= d, state_sum += d);
    using Sgd = std::remove_const_t<decltype(sgd)>;
    STATIC_CHECK(Sgd::parameter_count == 4);
    const Graph graph = describe(sgd);
    REQUIRE(graph.symbols.size() == Sgd::parameter_count);
    for (std::size_t i = 0; i < Sgd::parameter_count; ++i) {
        CHECK(Sgd::parameters[i].name == graph.symbols[i].name);
        CHECK(Sgd::parameters[i].kind == graph.symbols[i].kind);
        CHECK(Sgd::parameters[i].dtype == graph.symbols[i].dtype);
    }
}

TEST_CASE("symbols are empty, and a node holds nothing but its numbers", "[dsl]") {
    STATIC_CHECK(std::is_empty_v<InOut<"param">>);
    STATIC_CHECK(std::is_empty_v<decltype(grad * param)>);
    STATIC_CHECK(sizeof(2.0 * param) == sizeof(double));
    STATIC_CHECK(std::is_aggregate_v<decltype(grad * param)>);
}

}  // namespace describe_texts_test
