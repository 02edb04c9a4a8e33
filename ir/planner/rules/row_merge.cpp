// SPDX-License-Identifier: MIT
#include "row_merge.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../../at.hpp"
#include "stage_merge.hpp"

namespace frisket::planning {

using ir::at;

namespace {

/// True if the stages write one tensor: `first` and `second` are the symbols that they write.
bool share_target(const Stage& a, std::span<const int> first, const Stage& b, std::span<const int> second) {
    return std::ranges::any_of(second, [&](int written) {
        return std::ranges::any_of(first, [&](int target) {
            return is_same_source(b.arguments[at(written)], a.arguments[at(target)]);
        });
    });
}

/// True if each element of the second stage's rows can compute the values that the first one writes.
bool can_merge(const RowStage& first, const RowStage& second) {
    // Rounding at random is by positions, which count the elements of the target.
    const bool is_placed = signature_of(first.stage.graph).needs_positions;
    return first.length == 1 && second.length != 1 && !is_placed &&
           !share_target(first.stage, first.outputs, second.stage, second.outputs);
}

/// Both as one.
RowStage merged(RowPlan& plan, const RowStage& first, const RowStage& second) {
    RowStage made;
    const auto before = [&](const StageArgument& /*target*/) -> StageMerge::Before {
        Shape shape(plan.shape.size(), 1);
        shape[0] = 2;  // in place of the number of rows
        plan.values_by_row.push_back(true);
        plan.nodes_by_row.push_back(true);
        plan.results_by_row.push_back(true);
        return {shape, SymbolKind::masked};
    };
    const auto note_symbol = [&](const Stage* from, std::size_t symbol) {
        if (from == nullptr) {
            made.forms.push_back({.by_row = true, .is_single = true});
            return;
        }
        // With whole rows, a row of one element is a single element.
        const RowStage& stage = from == &first.stage ? first : second;
        const bool is_single = stage.length == 1 && is_tensor(from->graph.symbols[symbol].kind);
        made.forms.push_back({stage.forms[symbol].by_row, is_single || stage.forms[symbol].is_single});
    };
    StageMerge merge(plan.values, first.stage, second.stage, before, note_symbol);
    made.stage = merge.merged(first.outputs);
    Graph& graph = made.stage.graph;
    const NodeId domain = graph[graph.updates.back()].operands[update_operand::where];
    for (const NodeId mask : merge.masks_before()) graph.equal_masks.push_back({domain, mask});
    made.length = second.length;
    made.outputs = signature_of(graph).outputs;
    return made;
}

void merge_rows(RowPlan& plan) {
    std::vector<RowStage> made;
    for (RowStage& stage : plan.steps) {
        if (!made.empty() && can_merge(made.back(), stage))
            made.back() = merged(plan, made.back(), stage);
        else
            made.push_back(std::move(stage));
    }
    plan.steps = std::move(made);
}

/// Passes over the targets of a step, in the order in which they run.
class Passes {
public:
    Passes(const Graph& step, Partition& parts) : step_(step), parts_(parts) {}

    void merge() {
        std::vector<Stage> made;
        for (Stage& pass : parts_.steps) {
            if (!made.empty() && can_merge(made.back(), pass))
                made.back() = merged(std::move(made.back()), pass);
            else
                made.push_back(std::move(pass));
        }
        parts_.steps = std::move(made);
    }

private:
    const Shape& shape_of(const StageArgument& argument) const {
        const Graph& values = parts_.values.graph;
        return argument.is_value ? values[values.results[at(argument.index)]].shape
                                 : step_.symbols[at(argument.index)].shape;
    }
    /// The shape of a pass's targets.
    const Shape& space_of(const Stage& pass) const {
        return shape_of(pass.arguments[at(signature_of(pass.graph).outputs.front())]);
    }
    /// True for the shape of a number for each row: elements of `space` see it by their first index.
    static bool is_by_row(const Shape& shape, const Shape& space) {
        if (shape.empty() || shape[0] != space[0] || element_count(shape) != shape[0]) return false;
        return shape.size() == 1 || shape.size() == space.size();
    }

    bool can_merge(const Stage& first, const Stage& second) const {
        const Signature one = signature_of(first.graph), other = signature_of(second.graph);
        if (one.outputs.empty() || other.outputs.empty() || one.needs_positions) return false;
        const Shape &rows = space_of(first), &space = space_of(second);
        const bool is_longer = space.size() > 1 && element_count(space) > space[0];
        if (!is_longer || !is_by_row(rows, space)) return false;
        if (share_target(first, one.outputs, second, other.outputs)) return false;
        return std::ranges::all_of(first.arguments,
                                   [&](const StageArgument& argument) {
                                       const Shape& shape = shape_of(argument);
                                       return element_count(shape) == 1 || is_by_row(shape, space);
                                   }) &&
               !reads_otherwise(first, one.outputs, second, rows.size() == space.size());
    }
    /// True if the second pass reads a target of the first one, but not the number of its row.
    bool reads_otherwise(const Stage& first, std::span<const int> targets, const Stage& second,
                         bool has_all_dimensions) const {
        return !has_all_dimensions && std::ranges::any_of(second.arguments, [&](const StageArgument& read) {
            return std::ranges::any_of(
                targets, [&](int target) { return is_same_source(read, first.arguments[at(target)]); });
        });
    }

    Stage merged(Stage first, const Stage& second) const {
        const Shape space = space_of(second);
        for (StageArgument& argument : first.arguments)
            if (is_by_row(shape_of(argument), space)) argument.repeated = space;
        const auto before = [&](const StageArgument& target) -> StageMerge::Before {
            return {.shape = step_.symbols[at(target.index)].shape, .repeated = space, .is_beside = true};
        };
        const auto note_symbol = [](const Stage* /*from*/, std::size_t /*symbol*/) {};
        return StageMerge(parts_.values, first, second, before, note_symbol)
            .merged(signature_of(first.graph).outputs);
    }

    const Graph& step_;
    Partition& parts_;
};

}  // namespace

StepPlan with_merged_rows(const Graph& step, StepPlan plan) {
    if (plan.row_blocks) merge_rows(*plan.row_blocks);
    Passes(step, plan.parts).merge();
    for (StepPart& part : plan.steps) part.plan = with_merged_rows(part.stage.graph, std::move(part.plan));
    return plan;
}

}  // namespace frisket::planning
