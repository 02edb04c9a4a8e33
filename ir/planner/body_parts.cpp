// SPDX-License-Identifier: MIT
#include "body_parts.hpp"

#include "../../runtime/limits.hpp"
#include "../at.hpp"
#include "../rewrite.hpp"
#include "body_stage.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace frisket::planning {

namespace {

using ir::at;

/// The number of operations that a node counts as: a function takes many instructions.
std::int64_t weight_of(const Node& node) {
    constexpr std::int64_t of_function = 8;
    if (node.is_host_scalar || node.symbol >= 0) return 0;
    return is_function(node) ? of_function : 1;
}

/// Tells if a node is an argument or a number, which each part reads itself.
bool is_given(const Node& node) {
    return node.is_host_scalar || node.symbol >= 0 || node.kind == NodeKind::constant ||
           node.kind == NodeKind::size || node.kind == NodeKind::coordinate;
}

/// Where a graph is cut.
class Cutter {
public:
    explicit Cutter(const Graph& graph) : graph_(graph), last_use_(graph.nodes.size(), no_node) {
        const auto count = static_cast<NodeId>(graph.nodes.size());
        for (NodeId id = 0; id < count; ++id)
            ir::for_each_id(graph[id], [&](NodeId read) {
                if (read != no_node) last_use_[at(read)] = id;
            });
        ir::for_each_root(graph, [&](NodeId root) {
            if (root != no_node) last_use_[at(root)] = count;
        });
        // A reader of a masked node reads its mask.
        for (NodeId id = count; id-- > 0;)
            if (const NodeId mask = graph[id].mask; mask != no_node)
                last_use_[at(mask)] = std::max(last_use_[at(mask)], last_use_[at(id)]);
        find_crossings();
    }

    /// The first node of each part but the first.
    std::vector<NodeId> cuts() const {
        std::vector<NodeId> found;
        std::int64_t weight = 0;
        NodeId best = no_node;
        for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
            const bool is_late = weight >= limits::operations_of_a_part / 2;
            if (is_late && can_cut(id) && (best == no_node || crossings_[at(id)] <= crossings_[at(best)]))
                best = id;
            if (weight >= limits::operations_of_a_part && best != no_node) {
                found.push_back(best);
                weight = 0;
                for (NodeId again = best; again < id; ++again) weight += weight_of(graph_[again]);
                best = no_node;
            }
            weight += weight_of(graph_[id]);
        }
        return found;
    }

    /// True if a node's value is needed after its part, which ends before `end`.
    bool is_needed_after(NodeId id, NodeId end) const {
        return !is_given(graph_[id]) && last_use_[at(id)] >= end;
    }

private:
    bool can_cut(NodeId id) const { return inexact_[at(id)] == 0; }

    /// Counts the values that are needed on both sides of each cut, and the values among them that a store
    /// would round.
    void find_crossings() {
        const std::size_t count = graph_.nodes.size();
        crossings_.assign(count + 1, 0);
        inexact_.assign(count + 1, 0);
        for (std::size_t i = 0; i < count; ++i) {
            const Node& node = graph_.nodes[i];
            if (is_given(node) || last_use_[i] == no_node) continue;
            const bool is_rounded = node.result_dtype() != compute_dtype(node.dtype);
            for (std::vector<int>* const counts : {&crossings_, &inexact_}) {
                if (counts == &inexact_ && !is_rounded) continue;
                (*counts)[i + 1] += 1;
                if (at(last_use_[i]) < count) (*counts)[at(last_use_[i]) + 1] -= 1;
            }
        }
        for (std::size_t i = 1; i <= count; ++i) {
            crossings_[i] += crossings_[i - 1];
            inexact_[i] += inexact_[i - 1];
        }
    }

    const Graph& graph_;
    std::vector<NodeId> last_use_;
    std::vector<int> crossings_, inexact_;  // before each node
};

/// Writes the parts one after the other.
class PartsWriter {
public:
    PartsWriter(const Graph& graph, const Cutter& cutter)
        : graph_(graph), cutter_(cutter), made_(graph.nodes.size(), -1) {}

    BodyParts run(std::vector<NodeId> cuts) {
        cuts.push_back(static_cast<NodeId>(graph_.nodes.size()));
        NodeId first = 0;
        for (const NodeId end : cuts) {
            add(first, end);
            first = end;
        }
        for (const NodeId id : graph_.results) parts_.results.push_back(made_[at(id)]);
        return std::move(parts_);
    }

private:
    void add(NodeId first, NodeId end) {
        BodyPart part;
        ir::Rewriter body(graph_, graph_.name);
        Graph& graph = body.graph();
        graph.symbols = graph_.symbols;
        graph.shaped = graph_.shaped;
        for (std::size_t i = 0; i < graph_.symbols.size(); ++i) part.operands.push_back(static_cast<int>(i));
        body.rule = [&](NodeId old) -> std::optional<NodeId> {
            if (old >= first || is_given(graph_[old])) return {};
            part.operands.push_back(static_cast<int>(graph_.symbols.size()) + made_[at(old)]);
            return read_stored(body, graph_[old], std::to_string(made_[at(old)]));
        };
        for (NodeId id = first; id < end; ++id) {
            const bool is_result = std::ranges::find(graph_.results, id) != graph_.results.end();
            if (!is_result && !cutter_.is_needed_after(id, end)) continue;
            const NodeId copied = body.copy(id);
            graph.results.push_back(graph_[id].mask == no_node || is_result ? copied : filled(body, copied));
            made_[at(id)] = count_++;
            part.made.push_back(made_[at(id)]);
        }
        if (end == static_cast<NodeId>(graph_.nodes.size())) copy_checks(body);
        part.graph = body.finish();
        std::vector<int> operands;
        for (const int symbol : ir::prune_symbols(part.graph)) operands.push_back(part.operands[at(symbol)]);
        part.operands = std::move(operands);
        parts_.parts.push_back(std::move(part));
    }

    void copy_checks(ir::Rewriter& body) const {
        for (Check check : graph_.checks) {
            check.bad = body.copy(check.bad);
            check.elements = body.copy(check.elements);
            check.value = body.copy(check.value);
            body.graph().checks.push_back(std::move(check));
        }
    }

    const Graph& graph_;
    const Cutter& cutter_;
    std::vector<int> made_;  // number of each node's value, once it is made
    int count_ = 0;
    BodyParts parts_;
};

/// True if results can be read by later parts as they are: a masked result is stored with its mask.
bool can_be_cut(const Graph& body) {
    return body.updates.empty() && body.equal_masks.empty() &&
           std::ranges::all_of(body.results, [&](NodeId id) { return !is_given(body[id]); });
}

}  // namespace

BodyParts parts_of(const Graph& body) {
    std::int64_t weight = 0;
    for (const Node& node : body.nodes) weight += weight_of(node);
    if (weight <= limits::operations_of_a_body || !can_be_cut(body)) return {};
    const Cutter cutter(body);
    std::vector<NodeId> cuts = cutter.cuts();
    if (cuts.empty()) return {};
    return PartsWriter(body, cutter).run(std::move(cuts));
}

}  // namespace frisket::planning
