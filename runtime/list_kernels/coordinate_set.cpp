// SPDX-License-Identifier: MIT
#include "coordinate_set.hpp"

#include "../layouts/layout.hpp"
#include "../layouts/layout_traits.hpp"
#include "../layouts/stored.hpp"
#include "../limits.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/index_span.hpp"
#include "../tensor/result_memory.hpp"
#include "permutation.hpp"
#include "segmented_reduce.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace frisket::list_kernels {

namespace {

/// True for a masked tensor that may leave elements out.
bool has_mask(const Argument& argument) { return runtime::has_mask(argument.layout()); }

/// The rows of these numbers.
AnyTensor gathered_rows(const AnyTensor& tensor, std::span<const std::int64_t> rows) {
    Shape shape = tensor.shape();
    shape[0] = 1;
    Shape all = shape;
    all[0] = static_cast<std::int64_t>(rows.size());
    AnyTensor result(tensor.dtype(), std::move(all));
    const std::int64_t bytes = element_count(shape) * bytes_of(tensor.dtype());
    const bool lies_together =
        is_contiguous(std::span(shape).subspan(1), std::span(tensor.strides()).subspan(1));
    if (bytes == 0) return result;
    const auto* from = static_cast<const std::byte*>(tensor.data());
    const std::int64_t step = tensor.strides()[0] * bytes_of(tensor.dtype());
    auto* to = static_cast<std::byte*>(result.data());
    for (const std::int64_t row : rows) {
        const AnyTensor copy = lies_together ? AnyTensor() : tensor.slice(0, row, row + 1).clone();
        std::memcpy(to, lies_together ? from + row * step : copy.data(), static_cast<std::size_t>(bytes));
        to += bytes;
    }
    return result;
}

/// Writes the value of each slice to all of its entries.
template <class U>
void repeat(const CoalescePlan& slices, const runtime::Reader<U>& values, U* to) {
    constexpr std::int64_t piece = 64 / sizeof(U);
    const auto &order = slices.order, &start = slices.start;
    runtime::parallel_slice_ranges(slices, [&](std::size_t first, std::size_t last) {
        for (std::size_t slice = first; slice < last; ++slice) {
            const U value = values[static_cast<std::int64_t>(slice)];
            const std::int64_t end = start[slice + 1];
            std::int64_t i = start[slice];
            if (!order.empty()) {
                for (; i < end; ++i) to[order[static_cast<std::size_t>(i)]] = value;
                continue;
            }
            // Whole pieces reach into slices that come later, and are written then.
            for (; i < end && i + piece <= start[last]; i += piece) std::fill_n(to + i, piece, value);
            for (; i < end; ++i) to[i] = value;
        }
    });
}

/// The lines of ascending row-major positions, along the last dimension; null of other lists.
std::shared_ptr<const ListSlices> lines_of(const IndexList& positions, const Shape& shape) {
    if (!positions.is_coalesced() || shape.empty()) return nullptr;
    const std::int64_t last[] = {std::ssize(shape) - 1};
    return slices_of(positions, shape, last, false);
}

/// The distance in memory of index 0 of a line.
std::int64_t offset_of_line(std::int64_t line, const Shape& shape, const Strides& strides) {
    std::int64_t offset = 0;
    for (std::size_t d = shape.empty() ? 0 : shape.size() - 1; d-- > 0; line /= shape[d])
        offset += line % shape[d] * strides[d];
    return offset;
}

/// Calls body(at, i, end, offset) for entries i … end - 1 of a list of row-major positions `at` of `shape`,
/// all of one line, in parts, side by side: the offset of an element is `offset` + its position *
/// strides.back().
template <class Body>
void each_line_part(const IndexList& positions, const Shape& shape, const Strides& strides, Body&& body) {
    const auto lines = lines_of(positions, shape);
    const std::int64_t length = shape.empty() ? 1 : shape.back();
    const std::int64_t distance = shape.empty() ? 0 : length * strides.back();
    const auto each_part = [&](const auto* at, std::int64_t i, std::int64_t last) {
        std::size_t number = 0;
        if (lines) number = std::ranges::upper_bound(lines->entries.start, i) - lines->entries.start.begin();
        while (i < last) {
            std::int64_t line = 0, end = i + 1;
            if (lines) {
                line = (*lines->list)[static_cast<std::int64_t>(number) - 1];
                end = std::min(lines->entries.start[number++], last);
            } else {
                line = at[i] / length;
                while (end < last && at[end] >= line * length && at[end] < (line + 1) * length) ++end;
            }
            body(at, i, end, offset_of_line(line, shape, strides) - line * distance);
            i = end;
        }
    };
    runtime::with_indices(positions, [&](const auto* at) {
        runtime::parallel_ranges(positions.size(), limits::task_elements,
                                 [&](std::int64_t i, std::int64_t last) { each_part(at, i, last); });
    });
}

/// The elements at row-major positions, in these lines, of a tensor that is the same along its last
/// dimension.
template <class U>
void repeat_in_lines(const AnyTensor& tensor, const ListSlices& lines, U* to) {
    const runtime::Reader<U> from(tensor.data());
    const std::int64_t count = lines.list->size();
    runtime::PooledVector<U> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        values[static_cast<std::size_t>(i)] =
            from[offset_of_line((*lines.list)[i], tensor.shape(), tensor.strides())];
    repeat(lines.entries, runtime::Reader<U>(values.data()), to);
}

/// The elements at row-major positions.
AnyTensor gathered_elements(const AnyTensor& tensor, const IndexList& positions) {
    if (tensor.is_contiguous()) return runtime::gathered(tensor, positions);
    AnyTensor made = runtime::result_tensor(tensor.dtype(), {positions.size()});
    const std::int64_t step = tensor.strides().back();
    runtime::dispatch_width(tensor.dtype(), [&]<class U>() {
        const runtime::Reader<U> from(tensor.data());
        U* const to = static_cast<U*>(made.data());
        if (const auto lines = step == 0 ? lines_of(positions, tensor.shape()) : nullptr)
            return repeat_in_lines(tensor, *lines, to);
        each_line_part(positions, tensor.shape(), tensor.strides(),
                       [&](const auto* at, std::int64_t begin, std::int64_t end, std::int64_t offset) {
                           for (std::int64_t i = begin; i < end; ++i) to[i] = from[offset + at[i] * step];
                       });
    });
    return made;
}

/// The elements at the entries of a matrix of csr or csc: its lines are `line` elements of the tensor apart,
/// and the elements of a line `step`.
AnyTensor gathered_lines(const AnyTensor& tensor, const CompressedIndex& index, std::int64_t line,
                         std::int64_t step) {
    const std::vector<std::int64_t>& pointers = index.pointers;
    AnyTensor made = runtime::result_tensor(tensor.dtype(), {std::ssize(index.indices)});
    runtime::dispatch_width(tensor.dtype(), [&]<class U>() {
        const runtime::Reader<U> from(tensor.data());
        const std::int64_t* const inner = index.indices.data();
        U* const to = static_cast<U*>(made.data());
        runtime::parallel_ranges(made.size(), limits::task_elements, [&](std::int64_t i, std::int64_t last) {
            auto next = std::ranges::upper_bound(pointers, i);
            std::int64_t offset = (next - pointers.begin() - 1) * line;
            for (; i < last; ++next, offset += line)
                for (const std::int64_t end = std::min(*next, last); i < end; ++i)
                    to[i] = from[offset + inner[i] * step];
        });
    });
    return made;
}

/// The entries of a list at these places of it, -1 for none: values and mask.
AnyMasked picked(const AnyTensor& values, std::span<const std::int64_t> entries) {
    const auto count = static_cast<std::int64_t>(entries.size());
    AnyTensor made(values.dtype(), {count}), mask(DType::boolean, {count});
    auto* specified = static_cast<std::uint8_t*>(mask.data());
    runtime::dispatch_width(values.dtype(), [&]<class U>() {
        const runtime::Reader<U> from(values.data());
        U* to = static_cast<U*>(made.data());
        for (std::size_t i = 0; i < entries.size(); ++i) {
            specified[i] = entries[i] >= 0 ? 1 : 0;
            if (entries[i] >= 0) to[i] = from[entries[i]];
        }
    });
    return AnyMasked::strided(made, mask);
}

/// Search for indices in an ascending list, -1 for an absent one; quick where they ascend as well.
class Finder {
public:
    explicit Finder(const IndexList& list) : list_(list) {}
    std::int64_t operator()(std::int64_t wanted) {
        if (is_at(last_, wanted)) return last_;
        if (is_at(last_ + 1, wanted)) return ++last_;
        std::int64_t low = 0, high = list_.size();
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (list_[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        last_ = low;
        return is_at(low, wanted) ? low : -1;
    }

private:
    bool is_at(std::int64_t i, std::int64_t wanted) const { return i < list_.size() && list_[i] == wanted; }
    const IndexList& list_;
    std::int64_t last_ = 0;
};

AnyTensor shaped(const AnyTensor& tensor, const Shape& shape) {
    return (tensor.is_contiguous() ? tensor : tensor.clone()).reshape(shape);
}

}  // namespace

CoordinateSet CoordinateSet::same_pattern(IterationSpace space, std::span<const Argument> arguments) {
    CoordinateSet made;
    made.space_ = std::move(space);
    const auto first = std::ranges::find(made.space_.has_mask, true) - made.space_.has_mask.begin();
    made.first_ = arguments[static_cast<std::size_t>(first)].masked().coalesce();
    made.count_ = made.first_.index() ? made.first_.index()->size() : made.first_.values().size();
    return made;
}

CoordinateSet
CoordinateSet::together(IterationSpace space, std::span<const Argument> arguments,
                        MergedLists (*merge)(const std::vector<std::shared_ptr<const IndexList>>&)) {
    CoordinateSet made;
    made.space_ = std::move(space);
    made.lists_.resize(arguments.size());
    made.merged_as_.resize(arguments.size());
    std::vector<std::shared_ptr<const IndexList>> lists;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!made.space_.has_mask[i]) continue;
        made.lists_[i] = runtime::as_list(arguments[i].masked());
        made.merged_as_[i] = lists.size();
        lists.push_back(made.lists_[i].index());
    }
    if (lists.empty())
        made.merged_.list =
            std::make_shared<const IndexList>(std::vector<std::int64_t>(), element_count(made.space_.shape));
    else
        made.merged_ = merge(lists);
    made.count_ = made.merged_.list->size();
    return made;
}

CoordinateSet CoordinateSet::union_of(IterationSpace space, std::span<const Argument> arguments) {
    return together(std::move(space), arguments, list_kernels::union_of);
}

CoordinateSet CoordinateSet::intersection_of(IterationSpace space, std::span<const Argument> arguments) {
    return together(std::move(space), arguments, list_kernels::intersection_of);
}

std::vector<std::int64_t> CoordinateSet::positions() const {
    const std::shared_ptr<const IndexList>& list = is_together() ? merged_.list : first_.index();
    if (!list) return runtime::traits_of(first_.layout()).stored_positions(first_);
    std::vector<std::int64_t> positions(static_cast<std::size_t>(list->size()));
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = (*list)[static_cast<std::int64_t>(i)];
    return positions;
}

std::int64_t CoordinateSet::bytes() const {
    std::int64_t bytes = 0;
    for (const ListEntries& entries : merged_.entries)
        bytes += entries.is_there.size() + entries.at.size() * 8;
    return bytes;
}

AnyTensor CoordinateSet::gathered(const AnyTensor& tensor) const {
    if (space_.by_rows) return gathered_rows(tensor, positions());
    const AnyTensor all = tensor.broadcast_to(space_.shape);
    const bool has_lines = !is_together() && first_.compressed_index() != nullptr &&
                           runtime::lists_elements(first_.layout()) && first_.shape() == space_.shape;
    if (!has_lines) return gathered_elements(all, *places());
    const auto along = runtime::traits_of(first_.layout()).by_column ? 1 : 0;
    return gathered_lines(all, *first_.compressed_index(), all.strides()[along], all.strides()[1 - along]);
}

std::shared_ptr<const IndexList> CoordinateSet::places() const {
    if (is_together()) return merged_.list;
    if (is_row_major()) return runtime::as_list(first_).index();
    return std::make_shared<const IndexList>(positions(), element_count(space_.shape));
}

/// The entries of a list at the coordinates.
AnyMasked CoordinateSet::densify(std::size_t symbol) const {
    const AnyTensor& values = lists_[symbol].values();
    const ListEntries& entries = merged_.entries[merged_as_[symbol]];
    const AnyTensor made = values_at(entries, values);
    return entries.is_there.address() == nullptr ? AnyMasked::dense(made)
                                                 : AnyMasked::strided(made, entries.is_there);
}

/// The elements of a masked tensor that has no extent in some dimensions and specifies every slice that has a
/// coordinate: its values, repeated along the slices.
std::optional<AnyMasked> CoordinateSet::repeated(const AnyMasked& small) const {
    if (!is_row_major()) return {};
    const std::shared_ptr<const IndexList> list = places();
    std::vector<std::int64_t> dims;
    const std::size_t added = space_.shape.size() - small.shape().size();
    for (std::size_t d = 0; d < space_.shape.size(); ++d)
        if (d < added || small.shape()[d - added] != space_.shape[d])
            dims.push_back(static_cast<std::int64_t>(d));
    const auto slices = slices_of(*list, space_.shape, dims, false);
    if (slices->list->bound() != small.index()->bound() || !are_equal(slices->list, small.index())) return {};
    if (small.dtype() == DType::boolean && all_true(small.values())) {
        constexpr bool yes = true;
        return AnyMasked::dense(runtime::filled_with(DType::boolean, {count_}, &yes));
    }
    AnyTensor made = runtime::result_tensor(small.dtype(), {count_});
    runtime::dispatch_width(small.dtype(), [&]<class U>() {
        const runtime::Reader<U> from(small.values().data());
        repeat(slices->entries, from, static_cast<U*>(made.data()));
    });
    return AnyMasked::dense(made);
}

/// The elements of a masked tensor at the coordinates, to which it broadcasts.
AnyMasked CoordinateSet::found_in(const AnyMasked& small) const {
    if (!runtime::is_list(small.layout()))
        return AnyMasked::strided(gathered(runtime::dense_values(small)), gathered(small.mask_tensor()));
    const AnyMasked listed = runtime::as_list(small);
    if (auto found = repeated(listed)) return *found;
    const Strides strides =
        broadcast_strides(listed.shape(), contiguous_strides(listed.shape()), space_.shape);
    const auto count = static_cast<std::size_t>(count_);
    runtime::PooledVector<std::int64_t> entries(count);
    const std::int64_t step = strides.empty() ? 0 : strides.back();
    each_line_part(*places(), space_.shape, strides,
                   [&](const auto* at, std::int64_t i, std::int64_t end, std::int64_t offset) {
                       for (; i < end; ++i) entries[static_cast<std::size_t>(i)] = offset + at[i] * step;
                   });
    Finder find(*listed.index());
    for (std::int64_t& entry : entries) entry = find(entry);
    return picked(listed.values(), entries);
}

AnyMasked CoordinateSet::values_of(std::size_t symbol, const Argument& argument, const Shape& shape) const {
    AnyMasked made;
    if (!has_mask(argument))
        made = AnyMasked::dense(gathered(argument.as_masked().values()));
    else if (!space_.has_mask[symbol])
        made = found_in(argument.masked());
    else
        made = is_together() ? densify(symbol) : argument.masked().coalesce();
    if (made.mask().address() == nullptr) return AnyMasked::dense(shaped(made.values(), shape));
    return AnyMasked::strided(shaped(made.values(), shape), shaped(made.mask(), shape));
}

AnyMasked CoordinateSet::placed(AnyTensor values, std::optional<AnyTensor> mask, const Shape& shape) const {
    const bool is_alone = values.is_contiguous() && values.owner().use_count() == 1;
    if (!is_alone) values = values.clone();
    if (!is_together()) {
        if (!space_.by_rows) values = values.reshape(first_.values().shape());
        AnyMasked made = runtime::with_values(first_, std::move(values));
        if (space_.by_rows || shape == space_.shape) return made;
        made = made.to(Layout::coo);
        return AnyMasked::indexed(Layout::coo, shape, made.index(), made.values());
    }
    SparseVector made{.list = merged_.list, .values = values.reshape({count()})};
    if (mask) made = where_true(made, (mask->is_contiguous() ? *mask : mask->clone()).reshape({count()}));
    return AnyMasked::indexed(Layout::coo, shape, made.list, made.values);
}

}  // namespace frisket::list_kernels
