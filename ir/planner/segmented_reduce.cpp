// SPDX-License-Identifier: MIT
#include "segmented_reduce.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/tensor/index_span.hpp"
#include "../interpreter/tensor_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace frisket::planning {

namespace {

bool goes(std::span<const std::int64_t> dims, std::size_t d) {
    return std::ranges::find(dims, static_cast<std::int64_t>(d)) != dims.end();
}

/// Elements of a slice if the dimensions that go are the last ones, so that slices follow each other; else 0.
std::int64_t trailing_length(const Shape& shape, std::span<const std::int64_t> dims) {
    std::int64_t length = 1;
    std::size_t d = shape.size();
    while (d > 0 && goes(dims, d - 1)) length *= shape[--d];
    while (d > 0 && (shape[d - 1] == 1 || !goes(dims, d - 1))) --d;
    return d == 0 ? length : 0;
}

/// Slices of `length` elements that follow each other.
void add_rows(ListSlices& made, const IndexList& list, std::int64_t length) {
    const std::int64_t bound = element_count(made.shape), count = list.size();
    runtime::PooledArray<std::int64_t> rows(std::min(bound, count));
    auto& start = made.entries.start;
    start.reserve(static_cast<std::size_t>(rows.size()) + 1);
    runtime::with_indices(list, [&](const auto* at) {
        for (std::int64_t i = 0; i < count;) {
            const std::int64_t row = at[i] / length, end = (row + 1) * length;
            rows.data()[start.size()] = row;
            start.push_back(i);
            do ++i;
            while (i < count && at[i] < end);
        }
    });
    rows.shrink(std::ssize(start));
    start.push_back(count);
    made.list = IndexList::of_ascending(std::move(rows), bound);
}

/// Calls body(slice, position within it) for each entry.
template <class Body>
void each_entry(const IndexList& list, const Shape& shape, std::span<const std::int64_t> dims, Body&& body) {
    runtime::with_indices(list, [&](const auto* at) {
        for (std::int64_t i = 0; i < list.size(); ++i) {
            std::int64_t rest = at[i], slice = 0, slices = 1, position = 0, positions = 1;
            for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
                std::int64_t& here = goes(dims, d) ? position : slice;
                std::int64_t& step = goes(dims, d) ? positions : slices;
                here += rest % shape[d] * step;
                step *= shape[d];
            }
            body(slice, position);
        }
    });
}

ListSlices made_slices(const IndexList& list, const Shape& shape, std::span<const std::int64_t> dims,
                       bool has_positions) {
    ListSlices made;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (!goes(dims, d)) made.shape.push_back(shape[d]);
    const std::int64_t length = trailing_length(shape, dims);
    if (has_positions) made.positions.reserve(static_cast<std::size_t>(list.size()));
    if (length > 0) {
        add_rows(made, list, length);
        if (has_positions)
            each_entry(list, shape, dims, [&](auto, auto position) { made.positions.push_back(position); });
        return made;
    }
    std::vector<std::int64_t> kept;
    kept.reserve(static_cast<std::size_t>(list.size()));
    each_entry(list, shape, dims, [&](std::int64_t slice, std::int64_t position) {
        kept.push_back(slice);
        if (has_positions) made.positions.push_back(position);
    });
    made.list = std::make_shared<const IndexList>(std::move(kept), element_count(made.shape));
    if (!made.list->is_coalesced()) {
        made.entries = made.list->plan();
        made.list = {made.list, &made.list->unique()};
        return made;
    }
    made.entries.start.resize(static_cast<std::size_t>(list.size()) + 1);
    std::iota(made.entries.start.begin(), made.entries.start.end(), std::int64_t{0});
    return made;
}

}  // namespace

std::int64_t ListSlices::bytes() const {
    const std::size_t numbers = entries.order.size() + entries.start.size() + positions.size();
    return list->bytes() + static_cast<std::int64_t>(numbers * sizeof(std::int64_t));
}

std::shared_ptr<const ListSlices> slices_of(const IndexList& list, const Shape& shape,
                                            std::span<const std::int64_t> dims, bool has_positions) {
    runtime::KeptStructures::Key key{has_positions ? 1 : 0};
    key.insert(key.end(), shape.begin(), shape.end());
    key.push_back(-1);
    key.insert(key.end(), dims.begin(), dims.end());
    return list.kept().get<ListSlices>(runtime::KeptStructures::Kind::slices, key,
                                       [&] { return made_slices(list, shape, dims, has_positions); });
}

bool all_true(const AnyTensor& bools) {
    return bools.size() == 0 ||
           (bools.is_contiguous() &&
            std::memchr(bools.data(), 0, static_cast<std::size_t>(bools.size())) == nullptr);
}

SparseVector segmented_reduce(const ReduceStage& stage, const ListSlices& slices, const AnyTensor& x,
                              const std::optional<AnyTensor>& y, const std::optional<AnyTensor>& given) {
    const auto where = given && all_true(*given) ? std::nullopt : given;
    if (stage.reduction == Reduction::any && !where && x.dtype() == DType::boolean && all_true(x)) {
        constexpr bool yes = true;
        return {.list = slices.list,
                .values = runtime::filled_with(DType::boolean, {slices.list->size()}, &yes)};
    }
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

}  // namespace frisket::planning
