// SPDX-License-Identifier: MIT
#include "../../../ir/interpreter/interpret.hpp"
#include "graph_helpers.hpp"

#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace interpret_steps_test {

using namespace frisket;

namespace {

constexpr auto f32 = DType::float32;

/// The gradient of the reference case: 3, 4, 5 at (0,2) (1,0) (1,2).
MaskedTensor<float> gradient() {
    return MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, std::vector<float>{3, 4, 5});
}

Tensor<float> row(std::initializer_list<float> elements) {
    return Tensor<float>({static_cast<std::int64_t>(elements.size())}, elements);
}

/// Specified where the mask is true, NaN elsewhere.
MaskedTensor<float> masked_row(const std::vector<float>& elements, const std::vector<bool>& mask) {
    const auto count = static_cast<std::int64_t>(elements.size());
    Tensor<float> values({count}, elements);
    Tensor<bool> specified({count}, mask);
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if (!mask[i]) values.data()[i] = std::nanf("7");
    }
    return masked(values, specified);
}

}  // namespace

TEST_CASE("two steps of Adagrad move the specified elements alone, in every layout", "[ir]") {
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo}) {
        const Tensor<float> p = arange<float>(8).reshape({2, 4}), s = full<float>({2, 4}, 0.5F);
        const MaskedTensor<float> g = gradient().to(layout);
        const Graph graph = adagrad_graph();
        interpret(graph, {{"param", p}, {"state_sum", s}, {"grad", g}, {"lr", 0.1}, {"eps", 1e-10}});
        CHECK(s.to_vector() == std::vector<float>{0.5, 0.5, 9.5, 0.5, 16.5, 0.5, 25.5, 0.5});
        const Tensor<float> first({2, 4}, {0, 1, 1.9027F, 3, 3.9015F, 5, 5.9010F, 7});
        CHECK(allclose(p, first, 0, 5e-5));
        interpret(graph, {{"eps", 1e-10}, {"lr", 0.1}, {"grad", g}, {"state_sum", s}, {"param", p}});
        const Tensor<float> second({2, 4}, {0, 1, 1.8329F, 3, 3.8314F, 5, 5.8306F, 7});
        CHECK(allclose(p, second, 0, 5e-5));
    }
}

TEST_CASE("interpreted, a symbol read after its update means the new value", "[ir]") {
    GraphBuilder b("versions");
    const NodeId x = b.symbol("x", SymbolKind::in_out, f32);
    b.update("x", b.apply<op::Add>({x, b.constant(1)}));
    const NodeId y = b.symbol("y", SymbolKind::in_out, f32);
    b.update("y", b.apply<op::Mul>({b.symbol("x", SymbolKind::in_out, f32), x}));
    b.update("x", b.apply<op::Mul>({b.symbol("x", SymbolKind::in_out, f32), b.constant(10)}));
    b.update("y", b.apply<op::Add>(
                      {b.symbol("y", SymbolKind::in_out, f32), b.symbol("x", SymbolKind::in_out, f32)}));
    static_cast<void>(y);
    const Tensor<float> xs = row({1, 2, 3}), ys = row({0, 0, 0});
    interpret(b.finish(), {{"x", xs}, {"y", ys}});
    CHECK(xs.to_vector() == std::vector<float>{20, 30, 40});
    CHECK(ys.to_vector() == std::vector<float>{22, 36, 52});
}

TEST_CASE("a masked update is seen where it was made, the old value elsewhere", "[ir]") {
    GraphBuilder b("masked");
    const NodeId x = b.symbol("x", SymbolKind::in_out, f32);
    b.update("x", b.apply<op::Add>({x, b.symbol("g", SymbolKind::masked, f32)}));
    b.symbol("y", SymbolKind::in_out, f32);
    b.update("y", b.symbol("x", SymbolKind::in_out, f32), Scope::everywhere);
    const Tensor<float> xs = row({1, 2, 3}), ys = row({0, 0, 0});
    interpret(b.finish(), {{"x", xs}, {"y", ys}, {"g", masked_row({10, 0, 30}, {true, false, true})}});
    CHECK(ys.to_vector() == std::vector<float>{11, 2, 33});
}

TEST_CASE("floats stay floats, and numbers of the host are doubles rounded once", "[ir]") {
    GraphBuilder b("rounding");
    const NodeId beta = b.symbol("beta", SymbolKind::scalar, DType::float64);
    const NodeId t = b.symbol("t", SymbolKind::scalar, DType::int64);
    const NodeId bias = b.apply<op::Sub>({b.constant(1), b.apply<op::Pow>({beta, t})});
    const NodeId x = b.symbol("x", SymbolKind::in, f32);
    b.symbol("p", SymbolKind::in_out, f32);
    b.update("p", b.apply<op::Div>({b.apply<op::Add>({x, b.constant(0.1)}), bias}));
    const Tensor<float> p = row({0}), x1 = row({16777216});
    interpret(b.finish(), {{"beta", 0.999}, {"t", std::int64_t{3}}, {"x", x1}, {"p", p}});
    const auto rounded = static_cast<float>(1 - std::pow(0.999, 3));
    CHECK(p.at({0}) == (16777216.0F + 0.1F) / rounded);
}

TEST_CASE("a ScalarState is written back once, after the elements that read its new value", "[ir]") {
    GraphBuilder b("kept");
    const auto mu = [&] { return b.symbol("mu", SymbolKind::scalar_state, DType::float64); };
    b.update("mu", b.apply<op::Mul>({mu(), b.constant(0.5)}));
    b.symbol("p", SymbolKind::in_out, f32);
    b.update("p", mu());
    const Graph graph = b.finish();
    const Tensor<float> p = row({7, 7});
    double kept = 1;
    for (int i = 0; i < 3; ++i) interpret(graph, {{"mu", Argument::state(kept)}, {"p", p}});
    CHECK(kept == 0.125);
    CHECK(p.to_vector() == std::vector<float>{0.125, 0.125});
}

TEST_CASE("operands broadcast to the targets, a mask with its values", "[ir]") {
    GraphBuilder b("broadcast");
    const NodeId p = b.symbol("p", SymbolKind::in_out, f32);
    const NodeId x = b.symbol("x", SymbolKind::in, f32);
    const NodeId g = b.symbol("g", SymbolKind::masked, f32);
    b.update("p", b.apply<op::Add>({p, b.apply<op::Mul>({x, g})}));
    const Tensor<float> ps = zeros<float>({2, 3}), column({2, 1}, {1, 10});
    interpret(b.finish(), {{"p", ps}, {"x", column}, {"g", masked_row({1, 2, 3}, {true, false, true})}});
    CHECK(ps.to_vector() == std::vector<float>{1, 0, 3, 10, 0, 30});
}

TEST_CASE("tensors without elements and tensors without dimensions work", "[ir]") {
    const Graph graph = adagrad_graph();
    for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{}}) {
        const Tensor<float> p = full<float>(shape, 1), s = full<float>(shape, 0), g = full<float>(shape, 2);
        interpret(graph, {{"param", p}, {"state_sum", s}, {"grad", g}, {"lr", 0.5}, {"eps", 0.0}});
        CHECK(p.to_vector() == std::vector<float>(static_cast<std::size_t>(p.size()), 0.5F));
    }
}

TEST_CASE("a strided view is updated in place, what lies between stays", "[ir]") {
    GraphBuilder b("view");
    b.update("p", b.apply<op::Add>({b.symbol("p", SymbolKind::in_out, f32), b.constant(1)}));
    const Tensor<float> whole = arange<float>(12).reshape({3, 4});
    interpret(b.finish(), {{"p", whole.slice(1, 1, 4, 2).transpose(0, 1)}});
    CHECK(whole.to_vector() == std::vector<float>{0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12});
}

}  // namespace interpret_steps_test
