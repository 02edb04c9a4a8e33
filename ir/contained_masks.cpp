// SPDX-License-Identifier: MIT
#include "contained_masks.hpp"

#include "shown_elements.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace frisket::ir {

namespace {

/// A mask as elements of an instruction from which it is computed: true if one of them is.
struct Made {
    NodeId from = no_node;
    std::vector<Index> indices;
};

/// Extents of variables.
using Extents = std::vector<std::int64_t>;

/// Indices that an `any` reads: all of the dimensions that it drops.
std::vector<Index> before_any(const std::vector<Index>& indices, const Node& any, const Shape& shape,
                              Extents& extents) {
    std::vector<Index> made;
    auto kept = indices.begin();
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!reduces(any, d)) {
            made.push_back(*kept++);
            continue;
        }
        Index all;
        if (shape[d] != 1) all.terms = {{extents.size(), 1}};
        extents.push_back(shape[d]);
        made.push_back(all);
    }
    return made;
}

/// The mask itself, and the masks from which it is computed, one after another.
std::vector<Made> made_from(const Graph& graph, Made now, Extents& extents) {
    std::vector<Made> all;
    for (;;) {
        all.push_back(now);
        const Node& node = graph[now.from];
        if (node.operands.empty()) return all;
        const Shape& shape = graph[node.operands[0]].shape;
        if (node.kind == NodeKind::view) {
            now.indices = before_view(now.indices, node, shape);
        } else if (node.kind == NodeKind::reduce && node.reduction == Reduction::any &&
                   node.operands[1] == no_node) {
            now.indices = before_any(now.indices, node, shape, extents);
        } else {
            const auto before = node.kind == NodeKind::reshape ? before_reshape(now.indices, node, shape)
                                                               : std::optional<std::vector<Index>>();
            if (!before) return all;
            now.indices = *before;
        }
        now.from = node.operands[0];
    }
}

/// Two masks in terms of one instruction.
class Pair {
public:
    Pair(const Made& mask, const Made& part, const Extents& extents, std::size_t rank)
        : mask_(mask), part_(part), extents_(extents), rank_(rank) {
        for (const Index& index : mask.indices)
            for (const auto& [variable, step] : index.terms) seen_.insert(variable);
    }

    /// True if the mask is `any` of the part over the dimensions along which the mask is constant.
    bool is_any() const {
        for (std::size_t d = 0; d < mask_.indices.size(); ++d) {
            const Index &a = mask_.indices[d], &b = part_.indices[d];
            if (!(a == b && is_fixed(a)) && !is_same_run(a, b)) return false;
        }
        return true;
    }

private:
    /// True for variables of both masks that are not indices along which the mask changes: they take all
    /// values.
    bool is_free(std::size_t variable) const { return variable >= rank_ || !seen_.contains(variable); }
    bool is_fixed(const Index& index) const {
        return std::ranges::none_of(index.terms, [&](const auto& term) { return is_free(term.first); });
    }

    bool is_same_run(const Index& a, const Index& b) const {
        return is_run(a, mask_) && is_run(b, part_) && run(a) == run(b);
    }
    /// True if an index is a run of numbers of its own, whatever the other indices are.
    bool is_run(const Index& index, const Made& made) const {
        if (index.terms.size() != 1 || !is_free(index.terms.begin()->first)) return false;
        const std::size_t variable = index.terms.begin()->first;
        return std::ranges::count_if(made.indices,
                                     [&](const Index& other) { return other.reads(variable); }) == 1;
    }
    /// The least number, the distance to the next, and how many there are.
    std::array<std::int64_t, 3> run(const Index& index) const {
        const auto [variable, step] = *index.terms.begin();
        const std::int64_t count = extents_[variable];
        return {index.start + std::min<std::int64_t>(step * (count - 1), 0), std::abs(step), count};
    }

    const Made &mask_, &part_;
    const Extents& extents_;
    std::size_t rank_;
    std::set<std::size_t> seen_;
};

/// True if two instructions are one, or masks of symbols that must be equal.
bool is_one(const Graph& graph, NodeId a, NodeId b) {
    if (a == b) return true;
    if (graph[a].kind != NodeKind::mask_of || graph[b].kind != NodeKind::mask_of) return false;
    std::set<NodeId> equal{a};
    for (std::size_t before = 0; before != equal.size() && !equal.contains(b);) {
        before = equal.size();
        for (const auto& [one, other] : graph.equal_masks)
            if (equal.contains(one) || equal.contains(other)) equal.insert({one, other});
    }
    return equal.contains(b);
}

/// Masks of a graph at the elements of a shape to which they broadcast.
class MasksAt {
public:
    MasksAt(const Graph& graph, const Shape& place)
        : graph_(graph), rank_(place.size()), extents_(place.begin(), place.end()) {}

    Made whole(NodeId mask) const { return {.from = mask, .indices = all_of(graph_[mask].shape, rank_)}; }

    /// Elements that reductions, views and reshapes make a mask from.
    struct Steps {
        std::vector<Made> made;
        bool reduces = false;   ///< it is true if one of several elements is
        bool is_empty = false;  ///< it reduces nothing, which is false
    };
    Steps steps(const Made& mask) {
        const auto before = std::ssize(extents_);
        Steps found{.made = made_from(graph_, mask, extents_)};
        found.reduces = std::ssize(extents_) != before;
        found.is_empty = std::find(extents_.begin() + before, extents_.end(), 0) != extents_.end();
        return found;
    }

    /// True if one element of each of the two is the other, or `any` of it.
    bool contains(const std::vector<Made>& mask, const std::vector<Made>& part) const {
        return std::ranges::any_of(mask, [&](const Made& a) {
            return std::ranges::any_of(part, [&](const Made& b) {
                return is_one(graph_, a.from, b.from) && Pair(a, b, extents_, rank_).is_any();
            });
        });
    }

    /// True if a mask is true wherever `part` is, because of how both were made.
    bool implies(const Made& part, const Made& mask) {
        if (--comparisons_left_ < 0) return false;
        const Steps of_mask = steps(mask), of_part = steps(part);
        if (of_mask.is_empty) return false;
        if (contains(of_mask.made, of_part.made)) return true;
        const Made &wanted = of_mask.made.back(), &known = of_part.made.back();
        const auto from_known = [&](const Made& one) { return implies(one, mask); };
        const auto to_wanted = [&](const Made& one) { return implies(part, one); };
        if (is_op<op::LogicalOr>(known.from)) return std::ranges::all_of(operands(known), from_known);
        if (is_op<op::LogicalAnd>(known.from) && std::ranges::any_of(operands(known), from_known))
            return true;
        if (is_op<op::LogicalOr>(wanted.from)) return std::ranges::any_of(operands(wanted), to_wanted);
        return is_op<op::LogicalAnd>(wanted.from) && !of_mask.reduces &&
               std::ranges::all_of(operands(wanted), to_wanted);
    }

private:
    template <class Op>
    bool is_op(NodeId id) const {
        const Node& node = graph_[id];
        return node.kind == NodeKind::op && node.op == op_id<Op> && node.mask == no_node;
    }

    /// Elements of the operands of an operation, which broadcast.
    std::vector<Made> operands(const Made& result) const {
        std::vector<Made> all;
        for (const NodeId operand : graph_[result.from].operands) {
            const Shape& shape = graph_[operand].shape;
            const auto added = std::ssize(result.indices) - std::ssize(shape);
            Made made{.from = operand, .indices = {result.indices.begin() + added, result.indices.end()}};
            for (std::size_t d = 0; d < shape.size(); ++d)
                if (shape[d] == 1) made.indices[d] = {};
            all.push_back(std::move(made));
        }
        return all;
    }

    const Graph& graph_;
    std::size_t rank_;
    Extents extents_;
    int comparisons_left_ = 256;  // masks grow with a graph, and pairs of their parts faster
};

}  // namespace

bool is_contained(const Graph& graph, NodeId mask, NodeId part) {
    if (mask == part) return true;
    MasksAt masks(graph, broadcast(graph[mask].shape, graph[part].shape));
    const MasksAt::Steps of_mask = masks.steps(masks.whole(mask)), of_part = masks.steps(masks.whole(part));
    return !of_mask.is_empty && masks.contains(of_mask.made, of_part.made);
}

bool is_implied(const Graph& graph, NodeId mask, NodeId part) {
    if (mask == part || is_true_everywhere(graph, mask)) return true;
    MasksAt masks(graph, broadcast(graph[mask].shape, graph[part].shape));
    return masks.implies(masks.whole(part), masks.whole(mask));
}

std::optional<NodeId> absorbing(const Graph& graph, OpId op, NodeId a, NodeId b) {
    const bool is_and = op == op_id<op::LogicalAnd>;
    if (is_implied(graph, b, a)) return is_and ? a : b;
    if (is_implied(graph, a, b)) return is_and ? b : a;
    return {};
}

bool is_true_everywhere(const Graph& graph, NodeId mask) {
    const Node& node = graph[mask];
    const auto is_true = [&](NodeId operand) { return is_true_everywhere(graph, operand); };
    if (node.kind == NodeKind::constant) return node.constant == 1;
    if (info_of(node.kind).keeps_elements) return is_true(node.operands[0]);
    if (node.kind == NodeKind::reduce)
        return node.reduction == Reduction::any && node.operands[1] == no_node &&
               element_count(graph[node.operands[0]].shape) > 0 && is_true(node.operands[0]);
    if (node.kind != NodeKind::op) return false;
    if (node.op == op_id<op::LogicalOr>) return std::ranges::any_of(node.operands, is_true);
    return node.op == op_id<op::LogicalAnd> && std::ranges::all_of(node.operands, is_true);
}

}  // namespace frisket::ir
