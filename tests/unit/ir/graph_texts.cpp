// SPDX-License-Identifier: MIT
#include "graph_helpers.hpp"

#include <catch2/catch_test_macros.hpp>

namespace graph_texts_test {

using namespace frisket;

TEST_CASE("the text of a graph has one line for each symbol, instruction, check and store", "[dsl]") {
    CHECK(to_string(adagrad_graph()) == R"(step adagrad
  InOut state_sum: float32
  Masked grad: float32
  InOut param: float32
  Scalar lr: float64
  Scalar eps: float64
  %0 = state_sum: float32
  %1 = mask_of grad: bool
  %2 = grad: float32 where %1
  %3 = mul %2 %2: float32 where %1
  %4 = add %0 %3: float32 where %1
  %5 = state_sum takes %4 where %1 after %0: float32
  %6 = param: float32
  %7 = lr: weak float64
  %8 = mul %7 %2: float32 where %1
  %9 = sqrt %5: float32
  %10 = eps: weak float64
  %11 = add %9 %10: float32
  %12 = div %8 %11: float32 where %1
  %13 = sub %6 %12: float32 where %1
  %14 = param takes %13 where %1 after %6: float32
  store %5
  store %14
)");
}

TEST_CASE("masks of different symbols that meet are checked, and the first one stays", "[ir]") {
    GraphBuilder b("two");
    const NodeId p = b.symbol("p", SymbolKind::in_out, DType::float32);
    const NodeId g = b.symbol("g", SymbolKind::masked, DType::float32);
    const NodeId h = b.symbol("h", SymbolKind::masked, DType::float32);
    b.update("p", b.apply<op::Add>({p, b.apply<op::Mul>({g, h})}));
    b.apply<op::Mul>({h, g});
    const Graph graph = b.finish();
    CHECK(to_string(graph) == R"(step two
  InOut p: float32
  Masked g: float32
  Masked h: float32
  %0 = p: float32
  %1 = mask_of g: bool
  %2 = g: float32 where %1
  %3 = mask_of h: bool
  %4 = h: float32 where %3
  %5 = mul %2 %4: float32 where %1
  %6 = add %0 %5: float32 where %1
  %7 = p takes %6 where %1 after %0: float32
  check %1 equals %3
  store %7
)");
    const Signature signature = signature_of(graph);
    CHECK(signature.equal_masks == std::vector<std::array<int, 2>>{{1, 2}});
    CHECK(signature.domain == 1);
    CHECK(signature.updates == std::vector<UpdateRule>{{.target = 0, .operands = {0, 1, 2}}});
}

TEST_CASE("constants of one text have one graph, and others another", "[ir]") {
    const auto graph_of = [](double factor) {
        GraphBuilder b("scale");
        const NodeId p = b.symbol("p", SymbolKind::in_out, DType::float32);
        b.update("p", b.apply<op::Mul>({p, b.constant(factor)}));
        return b.finish();
    };
    CHECK(graph_of(0.1) == graph_of(0.1));
    CHECK(hash(graph_of(0.1)) == hash(graph_of(0.1)));
    CHECK_FALSE(graph_of(0.1) == graph_of(0.2));
    CHECK_FALSE(graph_of(0.0) == graph_of(-0.0));
    CHECK(hash(graph_of(0.0)) != hash(graph_of(-0.0)));
    CHECK(graph_of(std::nan("")) == graph_of(std::nan("")));
}

TEST_CASE("what nothing reads leaves no instruction, but every symbol stays a parameter", "[ir]") {
    GraphBuilder b("assign");
    b.symbol("p", SymbolKind::in_out, DType::float32);
    const NodeId x = b.symbol("x", SymbolKind::in, DType::float32);
    b.let("unused", b.apply<op::Exp>({b.symbol("y", SymbolKind::in, DType::float32)}));
    b.update("p", x);
    const Graph graph = b.finish();
    CHECK(to_string(graph) == R"(step assign
  InOut p: float32
  In x: float32
  In y: float32
  %0 = p: float32
  %1 = x: float32
  %2 = p takes %1 after %0: float32
  store %2
)");
    CHECK(signature_of(graph).updates == std::vector<UpdateRule>{{.target = 0, .operands = {1}}});
    CHECK(signature_of(graph).domain == -1);
}

TEST_CASE("the domain of a step is the mask that all its updates have", "[ir]") {
    GraphBuilder b("domain");
    const NodeId p = b.symbol("p", SymbolKind::in_out, DType::float32);
    const NodeId q = b.symbol("q", SymbolKind::in_out, DType::float32);
    const NodeId g = b.symbol("g", SymbolKind::masked, DType::float32);
    const NodeId h = b.symbol("h", SymbolKind::masked, DType::float32);
    b.update("p", b.apply<op::Mul>({p, g}));
    b.update("q", b.apply<op::Mul>({q, h}));
    CHECK(signature_of(b.finish()).domain == -1);
    b.let("both", b.apply<op::Mul>({g, h}));
    CHECK(signature_of(b.finish()).domain == 2);
    CHECK(signature_of(adagrad_graph()).domain == 1);
}

TEST_CASE("promotion is the chain bool, host int, int, host float, float32, float64", "[dsl]") {
    const ElementType b{DType::boolean, false}, i{DType::int64, false}, f{DType::float32, false},
        d{DType::float64, false}, wi{DType::int64, true}, wf{DType::float64, true};
    CHECK(promote(f, d) == d);
    CHECK(promote(f, wf) == f);
    CHECK(promote(wf, d) == d);
    CHECK(promote(wi, f) == f);
    CHECK(promote(wi, b) == i);
    CHECK(promote(wf, i) == f);
    CHECK(promote(wf, b) == f);
    CHECK(promote(b, f) == f);
    CHECK(promote(wi, wf) == wf);
    CHECK(promote(wi, wi) == wi);
}

}  // namespace graph_texts_test
