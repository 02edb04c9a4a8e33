// SPDX-License-Identifier: MIT
#include "../../../ir/interpreter/interpret.hpp"

#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <bit>
#include <cmath>
#include <cstring>

namespace interpret_masks_test {

using namespace frisket;
using Catch::Matchers::Message;

namespace {

constexpr auto f32 = DType::float32;
constexpr std::uint32_t poison_bits = 0x7FA0BEEF;  // a signalling NaN with a payload

/// `--` where nothing is specified; the bytes there are poison.
MaskedTensor<float> masked_row(const std::vector<float>& elements, const std::vector<bool>& mask) {
    const auto count = static_cast<std::int64_t>(elements.size());
    Tensor<float> values({count}, elements);
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if (!mask[i]) std::memcpy(values.data() + i, &poison_bits, sizeof poison_bits);
    }
    return masked(values, Tensor<bool>({count}, mask));
}

Tensor<float> row(const std::vector<float>& elements) {
    return {{static_cast<std::int64_t>(elements.size())}, elements};
}

/// Runs p = value, p being poison, and returns the written elements, -1 where the bytes of p are unchanged.
std::vector<float> written(const Graph& graph, std::vector<NamedArgument> arguments, std::int64_t count) {
    const Tensor<float> p(Shape{count});
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(p.data() + i, &poison_bits, sizeof poison_bits);
    arguments.push_back({"p", p});
    interpret(graph, arguments);
    std::vector<float> elements;
    for (std::int64_t i = 0; i < count; ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, p.data() + i, sizeof bits);
        elements.push_back(bits == poison_bits ? -1 : p.data()[i]);
    }
    return elements;
}

/// A step of one update, p = value(b).
Graph assign(auto value) {
    GraphBuilder b("s");
    b.symbol("p", SymbolKind::in_out, f32);
    b.update("p", value(b));
    return b.finish();
}

NodeId g_of(GraphBuilder& b) { return b.symbol("g", SymbolKind::masked, f32); }
NodeId h_of(GraphBuilder& b) { return b.symbol("h", SymbolKind::masked, f32); }
NodeId x_of(GraphBuilder& b) { return b.symbol("x", SymbolKind::in, f32); }

}  // namespace

TEST_CASE("masked with dense has the masked operand's mask", "[ir]") {
    const Graph graph = assign([](GraphBuilder& b) { return b.apply<op::Add>({x_of(b), g_of(b)}); });
    const auto g = masked_row({1, 2, 3}, {true, false, true});
    const auto x = row({10, 20, 30});
    CHECK(written(graph, {{"x", x}, {"g", g}}, 3) == std::vector<float>{11, -1, 33});
}

TEST_CASE("masks that meet are compared before anything is written", "[ir]") {
    const Graph graph = assign([](GraphBuilder& b) { return b.apply<op::Mul>({g_of(b), h_of(b)}); });
    const auto g = masked_row({1, 2, 3}, {true, false, true});
    const auto same_mask = masked_row({5, 6, 7}, {true, false, true}).to(Layout::coo);
    CHECK(written(graph, {{"g", g}, {"h", same_mask}}, 3) == std::vector<float>{5, -1, 21});
    const auto other = masked_row({5, 6, 7}, {true, true, true});
    const Tensor<float> p = row({1, 2, 3});
    CHECK_THROWS_AS(interpret(graph, {{"p", p}, {"g", g}, {"h", other}}), MaskMismatch);
    CHECK(p.to_vector() == std::vector<float>{1, 2, 3});
}

TEST_CASE("to_dense gives the fill where nothing is specified", "[ir]") {
    const Graph graph = assign([](GraphBuilder& b) { return b.to_dense(g_of(b), b.constant(0.5)); });
    CHECK(written(graph, {{"g", masked_row({1, 2, 3}, {true, false, true})}}, 3) ==
          std::vector<float>{1, 0.5, 3});
}

TEST_CASE("on restricts what is dense, numbers of the host too", "[ir]") {
    const auto g = masked_row({1, 2, 3}, {false, true, true});
    const Graph number = assign([](GraphBuilder& b) {
        const NodeId half = b.on(g_of(b), b.apply<op::Sub>({b.constant(1), b.constant(0.5)}));
        return b.apply<op::Mul>({half, b.constant(3)});
    });
    CHECK(written(number, {{"g", g}}, 3) == std::vector<float>{-1, 1.5, 1.5});
    const Graph dense = assign([](GraphBuilder& b) { return b.on(g_of(b), x_of(b)); });
    CHECK(written(dense, {{"g", g}, {"x", row({4, 5, 6})}}, 3) == std::vector<float>{-1, 5, 6});
    const Graph filled =
        assign([](GraphBuilder& b) { return b.to_dense(b.on(g_of(b), b.constant(2.0)), b.constant(0)); });
    CHECK(written(filled, {{"g", g}}, 3) == std::vector<float>{0, 2, 2});
}

TEST_CASE("over restricts every update of the step", "[ir]") {
    GraphBuilder b("s");
    b.over(g_of(b));
    b.symbol("p", SymbolKind::in_out, f32);
    b.update("p", x_of(b));
    const Graph graph = b.finish();
    CHECK(signature_of(graph).domain == 0);
    const auto g = masked_row({1, 2, 3}, {false, true, false});
    CHECK(written(graph, {{"g", g}, {"x", row({4, 5, 6})}}, 3) == std::vector<float>{-1, 5, -1});
}

TEST_CASE("where has the mask of its condition and of the branch that is taken", "[ir]") {
    const auto g = masked_row({1, 2, 3, 4}, {true, true, false, false});
    const auto h = masked_row({10, 20, 30, 40}, {true, false, true, false});
    const Tensor<bool> c({4}, {true, false, false, true});
    const auto condition = [](GraphBuilder& b) { return b.symbol("c", SymbolKind::in, DType::boolean); };
    const Graph two =
        assign([&](GraphBuilder& b) { return b.apply<op::Where>({condition(b), g_of(b), h_of(b)}); });
    CHECK(written(two, {{"c", c}, {"g", g}, {"h", h}}, 4) == std::vector<float>{1, -1, 30, -1});
    CHECK(signature_of(two).equal_masks.empty());
    const Graph one =
        assign([&](GraphBuilder& b) { return b.apply<op::Where>({condition(b), g_of(b), x_of(b)}); });
    CHECK(written(one, {{"c", c}, {"g", g}, {"x", row({5, 6, 7, 8})}}, 4) == std::vector<float>{1, 6, 7, -1});
    const Graph masked_condition = assign([&](GraphBuilder& b) {
        const NodeId positive = b.apply<op::Gt>({g_of(b), b.constant(1.5)});
        return b.apply<op::Where>({positive, h_of(b), x_of(b)});
    });
    CHECK(written(masked_condition, {{"g", g}, {"h", h}, {"x", row({5, 6, 7, 8})}}, 4) ==
          std::vector<float>{5, -1, -1, -1});
}

TEST_CASE("where keeps a mask that condition and branches share, without looking at values", "[ir]") {
    const Graph graph = assign([](GraphBuilder& b) {
        const NodeId g = g_of(b);
        return b.apply<op::Where>({b.apply<op::Gt>({g, b.constant(0)}), g, b.constant(-2.0)});
    });
    CHECK(signature_of(graph).domain == 1);
    CHECK(written(graph, {{"g", masked_row({1, -1, 3}, {true, true, false})}}, 3) ==
          std::vector<float>{1, -2, -1});
}

TEST_CASE("a dense tensor for a Masked symbol is specified everywhere", "[ir]") {
    const Graph graph = assign([](GraphBuilder& b) { return b.apply<op::Square>({g_of(b)}); });
    const auto g = row({1, 2, 3});
    CHECK(written(graph, {{"g", g}}, 3) == std::vector<float>{1, 4, 9});
}

TEST_CASE("a specified NaN propagates, an unspecified one is not seen", "[ir]") {
    const Graph graph =
        assign([](GraphBuilder& b) { return b.apply<op::Maximum>({g_of(b), b.constant(0)}); });
    const auto seen = written(graph, {{"g", masked_row({std::nanf(""), 2, -3}, {true, false, true})}}, 3);
    CHECK(std::isnan(seen[0]));
    CHECK(seen[1] == -1);
    CHECK(seen[2] == 0);
}

TEST_CASE("a result of bool is written as bool", "[ir]") {
    GraphBuilder b("compare");
    b.symbol("p", SymbolKind::in_out, DType::boolean);
    const NodeId less = b.apply<op::Lt>({g_of(b), x_of(b)});
    b.update("p", b.apply<op::LogicalNot>({less}));
    const Tensor<bool> p({3}, {false, true, false});
    interpret(b.finish(),
              {{"p", p}, {"g", masked_row({1, 2, 3}, {true, false, true})}, {"x", row({1, 2, 9})}});
    CHECK(p.to_vector() == std::vector<bool>{true, true, false});
}

TEST_CASE("the interpreter refuses what a kernel's call refuses", "[ir]") {
    const Graph graph = assign([](GraphBuilder& b) { return b.apply<op::Add>({x_of(b), b.constant(1)}); });
    const Tensor<float> p = row({1, 2}), x = row({1, 2, 3});
    CHECK_THROWS_MATCHES(
        interpret(graph, {{"p", p}, {"x", x}}), ShapeError,
        Message("frisket: s: x has shape [3], p has [2]: the shape of an update broadcasts to its "
                "target's"));
    CHECK_THROWS_AS(interpret(graph, {{"p", p}}), BindingError);
    CHECK_THROWS_AS(interpret(graph, {{"p", p}, {"x", p}}), ValueError);
    CHECK(p.to_vector() == std::vector<float>{1, 2});
}

TEST_CASE("the interpreter refuses lists of which it would make too large a dense tensor", "[ir]") {
    const std::int64_t huge = std::int64_t{1} << 40;
    const auto list = MaskedTensor<float>::coo({huge, 3}, {{7, huge - 1}, {0, 2}}, {1, 2});
    GraphBuilder b("s");
    const NodeId g = b.symbol("g", SymbolKind::masked, f32, list.shape());
    const NodeId doubled = b.apply<op::Mul>({g, b.constant(2)});
    const Graph graph = b.expression(std::span(&doubled, 1));
    CHECK_THROWS_MATCHES(
        evaluate(graph, std::vector<Argument>{list}), ShapeError,
        Message(
            "frisket: s: g has shape [1099511627776, 3] in layout coo: the interpreter makes dense tensors "
            "of at most 2^28 elements, write eval(...) or jit(...), which take lists as they are stored"));
}

TEST_CASE("the interpreter refuses tensors on the way that are too large", "[ir]") {
    const std::int64_t side = 1 << 15;
    GraphBuilder b("s");
    const NodeId column = b.symbol("x", SymbolKind::in, f32, {side, 1});
    const NodeId row = b.symbol("y", SymbolKind::in, f32, {side});
    const NodeId sum = b.apply<op::Add>({column, row});
    const Graph graph = b.expression(std::span(&sum, 1));
    const Tensor<float> x = zeros<float>({side, 1}), y = zeros<float>({side});
    CHECK_THROWS_MATCHES(
        evaluate(graph, std::vector<Argument>{x, y}), ShapeError,
        Message("frisket: s: a tensor on the way has shape [32768, 32768]: the interpreter makes dense "
                "tensors of "
                "at most 2^28 elements, write eval(...) or jit(...), which take lists as they are stored"));
}

}  // namespace interpret_masks_test
