// SPDX-License-Identifier: MIT
#include "stage_merge.hpp"

#include <algorithm>

#include "../../at.hpp"

namespace frisket::planning {

using ir::at;

bool is_same_source(const StageArgument& a, const StageArgument& b) {
    return a.is_value == b.is_value && a.index == b.index;
}

Stage StageMerge::merged(std::span<const int> targets) {
    made_.graph.name = second_.graph.name;
    const Numbers of_second = add_symbols(second_, {}), of_first = add_symbols(first_, targets);
    for (const int target : targets)
        add_before(first_.graph.symbols[at(target)], first_.arguments[at(target)], of_first[at(target)]);
    add_first(of_first);
    add_second(of_second);
    return std::move(made_);
}

/// Adds the symbols of a stage that are not there yet; returns the number that each has now.
StageMerge::Numbers StageMerge::add_symbols(const Stage& stage, std::span<const int> written) {
    Numbers numbers;
    for (std::size_t i = 0; i < stage.arguments.size(); ++i) {
        const StageArgument& argument = stage.arguments[i];
        const Symbol& symbol = stage.graph.symbols[i];
        const bool is_written = std::ranges::find(written, static_cast<int>(i)) != written.end();
        const auto known = std::ranges::find_if(made_.arguments, [&](const StageArgument& one) {
            return is_same_source(one, argument) && (is_written || one.repeated == argument.repeated);
        });
        numbers.push_back(static_cast<int>(known - made_.arguments.begin()));
        if (known == made_.arguments.end()) {
            made_.graph.symbols.push_back(symbol);
            made_.arguments.push_back(argument);
            note_symbol_(&stage, i);
        } else if (is_written) {
            made_.graph.symbols[at(numbers.back())].kind = symbol.kind;
            known->repeated = argument.repeated;
        }
        Symbol& made = made_.graph.symbols[at(numbers.back())];
        made.is_repeated = made.is_repeated || !argument.repeated.empty();
    }
    return numbers;
}

NodeId StageMerge::add(Node node) {
    made_.graph.nodes.push_back(std::move(node));
    return static_cast<NodeId>(made_.graph.nodes.size()) - 1;
}

/// Has the values bring the elements of a target, for the reads of the first stage.
void StageMerge::add_before(const Symbol& target, const StageArgument& source, int number) {
    Before how = to_before_(source);
    Graph& values = values_.graph;
    values.symbols.push_back(
        {.name = "before " + target.name, .kind = SymbolKind::in, .dtype = target.dtype, .shape = how.shape});
    Node read{.kind = NodeKind::symbol, .dtype = compute_dtype(target.dtype)};
    read.symbol = static_cast<int>(values.symbols.size()) - 1;
    read.shape = std::move(how.shape);
    values.nodes.push_back(read);
    const auto id = static_cast<NodeId>(values.nodes.size()) - 1;
    values.results.push_back(how.is_beside ? beside_others(id) : id);
    values_.arguments.push_back({.index = source.index});

    before_.push_back({number, static_cast<int>(made_.graph.symbols.size())});
    made_.graph.symbols.push_back({.name = "before " + target.name,
                                   .kind = how.kind,
                                   .dtype = read.dtype,
                                   .is_repeated = !how.repeated.empty()});
    made_.arguments.push_back({.is_value = true,
                               .index = static_cast<int>(values.results.size()) - 1,
                               .repeated = std::move(how.repeated)});
    note_symbol_(nullptr, 0);
}

/// A result of the values where another one of its shape is: loops learn that both have the same extents in
/// every call, and make them together.
NodeId StageMerge::beside_others(NodeId read) {
    Graph& values = values_.graph;
    const auto other = std::ranges::find_if(
        values.results, [&](NodeId result) { return values[result].shape == values[read].shape; });
    if (other == values.results.end()) return read;
    const NodeId mask = values[*other].mask;
    Node beside{.kind = NodeKind::on,
                .dtype = values[read].dtype,
                .operands = {read, mask != no_node ? mask : *other},
                .shape = values[read].shape};
    values.nodes.push_back(std::move(beside));
    return static_cast<NodeId>(values.nodes.size()) - 1;
}

/// The nodes of the first stage, which reads the former values of its targets.
void StageMerge::add_first(const Numbers& numbers) {
    std::vector<NodeId> in_place(first_.graph.nodes.size(), no_node);
    copy_nodes(
        first_.graph, numbers,
        [&](const Node& node, std::size_t id) -> NodeId {
            const auto from = std::ranges::find(before_, node.symbol, &std::pair<int, int>::first);
            if (node.kind != NodeKind::symbol || from == before_.end()) return no_node;
            in_place[id] = add(node);
            Node read = node;
            read.symbol = from->second;
            if (made_.graph.symbols[at(read.symbol)].kind == SymbolKind::masked) {
                Node mask{.kind = NodeKind::mask_of, .dtype = DType::boolean};
                mask.symbol = from->second;
                masks_before_.push_back(add(mask));
                read.mask = masks_before_.back();
            }
            return add(read);
        },
        in_place);
    for (const NodeId update : made_.graph.updates)
        if (!made_.graph[update].is_host_scalar) last_.push_back({made_.graph[update].symbol, update});
}

/// The nodes of the second stage, to which the first one's targets have their new values.  Host scalars that
/// both stages update equally: once.
void StageMerge::add_second(const Numbers& numbers) {
    std::vector<NodeId> updates_of_host;
    for (NodeId id = 0; id < static_cast<NodeId>(made_.graph.nodes.size()); ++id)
        if (made_.graph[id].kind == NodeKind::updated && made_.graph[id].is_host_scalar)
            updates_of_host.push_back(id);
    auto next = updates_of_host.begin();
    const std::vector<NodeId> none(second_.graph.nodes.size(), no_node);
    copy_nodes(
        second_.graph, numbers,
        [&](const Node& node, std::size_t) -> NodeId {
            if (node.is_host_scalar) return node.kind == NodeKind::updated ? *next++ : no_node;
            const auto made =
                std::ranges::find(last_.rbegin(), last_.rend(), node.symbol, &std::pair<int, NodeId>::first);
            return node.kind == NodeKind::symbol && made != last_.rend() ? made->second : no_node;
        },
        none);
}

/// Copies the nodes of a graph; `replaced` returns a node's replacement, if any, by its new symbol.
/// `in_place`: for reads of targets, the value that an update has as the value before it.
void StageMerge::copy_nodes(const Graph& from, const Numbers& numbers, const auto& replaced,
                            const std::vector<NodeId>& in_place) {
    std::vector<NodeId> now;
    for (std::size_t id = 0; id < from.nodes.size(); ++id) {
        Node node = from.nodes[id];
        if (node.symbol >= 0) node.symbol = numbers[at(node.symbol)];
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
            const NodeId old = node.operands[i];
            if (old == no_node) continue;
            const bool is_before = node.kind == NodeKind::updated && i == update_operand::before;
            const NodeId kept = is_before ? in_place[at(old)] : no_node;
            node.operands[i] = kept != no_node ? kept : now[at(old)];
        }
        if (node.mask != no_node) node.mask = now[at(node.mask)];
        const NodeId other = replaced(node, id);
        now.push_back(other != no_node ? other : add(std::move(node)));
    }
    Graph& graph = made_.graph;
    for (const NodeId update : from.updates)
        if (std::ranges::find(graph.updates, now[at(update)]) == graph.updates.end())
            graph.updates.push_back(now[at(update)]);
    for (const auto& [a, b] : from.equal_masks) graph.equal_masks.push_back({now[at(a)], now[at(b)]});
}

}  // namespace frisket::planning
