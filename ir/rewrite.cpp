// SPDX-License-Identifier: MIT
#include "rewrite.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "at.hpp"

namespace frisket::ir {

Rewriter::Rewriter(const Graph& from, std::string name)
    : GraphBuilder(std::move(name)), from_(from), now_(from.nodes.size(), not_copied) {}

Rewriter::Rewriter(const Graph& from) : Rewriter(from, from.name) {
    graph_.nodes.reserve(from.nodes.size());
    graph_.symbols = from.symbols;
    graph_.updates = from.updates;
    graph_.equal_masks = from.equal_masks;
    graph_.results = from.results;
    graph_.checks = from.checks;
    graph_.skips = from.skips;
    graph_.shaped = from.shaped;
}

NodeId Rewriter::add_scalar(std::string_view name, DType dtype, std::string_view who) {
    if (std::ranges::find(from_.symbols, name, &Symbol::name) != from_.symbols.end())
        raise(ErrorCode::binding, from_.name + ": " + std::string(name) + " is the name of a number that " +
                                      std::string(who) + " adds: give yours another");
    Node node{.kind = NodeKind::symbol, .dtype = dtype, .is_host_scalar = true};
    node.symbol = static_cast<int>(graph_.symbols.size());
    graph_.symbols.push_back({std::string(name), SymbolKind::scalar, dtype, {}});
    return add(std::move(node));
}

NodeId Rewriter::copy(NodeId old) {
    if (old == no_node) return no_node;
    if (now_[at(old)] == not_copied) copy_below(old);
    return now_[at(old)];
}

void Rewriter::copy_below(NodeId last) {
    const std::size_t before = open_.size();
    open_.push_back(last);
    const auto place = [](NodeId id) { return id < 0 ? -1 - id : id; };
    while (open_.size() > before) {
        const NodeId top = open_.back(), old = place(top);
        NodeId& now = now_[at(old)];
        if (now != not_copied) {
            open_.pop_back();
        } else if (top != old) {
            now = add(copied(old));
        } else if (const std::optional<NodeId> other = rule ? rule(old) : std::nullopt) {
            now = *other;
        } else {
            open_.back() = -1 - old;
            const std::size_t first = open_.size();
            for_each_id(std::as_const(from_[old]), [&](NodeId id) {
                if (id != no_node && now_[at(id)] == not_copied) open_.push_back(id);
            });
            std::reverse(open_.begin() + static_cast<std::ptrdiff_t>(first), open_.end());
        }
    }
}

Node Rewriter::copied(NodeId old) {
    Node node = from_[old];
    for_each_id(node, [this](NodeId& id) { id = copy(id); });
    return node;
}

void Rewriter::copy_all() {
    // In their order, so that no copy waits for another.
    for (NodeId old = 0; old < static_cast<NodeId>(from_.nodes.size()); ++old) copy(old);
    for_each_root(graph_, [this](NodeId& id) { id = copy(id); });
}

Graph Rewriter::finish() {
    prune(graph_);
    return std::move(graph_);
}

void prune(Graph& graph) {
    std::vector<std::uint8_t> used(graph.nodes.size());  // bytes are read faster than bits
    const auto mark = [&](NodeId id) {
        if (id != no_node) used[at(id)] = 1;
    };
    for_each_root(std::as_const(graph), mark);
    // Operands precede their readers.
    for (std::size_t i = graph.nodes.size(); i-- > 0;)
        if (used[i]) for_each_id(std::as_const(graph.nodes[i]), mark);
    if (std::ranges::find(used, 0) == used.end()) return;
    std::vector<NodeId> now(graph.nodes.size(), no_node);
    const auto renumber = [&](NodeId& id) { id = id == no_node ? no_node : now[at(id)]; };
    std::size_t count = 0;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (!used[i]) continue;
        now[i] = static_cast<NodeId>(count);
        Node& node = graph.nodes[count++];
        if (now[i] != static_cast<NodeId>(i)) node = std::move(graph.nodes[i]);
        for_each_id(node, renumber);
    }
    graph.nodes.resize(count);
    for_each_root(graph, renumber);
}

void take_nodes(Graph& part, const Graph& from) {
    std::vector<std::uint8_t> used(from.nodes.size());
    std::size_t count = 0;
    const auto mark = [&](NodeId id) {
        if (id == no_node || used[at(id)] != 0) return;
        used[at(id)] = 1;
        ++count;
    };
    for_each_root(std::as_const(part), mark);
    for (std::size_t i = from.nodes.size(); i-- > 0;)
        if (used[i] != 0) for_each_id(from.nodes[i], mark);
    std::vector<NodeId> now(from.nodes.size(), no_node);
    const auto renumber = [&](NodeId& id) { id = id == no_node ? no_node : now[at(id)]; };
    part.nodes.reserve(count);
    for (std::size_t i = 0; i < from.nodes.size(); ++i) {
        if (used[i] == 0) continue;
        now[i] = static_cast<NodeId>(part.nodes.size());
        for_each_id(part.nodes.emplace_back(from.nodes[i]), renumber);
    }
    for_each_root(part, renumber);
}

Graph part_of(const Graph& graph, std::vector<NodeId> results) {
    Graph part;
    part.name = graph.name;
    part.symbols = graph.symbols;
    part.results = std::move(results);
    part.shaped = graph.shaped;
    take_nodes(part, graph);
    return part;
}

void prune_zeros(Graph& graph) {
    const auto is_zero = [](const Node& node) {
        const bool is_dense = node.mask == no_node && !node.is_host_scalar;
        return node.kind == NodeKind::op && node.op == op_id<op::Zero> && is_dense;
    };
    if (std::ranges::none_of(graph.nodes, is_zero)) return;
    Rewriter to(graph);
    to.rule = [&](NodeId old) -> std::optional<NodeId> {
        const Node& node = graph[old];
        if (!is_zero(node)) return {};
        return to.add({.kind = NodeKind::cast,
                       .dtype = node.dtype,
                       .operands = {to.constant(0.0)},
                       .shape = node.shape});
    };
    to.copy_all();
    graph = to.finish();
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

}  // namespace frisket::ir
