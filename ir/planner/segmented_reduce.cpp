// SPDX-License-Identifier: MIT
#include "segmented_reduce.hpp"

#include "../interpreter/tensor_kernels.hpp"
#include "permutation.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace frisket::plan {

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

SparseVector segmented_reduce(const ReduceStage& stage, const ListSlices& slices, const AnyTensor& x,
                              const std::optional<AnyTensor>& y, const std::optional<AnyTensor>& where) {
    if (y)
        return {.list = slices.list,
                .values = tensor_kernels::contract_slices(tensor_kernels::convert(x, stage.operand_dtype),
                                                          tensor_kernels::convert(*y, stage.operand_dtype),
                                                          where, slices.entries, slices.positions)};
    return {.list = slices.list,
            .values = tensor_kernels::reduce_slices(stage.reduction,
                                                    tensor_kernels::convert(x, stage.operand_dtype), where,
                                                    slices.entries, slices.positions, stage.dtype)};
}

}  // namespace frisket::plan
