// SPDX-License-Identifier: MIT
#include <frisket/dsl.hpp>

#include <catch2/catch_test_macros.hpp>

namespace describe_order_test {

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state"> state;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;
constexpr ScalarState<"product"> product;
constexpr Let<"d"> d;

}  // namespace

TEST_CASE("a symbol read after its update means the new value, before it the old one", "[dsl]") {
    constexpr auto both = step<"both">(param += state, state *= 2.0, param += state);
    CHECK(to_string(describe(both)) == R"(step both
  InOut param: float32
  InOut state: float32
  %0 = param: float32
  %1 = state: float32
  %2 = add %0 %1: float32
  %3 = param takes %2 after %0: float32
  %4 = constant 2: weak float64
  %5 = mul %1 %4: float32
  %6 = state takes %5 after %1: float32
  %7 = add %3 %6: float32
  %8 = param takes %7 after %3: float32
  store %8
  store %6
)");
}

TEST_CASE("a Let keeps the value it was defined with, whatever is updated after it", "[dsl]") {
    constexpr auto kept = step<"kept">(d = lr * state, state += 1.0, param -= d);
    CHECK(to_string(describe(kept)) == R"(step kept
  Scalar lr: float64
  InOut state: float32
  InOut param: float32
  %0 = lr: weak float64
  %1 = state: float32
  %2 = mul %0 %1: float32
  %3 = constant 1: weak float64
  %4 = add %1 %3: float32
  %5 = state takes %4 after %1: float32
  %6 = param: float32
  %7 = sub %6 %2: float32
  %8 = param takes %7 after %6: float32
  store %5
  store %8
)");
}

TEST_CASE("a number kept from call to call is read as its last update left it, as tensors are", "[dsl]") {
    constexpr auto nadam = step<"nadam">(param -= product * grad, product *= 0.5, param -= product * grad);
    CHECK(to_string(describe(nadam)) == R"(step nadam
  InOut param: float32
  ScalarState product: float64
  Masked grad: float32
  %0 = param: float32
  %1 = product: weak float64
  %2 = mask_of grad: bool
  %3 = grad: float32 where %2
  %4 = mul %1 %3: float32 where %2
  %5 = sub %0 %4: float32 where %2
  %6 = param takes %5 where %2 after %0: float32
  %7 = constant 0.5: weak float64
  %8 = mul %1 %7: weak float64
  %9 = product takes %8 after %1: weak float64
  %10 = mul %9 %3: float32 where %2
  %11 = sub %6 %10: float32 where %2
  %12 = param takes %11 where %2 after %6: float32
  store %12
  store %9
)");
}

TEST_CASE("a symbol given to another, or to itself, is an update", "[dsl]") {
    constexpr InOut<"param"> same_name;
    InOut<"state"> not_const;
    const auto copied = step<"copied">(not_const = param, param = same_name, not_const = InOut<"state">{});
    const Graph graph = describe(copied);
    REQUIRE(graph.updates.size() == 2);
    const Node& state_again = graph[graph.updates[0]];
    CHECK(graph.symbols[static_cast<std::size_t>(state_again.symbol)].name == "state");
    CHECK(state_again.operands[update_operand::value] == state_again.operands[update_operand::before]);
    CHECK(graph[state_again.operands[update_operand::value]].kind == NodeKind::updated);
}

}  // namespace describe_order_test
