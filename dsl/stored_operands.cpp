// SPDX-License-Identifier: MIT
#include "stored_operands.hpp"

#include "../runtime/layouts/layout.hpp"
#include "../runtime/layouts/row.hpp"
#include "../runtime/layouts/stored.hpp"
#include "arrays.hpp"
#include "stored_call.hpp"
#include "stored_moves.hpp"

#include <algorithm>
#include <utility>

namespace frisket {

namespace {

AnyTensor in_line(const AnyTensor& values) {
    return (values.is_contiguous() ? values : values.clone()).reshape({values.size()});
}

}  // namespace

StoredOperands::StoredOperands(const Graph& graph, std::span<const Argument> arguments,
                               const Listing& listing)
    : graph_(graph),
      arguments_(arguments),
      nodes_(graph, listing),
      places_(Places::together(listing, arguments)) {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        const auto reads = [&](NodeId operand) { return operand != no_node && !reads_no_list(operand); };
        reads_list_.push_back(is_list(id) || reads(node.mask) || std::ranges::any_of(node.operands, reads));
    }
}

bool StoredOperands::is_list(NodeId id) const {
    const Node& node = graph_[id];
    if (node.symbol < 0 || node.weak) return false;
    const Argument& argument = arguments_[static_cast<std::size_t>(node.symbol)];
    return argument.kind() == Argument::Kind::masked && is_listed_layout(argument.masked().layout());
}

void StoredOperands::prepare(std::span<const NodeId> ids, const RunGraph& run) {
    Graph wanted = graph_;
    wanted.results.clear();
    wanted.checks.clear();
    for (const NodeId id : ids)
        if (!read_given(id)) wanted.results.push_back(id);
    if (wanted.results.empty()) return;
    const std::vector<NodeId> made = wanted.results;
    const StoredCall call = stored_call(std::move(wanted), nodes_, places_, arguments_);
    const std::vector<Result> found = run(call.graph, call.arguments);
    for (std::size_t i = 0; i < made.size(); ++i) at_places_[made[i]] = in_line(found[i].values);
}

/// What an argument has, or its mask, needs no loops.
bool StoredOperands::read_given(NodeId id) {
    const Node& node = graph_[id];
    const bool is_given = node.kind == NodeKind::mask_of || node.kind == NodeKind::symbol;
    if (at_places_.contains(id)) return true;
    if (!is_given || (node.kind == NodeKind::symbol &&
                      graph_.symbols[static_cast<std::size_t>(node.symbol)].dtype != node.dtype))
        return false;
    const auto symbol = static_cast<std::size_t>(node.symbol);
    const AnyMasked given = places_.values_of(symbol, arguments_[symbol], {places_.count()});
    if (node.kind == NodeKind::symbol)
        at_places_[id] = given.values();
    else
        at_places_[id] = given.mask_tensor();
    return true;
}

ListedValues StoredOperands::listed(NodeId id) const {
    const Node& node = graph_[id];
    if (!is_list(id)) {
        const ListedValues made{.list = places_.list(), .values = values(id)};
        return node.mask == no_node ? true_of(made) : made;
    }
    const AnyMasked coo = as_list(arguments_[static_cast<std::size_t>(node.symbol)].masked());
    if (node.kind == NodeKind::symbol)
        return {.list = coo.index(), .values = arrays::convert(coo.values(), node.dtype)};
    constexpr bool specified = true;
    return {.list = coo.index(), .values = filled_with(DType::boolean, coo.values().shape(), &specified)};
}

AnyTensor StoredOperands::dense(NodeId id, const RunGraph& run) const {
    const Node& node = graph_[id];
    if (node.kind == NodeKind::symbol && !node.weak)
        return arguments_[static_cast<std::size_t>(node.symbol)].as_masked().values();
    Graph wanted = graph_;
    wanted.results = {id};
    wanted.checks.clear();
    wanted.equal_masks.clear();
    prune(wanted);
    std::vector<Argument> arguments;
    for (const int before : prune_symbols(wanted))
        arguments.push_back(arguments_[static_cast<std::size_t>(before)]);
    return run(wanted, arguments)[0].values;
}

}  // namespace frisket
