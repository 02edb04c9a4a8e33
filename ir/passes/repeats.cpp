// SPDX-License-Identifier: MIT
#include "repeats.hpp"

#include "../shown_elements.hpp"

#include <algorithm>

namespace frisket::ir {

namespace {

/// True for a reduction of several equal elements along a dimension that equals that element.
bool drops(const Node& reduction, const Node& seen, std::size_t dim) {
    constexpr Reduction idempotent[] = {Reduction::any, Reduction::all, Reduction::amax, Reduction::amin};
    return !varies_along(seen, dim) && seen.shape[dim] > 0 &&
           std::ranges::find(idempotent, reduction.reduction) != std::end(idempotent);
}

}  // namespace

std::int64_t& step(Node& view, std::size_t dim, std::size_t j) {
    return view.attributes[dim * view.shape.size() + j];
}
std::int64_t step(const Node& view, std::size_t dim, std::size_t j) {
    return view.attributes[dim * view.shape.size() + j];
}

bool is_plain(const Node& reduction) {
    return reduction.mask == no_node && reduction.operands.size() == 2 && reduction.operands[1] == no_node;
}

bool is_repeating(const Node& reduction, const Node& seen) {
    if (seen.kind != NodeKind::view || seen.mask != no_node) return false;
    for (std::size_t j = 0; j < seen.shape.size(); ++j)
        if (reduces(reduction, j) ? drops(reduction, seen, j) : !varies_along(seen, j)) return true;
    return false;
}

Shape shape_of_operands(const Node& node, const Graph& graph, Repeats repeats) {
    Shape shape(node.shape.size(), 1);
    bool has_tensors = false, has_mask = node.mask != no_node || node.is_host_scalar;
    for (const NodeId id : node.operands) {
        if (id == no_node || graph[id].is_host_scalar) continue;
        has_tensors = true;
        has_mask = has_mask || graph[id].mask != no_node;
        const Node& operand = graph[id];
        const auto varies = [&](std::size_t d) {
            return repeats == Repeats::of_shapes || operand.kind != NodeKind::view || operand.shape[d] == 0 ||
                   varies_along(operand, d);
        };
        const std::size_t added = shape.size() - operand.shape.size();
        for (std::size_t d = 0; d < operand.shape.size(); ++d)
            if (shape[d + added] == 1 && varies(d)) shape[d + added] = operand.shape[d];
    }
    return has_tensors && !has_mask ? shape : node.shape;
}

bool repeats(const Node& node, const Graph& graph) {
    if (node.kind == NodeKind::reduce) return is_plain(node) && is_repeating(node, graph[node.operands[0]]);
    const bool is_op = node.kind == NodeKind::op || node.kind == NodeKind::cast;
    return is_op && shape_of_operands(node, graph, Repeats::of_shapes) != node.shape;
}

DimsOfReduction::DimsOfReduction(const Node& reduction, const Node& seen) {
    for (std::size_t j = 0; j < seen.shape.size(); ++j) {
        const bool is_reduced = reduces(reduction, j), varies = varies_along(seen, j);
        if (is_reduced && drops(reduction, seen, j)) continue;
        if (is_reduced) reduced.push_back(static_cast<std::int64_t>(left.size()));
        if (is_reduced || varies) left.push_back(j);
        if (!is_reduced) is_repeated.push_back(!varies);
    }
}

/// Both shapes are walked until their element counts are equal: these dimensions match.
DimsOfReshape::DimsOfReshape(const Node& reshape, const Node& seen) {
    const Shape &from = seen.shape, &to = reshape.shape;
    const bool may_repeat = seen.kind == NodeKind::view && seen.mask == no_node && reshape.mask == no_node &&
                            element_count(to) > 0;
    std::size_t d = 0, j = 0;
    while (d < from.size() || j < to.size()) {
        const std::size_t first = d, first_made = j;
        std::int64_t read = d < from.size() ? from[d++] : 1, made = j < to.size() ? to[j++] : 1;
        while (read != made && may_repeat) (read < made ? read *= from[d++] : made *= to[j++]);
        bool is_one = may_repeat && read > 1;
        for (std::size_t k = first; k < d; ++k) is_one = is_one && (from[k] == 1 || !varies_along(seen, k));
        for (std::size_t k = first; k < d; ++k)
            if (!is_one) left.push_back(k);
        for (std::size_t k = first_made; k < j; ++k)
            if (!is_one) shape.push_back(to[k]);
        repeats = repeats || is_one;
        is_repeated.insert(is_repeated.end(), j - first_made, is_one);
    }
}

Node first_along(const Node& view, std::span<const std::int64_t> dims) {
    std::vector<std::size_t> left;
    for (std::size_t j = 0; j < view.shape.size(); ++j)
        if (std::ranges::find(dims, static_cast<std::int64_t>(j)) == dims.end()) left.push_back(j);
    return shown_along(view, left);
}

Node shown_along(const Node& view, const std::vector<std::size_t>& left) {
    Node made = view;
    made.shape.clear();
    for (const std::size_t j : left) made.shape.push_back(view.shape[j]);
    const std::size_t dims = view.shape.empty() ? 0 : view.attributes.size() / view.shape.size();
    made.attributes.assign(dims * left.size(), 0);
    for (std::size_t d = 0; d < dims; ++d)
        for (std::size_t j = 0; j < left.size(); ++j) step(made, d, j) = step(view, d, left[j]);
    return made;
}

Node repeated_view(NodeId once, const Node& like, const Shape& own, const std::vector<bool>& is_repeated) {
    const std::size_t rank = like.shape.size();
    Node view{.kind = NodeKind::view, .dtype = like.dtype, .operands = {once}, .shape = like.shape};
    view.attributes.assign(own.size() * rank, 0);
    std::size_t d = 0;
    for (std::size_t j = 0; j < rank; ++j)
        if (!is_repeated[j]) step(view, d++, j) = 1;
    return view;
}

}  // namespace frisket::ir
