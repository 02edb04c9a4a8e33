// SPDX-License-Identifier: MIT
#include "rewrite.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "at.hpp"

namespace frisket {

Rewriter::Rewriter(const Graph& from) : from_(from), made_(from) { made_.nodes.clear(); }

NodeId Rewriter::add(Node node) {
    const auto known = std::ranges::find(made_.nodes, node);
    if (known != made_.nodes.end()) return static_cast<NodeId>(known - made_.nodes.begin());
    made_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(made_.nodes.size()) - 1;
}

NodeId Rewriter::add_scalar(std::string_view name, DType dtype, std::string_view who) {
    if (std::ranges::find(from_.symbols, name, &Symbol::name) != from_.symbols.end())
        raise(ErrorCode::binding, from_.name + ": " + std::string(name) + " is the name of a number that " +
                                      std::string(who) + " adds: give yours another");
    Node node{.kind = NodeKind::symbol, .dtype = dtype, .is_host_scalar = true};
    node.symbol = static_cast<int>(made_.symbols.size());
    made_.symbols.push_back({std::string(name), SymbolKind::scalar, dtype, {}});
    return add(std::move(node));
}

void Rewriter::copy(const Rule& rule) {
    for (NodeId old = 0; old < static_cast<NodeId>(from_.nodes.size()); ++old) {
        Node node = from_[old];
        for_each_id(node, [this](NodeId& id) { id = now(id); });
        now_.push_back(rule(*this, old, std::move(node)));
    }
}

Graph& Rewriter::finish() {
    for_each_root(made_, [this](NodeId& id) { id = now(id); });
    return made_;
}

void prune(Graph& graph) {
    std::vector<bool> used(graph.nodes.size());
    const auto mark = [&](NodeId id) {
        if (id != no_node) used[at(id)] = true;
    };
    for_each_root(std::as_const(graph), mark);
    // Operands stand before what reads them.
    for (std::size_t i = graph.nodes.size(); i-- > 0;)
        if (used[i]) for_each_id(std::as_const(graph.nodes[i]), mark);
    std::vector<NodeId> now(graph.nodes.size(), no_node);
    const auto renumber = [&](NodeId& id) { id = id == no_node ? no_node : now[at(id)]; };
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!used[i]) continue;
        now[i] = static_cast<NodeId>(nodes.size());
        for_each_id(nodes.emplace_back(std::move(graph.nodes[i])), renumber);
    }
    graph.nodes = std::move(nodes);
    for_each_root(graph, renumber);
}

std::vector<int> prune_symbols(Graph& graph) {
    std::vector<int> now(graph.symbols.size(), -1);
    for (const Node& node : graph.nodes)
        if (node.symbol >= 0) now[at(node.symbol)] = 0;
    std::vector<Symbol> symbols;
    std::vector<int> before;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] < 0) continue;
        now[i] = static_cast<int>(symbols.size());
        symbols.push_back(graph.symbols[i]);
        before.push_back(static_cast<int>(i));
    }
    graph.symbols = std::move(symbols);
    for (Node& node : graph.nodes)
        if (node.symbol >= 0) node.symbol = now[at(node.symbol)];
    return before;
}

}  // namespace frisket
