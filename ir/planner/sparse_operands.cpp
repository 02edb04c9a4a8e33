// SPDX-License-Identifier: MIT
#include "sparse_operands.hpp"

#include "../../runtime/layouts/layout.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/layouts/stored.hpp"
#include "../interpreter/tensor_kernels.hpp"
#include "../rewrite.hpp"
#include "permutation.hpp"
#include "sparse_call.hpp"
#include "stage_text.hpp"

#include <algorithm>
#include <utility>

namespace frisket {

namespace {

AnyTensor in_line(const AnyTensor& values) {
    return (values.is_contiguous() ? values : values.clone()).reshape({values.size()});
}

}  // namespace

SparseOperands::SparseOperands(const Graph& graph, std::span<const Argument> arguments,
                               const IterationSpace& space)
    : graph_(graph),
      arguments_(arguments),
      nodes_(graph, space),
      places_(CoordinateSet::union_of(space, arguments)) {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
        const Node& node = graph[id];
        const auto reads = [&](NodeId operand) { return operand != no_node && !reads_no_list(operand); };
        reads_list_.push_back(is_list(id) || reads(node.mask) || std::ranges::any_of(node.operands, reads));
    }
}

bool SparseOperands::is_list(NodeId id) const {
    const Node& node = graph_[id];
    if (node.symbol < 0 || node.is_host_scalar) return false;
    const Argument& argument = arguments_[static_cast<std::size_t>(node.symbol)];
    return argument.kind() == Argument::Kind::masked && is_listed_layout(argument.masked().layout());
}

void SparseOperands::prepare(std::span<const NodeId> ids, const Executor& executor) {
    Graph wanted = graph_;
    wanted.results.clear();
    wanted.checks.clear();
    for (const NodeId id : ids)
        if (!read_given(id)) wanted.results.push_back(id);
    if (wanted.results.empty()) return;
    const std::vector<NodeId> made = wanted.results;
    const SparseCall call = sparse_call(std::move(wanted), nodes_, places_, arguments_);
    const auto within = [&] {
        return Executor::Within{{.rule = Rule::union_of,
                                 .space = places_text(places_),
                                 .reads = reads_at(graph_, nodes_, places_, Rule::union_of),
                                 .why = "list kernels read it at the positions alone"}};
    };
    const std::vector<Result> found = executor.within(within).run(call.graph, call.arguments);
    for (std::size_t i = 0; i < made.size(); ++i) at_places_[made[i]] = in_line(found[i].values);
}

/// What an argument has, or its mask, needs no loops.
bool SparseOperands::read_given(NodeId id) {
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

SparseVector SparseOperands::listed(NodeId id) const {
    const Node& node = graph_[id];
    if (!is_list(id)) {
        const SparseVector made{.list = places_.list(), .values = values(id)};
        return node.mask == no_node ? true_of(made) : made;
    }
    const AnyMasked coo = as_list(arguments_[static_cast<std::size_t>(node.symbol)].masked());
    if (node.kind == NodeKind::symbol)
        return {.list = coo.index(), .values = tensor_kernels::convert(coo.values(), node.dtype)};
    constexpr bool specified = true;
    return {.list = coo.index(), .values = filled_with(DType::boolean, coo.values().shape(), &specified)};
}

AnyTensor SparseOperands::dense(NodeId id, const Executor& executor) const {
    const Node& node = graph_[id];
    if (node.kind == NodeKind::symbol && !node.is_host_scalar)
        return arguments_[static_cast<std::size_t>(node.symbol)].as_masked().values();
    Graph wanted = graph_;
    wanted.results = {id};
    wanted.checks.clear();
    wanted.equal_masks.clear();
    prune(wanted);
    std::vector<Argument> arguments;
    for (const int before : prune_symbols(wanted))
        arguments.push_back(arguments_[static_cast<std::size_t>(before)]);
    const auto within = [&] {
        return Executor::Within{{.rule = Rule::dense_operand,
                                 .space = "all elements of " + to_string(node.shape),
                                 .why = "a list kernel reads it as a dense factor"}};
    };
    return executor.within(within).run(wanted, arguments)[0].values;
}

}  // namespace frisket
