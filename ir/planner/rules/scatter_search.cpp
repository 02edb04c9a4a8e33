// SPDX-License-Identifier: MIT
#include "scatter_search.hpp"

#include "../../contained_masks.hpp"
#include "../../united_operands.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace frisket::planning {

std::vector<const Node*> ScatterSearch::scatters_of(NodeId result) const {
    std::vector<const Node*> found;
    std::int64_t scattered = 0;
    std::optional<std::array<NodeId, 2>> operands;
    for (; (operands = ir::united_operands(graph_, result, op_id<op::Add>)); result = (*operands)[0])
        found.push_back(scatter_of((*operands)[1]));
    found.push_back(scatter_of(result));
    for (const Node* const scatter : found) {
        if (scatter == nullptr) return {};
        scattered += element_count(graph_[scatter->operands[0]].shape);
    }
    if (scattered >= element_count(graph_[result].shape)) return {};
    std::ranges::reverse(found);
    return found;
}

Layout ScatterSearch::layout_of(const Node& scatter) const {
    const Shape &target = scatter.shape, &from = graph_[scatter.operands[0]].shape;
    if (target.size() > from.size() + 1) return Layout::coo;
    const std::size_t leading = from.size() + 1 - target.size();
    for (std::size_t d = 1; d < target.size(); ++d)
        if (from[leading + d - 1] != target[d] || !is_coordinate(scatter, d, leading + d - 1))
            return Layout::coo;
    for (std::size_t i = 1; i < scatter.operands.size(); ++i)
        if (scatter.operands[i] != no_node && !is_alike_from(scatter.operands[i], from, leading))
            return Layout::coo;
    if (scatter.kind == NodeKind::scatter)
        return scatter.attributes[0] < static_cast<std::int64_t>(leading) ? Layout::rows : Layout::coo;
    for (std::size_t j = leading; j < from.size(); ++j)
        if (scatter.attributes[j] != 0) return Layout::coo;
    return Layout::rows;
}

bool ScatterSearch::is_listed(const Node& scatter) const {
    const Node& put = graph_[scatter.operands[0]];
    if (scatter.mask != no_node || put.mask != no_node || put.is_host_scalar) return false;
    if (scatter.reduction == Reduction::any)
        return scatter.operands[0] == scatter.operands[1] ||
               ir::is_true_everywhere(graph_, scatter.operands[0]);
    const bool is_float = scatter.dtype == DType::float32 || scatter.dtype == DType::float64;
    return scatter.reduction == Reduction::sum && is_float && put.dtype == scatter.dtype;
}

/// The scatter that a masked node is; nullptr if it is none.
const Node* ScatterSearch::scatter_of(NodeId id) const {
    const Node& on = graph_[id];
    if (on.kind != NodeKind::on || on.mask != on.operands[1]) return nullptr;
    const Node &sum = graph_[on.operands[0]], &any = graph_[on.mask];
    const bool is_sum = is_scatter(sum.kind) && sum.reduction == Reduction::sum && is_listed(sum);
    return is_sum && is_where_it_puts(any, sum) ? &sum : nullptr;
}

/// True for a mask that is true where another scatter puts something, and nowhere else.
bool ScatterSearch::is_where_it_puts(const Node& any, const Node& sum) const {
    const bool is_alike = any.kind == sum.kind && any.reduction == Reduction::any &&
                          any.attributes == sum.attributes && any.offsets == sum.offsets &&
                          any.shape == sum.shape && any.operands.size() == sum.operands.size() &&
                          std::equal(any.operands.begin() + 1, any.operands.end(), sum.operands.begin() + 1);
    if (!is_alike) return false;
    const NodeId put = any.operands[0];
    return graph_[put].shape == graph_[sum.operands[0]].shape &&
           (put == any.operands[1] || ir::is_true_everywhere(graph_, put));
}

/// True if the index along a dimension of the target is the index along a dimension of the scattered operand.
bool ScatterSearch::is_coordinate(const Node& scatter, std::size_t dim, std::size_t of) const {
    if (scatter.kind == NodeKind::scatter) return scatter.attributes[dim] == static_cast<std::int64_t>(of);
    const std::size_t rank = graph_[scatter.operands[0]].shape.size();
    if (!scatter.offsets.empty() && scatter.offsets[dim] != 0) return false;
    for (std::size_t j = 0; j < rank; ++j)
        if (scatter.attributes[dim * rank + j] != (j == of ? 1 : 0)) return false;
    return true;
}

/// True if a tensor that broadcasts to a shape is the same along its dimensions from `first` on.
bool ScatterSearch::is_alike_from(NodeId id, const Shape& shape, std::size_t first) const {
    const Node& node = graph_[id];
    const std::size_t added = shape.size() - node.shape.size();
    for (std::size_t d = first; d < shape.size(); ++d) {
        if (d < added || node.shape[d - added] == 1) continue;
        if (node.kind != NodeKind::view) return false;
        const std::size_t rank = node.shape.size(), dims = node.attributes.size() / rank;
        for (std::size_t of = 0; of < dims; ++of)
            if (node.attributes[of * rank + d - added] != 0) return false;
    }
    return true;
}

}  // namespace frisket::planning
