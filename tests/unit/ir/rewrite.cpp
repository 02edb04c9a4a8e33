// SPDX-License-Identifier: MIT
#include "../../../ir/rewrite.hpp"
#include "graph_helpers.hpp"

#include <catch2/catch_test_macros.hpp>

namespace rewrite_test {

using namespace frisket;

namespace {

Graph copy_of(const Graph& graph) {
    ir::Rewriter to(graph);
    to.copy_all();
    return to.finish();
}

/// The ids that nodes and the graph hold, in one order.
std::vector<NodeId> ids_of(const Graph& graph) {
    std::vector<NodeId> ids;
    const auto list = [&](NodeId id) { ids.push_back(id); };
    for (const Node& node : graph.nodes) ir::for_each_id(node, list);
    ir::for_each_root(graph, list);
    return ids;
}

const Shape shape{4};

NodeId tensor(GraphBuilder& b, std::string_view name, SymbolKind kind = SymbolKind::in) {
    return b.symbol(name, kind, DType::float32, shape);
}

/// A graph that holds an id in every field that can.
Graph with_every_field() {
    GraphBuilder b("every");
    const NodeId p = tensor(b, "p", SymbolKind::in_out);
    const NodeId g = tensor(b, "g", SymbolKind::masked), h = tensor(b, "h", SymbolKind::masked);
    const NodeId product = b.apply<op::Mul>({g, h});
    b.update("p", b.apply<op::Add>({p, product}));
    Graph graph = b.finish();
    graph.equal_masks = {{graph[g].mask, graph[h].mask}};
    graph.results = {product};
    graph.checks = {{.bad = graph[g].mask, .elements = graph[h].mask, .value = product, .text = "bad"}};
    return graph;
}

}  // namespace

TEST_CASE("a copy of every node is the graph", "[ir]") {
    for (const Graph& graph : {adagrad_graph(), with_every_field()}) CHECK(copy_of(graph) == graph);
}

TEST_CASE("every id that a graph holds becomes that of what stands for its node", "[ir]") {
    const Graph graph = with_every_field();
    ir::Rewriter to(graph);
    to.graph().nodes.push_back({.kind = NodeKind::size, .offsets = {3}});  // moves all other nodes
    to.copy_all();
    std::vector<NodeId> moved = ids_of(graph);
    for (NodeId& id : moved)
        if (id != no_node) ++id;
    std::vector<NodeId> found = ids_of(to.graph());
    found.erase(found.begin());  // the mask of the node that was put first
    CHECK(found == moved);
    CHECK(to.finish() == graph);
}

TEST_CASE("fields of a graph that hold ids are each visited", "[ir]") {
    Graph graph;
    graph.nodes = {{.operands = {1, 2}, .mask = 3}};
    graph.updates = {4};
    graph.equal_masks = {{5, 6}};
    graph.results = {7};
    graph.checks = {{.bad = 8, .elements = 9, .value = 10, .text = ""}};
    CHECK(ids_of(graph) == std::vector<NodeId>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("nodes that become equal become one, and what reads them too", "[ir]") {
    GraphBuilder b("merge");
    const NodeId x = tensor(b, "x"), y = tensor(b, "y");
    const NodeId of_x = b.apply<op::Exp>({b.apply<op::Neg>({x})}),
                 of_y = b.apply<op::Exp>({b.apply<op::Neg>({y})});
    const Graph graph = b.expression(std::array{b.apply<op::Add>({of_x, of_y})});
    ir::Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        if (graph[old].symbol != 1) return {};
        return to.copy(0);
    };
    to.copy_all();
    CHECK(to_string(to.finish()) == R"(step merge
  In x: float32
  In y: float32
  %0 = x: float32[4]
  %1 = neg %0: float32[4]
  %2 = exp %1: float32[4]
  %3 = add %2 %2: float32[4]
  result %3
)");
}

TEST_CASE("nodes of which one field differs stay two", "[ir]") {
    Graph graph;
    const Node node{.kind = NodeKind::reduce, .operands = {0}, .attributes = {1}};
    const auto add = [&](auto change) {
        Node other = node;
        change(other);
        graph.nodes.push_back(other);
    };
    graph.nodes = {{.kind = NodeKind::size, .offsets = {1}}, node};
    add([](Node& n) { n.kind = NodeKind::scan; });
    add([](Node& n) { n.op = op_id<op::Sub>; });
    add([](Node& n) { n.dtype = DType::float64; });
    add([](Node& n) { n.is_host_scalar = true; });
    add([](Node& n) { n.operands = {1}; });
    add([](Node& n) { n.mask = 1; });
    add([](Node& n) { n.symbol = 1; });
    add([](Node& n) { n.constant = -0.0; });
    add([](Node& n) { n.integer = 1; });
    add([](Node& n) { n.reduction = Reduction::prod; });
    add([](Node& n) { n.attributes = {0}; });
    add([](Node& n) { n.offsets = {1}; });
    add([](Node& n) { n.shape = {1}; });
    add([](Node& n) { n.path = GradientPath::none; });
    ir::Rewriter to(graph);
    to.copy_all();
    CHECK(to.graph().nodes == graph.nodes);
}

TEST_CASE("nodes that nothing reads are dropped, also those that a rule leaves unread", "[ir]") {
    GraphBuilder b("unread");
    const NodeId x = tensor(b, "x"), y = tensor(b, "y");
    const Graph graph = b.expression(std::array{b.apply<op::Add>({b.apply<op::Exp>({x}), y})});
    ir::Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        if (graph[old].kind != NodeKind::op || graph[old].op != op_id<op::Exp>) return {};
        return to.constant(2);
    };
    to.copy_all();
    CHECK(to_string(to.finish()) == R"(step unread
  In x: float32
  In y: float32
  %0 = y: float32[4]
  %1 = constant 2: weak int64
  %2 = add %1 %0: float32[4]
  result %2
)");
}

TEST_CASE("nodes are copied when they are asked for, and their operands before them", "[ir]") {
    GraphBuilder b("part");
    const NodeId x = tensor(b, "x"), y = tensor(b, "y");
    const NodeId wanted = b.apply<op::Exp>({y});
    const Graph graph = b.expression(std::array{b.apply<op::Neg>({x}), wanted});
    ir::Rewriter to(graph, "asked");
    CHECK(to.copy(graph.results[1]) == 1);
    CHECK(to.copy(graph.results[1]) == 1);
    CHECK(to.copy(no_node) == no_node);
    CHECK(to.graph().name == "asked");
    CHECK(to.graph().nodes.size() == 2);
    CHECK(to[0].symbol == 1);
}

TEST_CASE("a node can stand for one that has not been copied", "[ir]") {
    GraphBuilder b("given");
    const NodeId x = tensor(b, "x");
    const Graph graph = b.expression(std::array{b.apply<op::Exp>({b.apply<op::Neg>({x})})});
    ir::Rewriter to(graph);
    to.replace(1, to.copy(0));
    to.copy_all();
    CHECK(to.finish().nodes.size() == 2);
}

}  // namespace rewrite_test
