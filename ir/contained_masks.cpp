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

/// A mask as elements of an instruction that it is made from: true if one of them is.
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

/// The mask itself, and the masks that it is made from, one after another.
std::vector<Made> made_from(const Graph& graph, NodeId mask, const Shape& place, Extents& extents) {
    const Shape& own = graph[mask].shape;
    Made now{.from = mask, .indices = all_of(own, place.size())};
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

}  // namespace

bool is_contained(const Graph& graph, NodeId mask, NodeId part) {
    if (mask == part) return true;
    const Shape place = broadcast(graph[mask].shape, graph[part].shape);
    Extents extents(place.begin(), place.end());
    const std::vector<Made> of_mask = made_from(graph, mask, place, extents);
    // Any of nothing is false.
    if (std::any_of(extents.begin() + std::ssize(place), extents.end(),
                    [](auto count) { return count == 0; }))
        return false;
    const std::vector<Made> of_part = made_from(graph, part, place, extents);
    return std::ranges::any_of(of_mask, [&](const Made& a) {
        return std::ranges::any_of(of_part, [&](const Made& b) {
            return is_one(graph, a.from, b.from) && Pair(a, b, extents, place.size()).is_any();
        });
    });
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
