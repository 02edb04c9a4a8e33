// SPDX-License-Identifier: MIT
#include "row_blocks.hpp"

#include <algorithm>

#include "../../at.hpp"
#include "../../rewrite.hpp"
#include "../iteration_space.hpp"

namespace frisket::planning {

using ir::at;

namespace {

/// Rows as the Masked symbols of a graph list them; nothing if these have different shapes.
std::optional<IterationSpace> listing_of(const Graph& graph) {
    IterationSpace listing;
    listing.by_rows = true;
    for (const Symbol& symbol : graph.symbols) {
        listing.has_mask.push_back(symbol.kind == SymbolKind::masked);
        if (symbol.kind != SymbolKind::masked) continue;
        if (!listing.shape.empty() && symbol.shape != listing.shape) return {};
        listing.shape = symbol.shape;
    }
    // A list of one row cannot be told from a row that is repeated.
    if (listing.shape.empty() || listing.shape[0] <= 1 || element_count(listing.shape) == 0) return {};
    return listing;
}

/// True if every update stays in listed rows.
bool stays_in_rows(const Graph& step, const IterationSpaceAnalysis& nodes, const IterationSpace& listing) {
    return step.checks.empty() && std::ranges::all_of(step.nodes, [&](const Node& node) {
               if (!node.is_tensor_update()) return true;
               const NodeId where = node.operands[update_operand::where];
               const bool has_rows =
                   node.shape.size() == listing.shape.size() && node.shape[0] == listing.shape[0];
               return has_rows && nodes.is_computable(node.operands[update_operand::value]) &&
                      where != no_node && nodes.is_computable(where) && nodes.equals_mask(where);
           });
}

/// The step with the mask of a Masked symbol in place of those that are its rows'.
Graph with_one_mask(const Graph& step, const IterationSpaceAnalysis& nodes, int symbol) {
    ir::Rewriter to(step);
    const NodeId one = to.add({.kind = NodeKind::mask_of,
                               .dtype = DType::boolean,
                               .symbol = symbol,
                               .shape = step.symbols[at(symbol)].shape});
    const auto replaced = [&](NodeId mask) {
        return mask != no_node && nodes.is_computable(mask) && nodes.equals_mask(mask) ? one : to.copy(mask);
    };
    to.rule = [&](NodeId old) {
        Node node = to.copied(old);
        node.mask = replaced(step[old].mask);
        if (node.kind == NodeKind::updated)
            node.operands[update_operand::where] = replaced(step[old].operands[update_operand::where]);
        return to.add(std::move(node));
    };
    to.copy_all();
    return to.finish();
}

/// Form in which a tensor of this shape is read with rows of `target`, if it is.
std::optional<RowForm> form_of(const Shape& shape, const Shape& target) {
    const std::span own(shape);
    const bool by_row = shape.size() == target.size() && shape[0] == target[0];
    if (!by_row && shape.size() == target.size() && shape[0] != 1) return {};
    const std::span inner = shape.size() == target.size() ? own.subspan(1) : own;
    if (std::ranges::equal(inner, std::span(target).subspan(1))) return RowForm{.by_row = by_row};
    if (element_count(inner) == 1) return RowForm{.by_row = by_row, .is_single = true};
    return {};
}

/// A step over listed rows from one of the parts, whose symbols have shapes no more.
std::optional<RowStage> row_stage(const Graph& step, const RowPlan& plan, Stage stage) {
    RowStage made;
    const Graph& values = plan.values.graph;
    const auto shape_of = [&](const StageArgument& argument) {
        return argument.is_value ? values[values.results[at(argument.index)]].shape
                                 : step.symbols[at(argument.index)].shape;
    };
    Shape target;
    NodeId domain = no_node;
    for (const Node& node : stage.graph.nodes) {
        if (!node.is_tensor_update()) continue;
        target = shape_of(stage.arguments[at(node.symbol)]);
        domain = node.operands[update_operand::where];
    }
    if (target.empty()) return {};
    const auto mask_of = [&](int symbol) {
        stage.graph.nodes.push_back({.kind = NodeKind::mask_of, .dtype = DType::boolean, .symbol = symbol});
        return static_cast<NodeId>(stage.graph.nodes.size()) - 1;
    };
    for (std::size_t i = 0; i < stage.graph.symbols.size(); ++i) {
        Symbol& symbol = stage.graph.symbols[i];
        const StageArgument& argument = stage.arguments[i];
        made.forms.emplace_back();
        if (!is_tensor(symbol.kind)) continue;
        Shape shape = shape_of(argument);
        const bool listed = argument.is_value && plan.results_by_row[at(argument.index)];
        if (listed) shape[0] = target[0];
        std::optional<RowForm> form = form_of(shape, target);
        if (!form && symbol.kind == SymbolKind::masked)  // only its mask is read
            form = RowForm{.by_row = true, .is_single = true};
        if (!form) return {};
        made.forms.back() = *form;
        if (listed) symbol.kind = SymbolKind::masked;
        if (symbol.kind == SymbolKind::masked)
            stage.graph.equal_masks.push_back({domain, mask_of(static_cast<int>(i))});
    }
    made.length = element_count(target) / target[0];
    made.outputs = signature_of(stage.graph).outputs;
    made.stage = std::move(stage);
    return made;
}

/// Gives the plan the values that are computed first, if they can be computed from listed rows.
bool plan_values(RowPlan& plan, Stage values) {
    IterationSpace listing{.shape = plan.shape, .by_rows = true};
    for (const Symbol& symbol : values.graph.symbols)
        listing.has_mask.push_back(symbol.kind == SymbolKind::masked);
    const IterationSpaceAnalysis nodes(values.graph, listing);
    Graph made = values.graph;
    plan.values_by_row.assign(made.symbols.size(), false);
    for (NodeId id = 0; id < static_cast<NodeId>(made.nodes.size()); ++id) {
        if (!nodes.is_computable(id)) return false;
        plan.mixes_coordinates = plan.mixes_coordinates || nodes.mixes_coordinates(id);
        plan.nodes_by_row.push_back(nodes.is_listed(id));
        if (!nodes.is_listed(id)) continue;
        Node& node = made.nodes[at(id)];
        node.shape[0] = 2;
        if (node.symbol >= 0) plan.values_by_row[at(node.symbol)] = true;
    }
    for (const NodeId id : made.results) plan.results_by_row.push_back(nodes.is_listed(id));
    for (std::size_t i = 0; i < made.symbols.size(); ++i)
        if (plan.values_by_row[i]) made.symbols[i].shape[0] = 2;
    plan.values = {std::move(made), std::move(values.arguments)};
    return true;
}

}  // namespace

std::optional<RowPlan> plan_rows(const Graph& step) {
    const std::optional<IterationSpace> listing = listing_of(step);
    if (!listing) return {};
    const IterationSpaceAnalysis nodes(step, *listing);
    if (!stays_in_rows(step, nodes, *listing)) return {};
    RowPlan plan;
    plan.shape = listing->shape;
    for (std::size_t i = 0; i < step.symbols.size(); ++i)
        if (listing->has_mask[i]) plan.masked.push_back(static_cast<int>(i));
    Partition parts = partition(with_one_mask(step, nodes, plan.masked.front()));
    if (std::ranges::any_of(parts.skips, &Stage::reads_values)) return {};
    if (!plan_values(plan, std::move(parts.values))) return {};
    for (Stage& stage : parts.steps) {
        std::optional<RowStage> made = row_stage(step, plan, std::move(stage));
        if (!made) return {};
        plan.steps.push_back(std::move(*made));
    }
    return plan;
}

}  // namespace frisket::planning
