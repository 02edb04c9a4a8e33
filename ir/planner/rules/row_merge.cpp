// SPDX-License-Identifier: MIT
#include "row_merge.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "../../at.hpp"

namespace frisket::plan {

using ir::at;

namespace {

bool writes(const RowPhase& phase, int symbol) {
    return std::ranges::find(phase.outputs, symbol) != phase.outputs.end();
}

/// True if both phases refer to one tensor.
bool is_same(const PhaseArgument& a, const PhaseArgument& b) {
    return a.is_value == b.is_value && a.index == b.index;
}

/// True if each element of the second phase's rows can compute what the first one writes.
bool can_merge(const RowPhase& first, const RowPhase& second) {
    const Signature signature = signature_of(first.phase.graph);
    // Rounding at random is by positions, which count the elements of what is written.
    if (first.length != 1 || second.length == 1 || signature.needs_positions) return false;
    return std::ranges::none_of(second.outputs, [&](int written) {
        return std::ranges::any_of(first.outputs, [&](int target) {
            return is_same(second.phase.arguments[at(written)], first.phase.arguments[at(target)]);
        });
    });
}

/// Two phases on their way to one.
class Merging {
public:
    Merging(RowPlan& plan, const RowPhase& first, const RowPhase& second)
        : plan_(plan), first_(first), second_(second) {}

    RowPhase made() {
        graph_.name = second_.phase.graph.name;
        const std::vector<int> symbols = add_symbols(second_);
        const std::vector<int> others = add_symbols(first_);
        for (const int target : first_.outputs) add_before(target, others[at(target)]);
        add_first(others);
        add_second(symbols);
        const NodeId domain = graph_[graph_.updates.back()].operands[update_operand::where];
        for (const NodeId mask : masks_before_) graph_.equal_masks.push_back({domain, mask});
        made_.length = second_.length;
        made_.outputs = signature_of(graph_).outputs;
        made_.phase.graph = std::move(graph_);
        return std::move(made_);
    }

private:
    /// Adds the symbols of a phase that are not there yet; gives the number that each has now.
    std::vector<int> add_symbols(const RowPhase& phase) {
        std::vector<int> numbers;
        for (std::size_t i = 0; i < phase.forms.size(); ++i) {
            const PhaseArgument& argument = phase.phase.arguments[i];
            const Symbol& symbol = phase.phase.graph.symbols[i];
            const auto known = std::ranges::find_if(
                made_.phase.arguments, [&](const PhaseArgument& one) { return is_same(one, argument); });
            numbers.push_back(static_cast<int>(known - made_.phase.arguments.begin()));
            if (known != made_.phase.arguments.end()) {
                if (writes(phase, static_cast<int>(i))) graph_.symbols[at(numbers.back())].kind = symbol.kind;
                continue;
            }
            // Beside whole rows what was a row of one element is one.
            const bool is_single = phase.length == 1 && is_tensor(symbol.kind);
            add_symbol(symbol, argument, {phase.forms[i].by_row, is_single || phase.forms[i].is_single});
        }
        return numbers;
    }

    void add_symbol(const Symbol& symbol, const PhaseArgument& argument, const RowForm& form) {
        graph_.symbols.push_back(symbol);
        made_.phase.arguments.push_back(argument);
        made_.forms.push_back(form);
    }

    NodeId add(Node node) {
        graph_.nodes.push_back(std::move(node));
        return static_cast<NodeId>(graph_.nodes.size()) - 1;
    }

    /// Has the values bring what is in the listed rows of a target, for the reads of the first phase.
    void add_before(int target, int number) {
        const Symbol& symbol = first_.phase.graph.symbols[at(target)];
        Graph& values = plan_.values.graph;
        Shape shape(plan_.shape.size(), 1);
        shape[0] = 2;  // in place of the number of rows
        values.symbols.push_back(
            {.name = "before " + symbol.name, .kind = SymbolKind::in, .dtype = symbol.dtype, .shape = shape});
        Node read{.kind = NodeKind::symbol, .dtype = compute_dtype(symbol.dtype)};
        read.symbol = static_cast<int>(values.symbols.size()) - 1;
        read.shape = shape;
        values.nodes.push_back(read);
        values.results.push_back(static_cast<NodeId>(values.nodes.size()) - 1);
        plan_.values.arguments.push_back({false, first_.phase.arguments[at(target)].index});
        plan_.values_by_row.push_back(true);
        plan_.nodes_by_row.push_back(true);
        plan_.results_by_row.push_back(true);

        before_.push_back({number, static_cast<int>(graph_.symbols.size())});
        add_symbol({.name = "before " + symbol.name, .kind = SymbolKind::masked, .dtype = read.dtype},
                   {true, static_cast<int>(values.results.size()) - 1}, {.by_row = true, .is_single = true});
    }

    /// The nodes of the first phase, which reads the listed values of its targets from before.
    void add_first(const std::vector<int>& numbers) {
        std::vector<NodeId> in_place(first_.phase.graph.nodes.size(), no_node);
        copy_nodes(
            first_.phase.graph, numbers,
            [&](const Node& node, std::size_t id) -> NodeId {
                const auto from = std::ranges::find(before_, node.symbol, &std::pair<int, int>::first);
                if (node.kind != NodeKind::symbol || from == before_.end()) return no_node;
                in_place[id] = add(node);
                Node mask{.kind = NodeKind::mask_of, .dtype = DType::boolean};
                mask.symbol = from->second;
                masks_before_.push_back(add(mask));
                Node read = node;
                read.symbol = from->second;
                read.mask = masks_before_.back();
                return add(read);
            },
            in_place);
        for (const NodeId update : graph_.updates) last_.push_back({graph_[update].symbol, update});
    }

    /// The nodes of the second phase, to which the first one's targets have their new values.
    void add_second(const std::vector<int>& numbers) {
        const std::vector<NodeId> none(second_.phase.graph.nodes.size(), no_node);
        copy_nodes(
            second_.phase.graph, numbers,
            [&](const Node& node, std::size_t) -> NodeId {
                const auto made = std::ranges::find(last_.rbegin(), last_.rend(), node.symbol,
                                                    &std::pair<int, NodeId>::first);
                return node.kind == NodeKind::symbol && made != last_.rend() ? made->second : no_node;
            },
            none);
    }

    /// Copies the nodes of a graph; `replaced` gives what stands for one, if anything, by its new symbol.
    /// `in_place`: for reads of targets what an update has as the value before it.
    template <class Replaced>
    void copy_nodes(const Graph& from, const std::vector<int>& numbers, const Replaced& replaced,
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
        for (const NodeId update : from.updates) graph_.updates.push_back(now[at(update)]);
        for (const auto& [a, b] : from.equal_masks) graph_.equal_masks.push_back({now[at(a)], now[at(b)]});
    }

    RowPlan& plan_;
    const RowPhase &first_, &second_;
    RowPhase made_;
    Graph graph_;
    std::vector<std::pair<int, int>>
        before_;                        // targets of the first phase, and the symbols of their values before
    std::vector<NodeId> masks_before_;  // masks of these
    std::vector<std::pair<int, NodeId>> last_;  // targets, and their new values
};

void merge_rows(RowPlan& plan) {
    std::vector<RowPhase> made;
    for (RowPhase& phase : plan.steps) {
        const bool is_one = !made.empty() && can_merge(made.back(), phase);
        if (is_one)
            made.back() = Merging(plan, made.back(), phase).made();
        else
            made.push_back(std::move(phase));
    }
    plan.steps = std::move(made);
}

}  // namespace

StepPlan with_merged_rows(StepPlan plan) {
    if (plan.row_blocks) merge_rows(*plan.row_blocks);
    for (StepPart& part : plan.steps) part.plan = with_merged_rows(std::move(part.plan));
    return plan;
}

}  // namespace frisket::plan
