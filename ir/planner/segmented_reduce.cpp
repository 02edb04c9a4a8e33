// SPDX-License-Identifier: MIT
#include "segmented_reduce.hpp"

#include "../interpreter/tensor_kernels.hpp"
#include "permutation.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace frisket {

namespace {

ListSlices slices_of(std::span<const std::int64_t> places, const Shape& shape,
                     std::span<const std::int64_t> dims) {
    ListSlices made;
    const auto goes = [&](std::size_t d) {
        return std::ranges::find(dims, static_cast<std::int64_t>(d)) != dims.end();
    };
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (!goes(d)) made.shape.push_back(shape[d]);
    std::vector<std::int64_t> kept;
    for (std::int64_t rest : places) {
        std::int64_t slice = 0, slices = 1, position = 0, positions = 1;
        for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
            std::int64_t& at = goes(d) ? position : slice;
            std::int64_t& step = goes(d) ? positions : slices;
            at += rest % shape[d] * step;
            step *= shape[d];
        }
        kept.push_back(slice);
        made.positions.push_back(position);
    }
    made.list = std::make_shared<const IndexList>(std::move(kept), element_count(made.shape));
    if (!made.list->is_coalesced()) {
        made.entries = made.list->plan();
        made.list = {made.list, &made.list->unique()};
        return made;
    }
    made.entries.order.resize(places.size());
    made.entries.start.resize(places.size() + 1);
    std::iota(made.entries.order.begin(), made.entries.order.end(), std::int64_t{0});
    std::iota(made.entries.start.begin(), made.entries.start.end(), std::int64_t{0});
    return made;
}

}  // namespace

const ListSlices& ListReductions::slices(NodeId id) {
    const Node& node = operands_.graph()[id];
    const Shape& shape = operands_.graph()[node.operands[0]].shape;
    auto [at, is_new] = slices_.try_emplace({shape, node.attributes});
    if (is_new) at->second = slices_of(operands_.places().positions(), shape, node.attributes);
    return at->second;
}

SparseVector ListReductions::made(NodeId id, const ResidualGraph& rest) {
    const Node& node = operands_.graph()[id];
    const ListSlices& slices = this->slices(id);
    std::optional<AnyTensor> where;
    if (node.operands[1] != no_node) where = operands_.values(node.operands[1]);
    const AnyTensor x = tensor_kernels::convert(operands_.values(node.operands[0]),
                                                operand_dtype(operands_.graph(), node, 0));
    const SparseVector all{.list = slices.list,
                           .values = tensor_kernels::reduce_slices(node.reduction, x, where, slices.entries,
                                                                   slices.positions, node.dtype)};
    if (const SparseVector* const mask = rest.made(node.mask)) return restricted(all, mask->list);
    return node.mask == no_node && node.dtype == DType::boolean ? true_of(all) : all;
}

}  // namespace frisket
