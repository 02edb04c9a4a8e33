// SPDX-License-Identifier: MIT
#include "scattered_list.hpp"

#include "../layouts/layout_traits.hpp"
#include "../limits.hpp"
#include "../support/at.hpp"
#include "../support/parallel.hpp"
#include "../tensor/result_memory.hpp"
#include "line_products.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

namespace frisket::list_kernels {

using runtime::at;

namespace {

using Numbers = runtime::PooledVector<std::int64_t>;

AnyTensor contiguous(const AnyTensor& tensor) { return tensor.is_contiguous() ? tensor : tensor.clone(); }

/// Scattered entries, in their order: elements, or rows of them.
struct ScatteredEntries {
    Numbers places;           ///< row-major position, or row, of each entry
    Numbers offsets;          ///< offset of each entry's values, in elements
    std::int64_t length = 1;  ///< elements of an entry
};

/// The positions of entries, dimension after dimension of their target.
class PlaceSum {
public:
    PlaceSum(Shape space, std::size_t count) : space_(std::move(space)), places_(count, 0) {}

    /// Adds the index along a dimension of the entries' space, `step` times.
    void add_coordinate(std::size_t dim, std::int64_t step) {
        std::int64_t inner = 1;
        for (std::size_t d = dim + 1; d < space_.size(); ++d) inner *= space_[d];
        for (std::size_t i = 0; i < places_.size(); ++i)
            places_[i] += static_cast<std::int64_t>(i) / inner % space_[dim] * step;
    }
    /// Adds a tensor of indices of the space.
    void add_tensor(const AnyTensor& indices, std::int64_t step) {
        const AnyTensor in_line = contiguous(indices);
        const auto* const from = static_cast<const std::int64_t*>(in_line.data());
        for (std::size_t i = 0; i < places_.size(); ++i) places_[i] += from[i] * step;
    }
    void add_number(std::int64_t number) {
        for (std::int64_t& place : places_) place += number;
    }
    Numbers take() { return std::move(places_); }

private:
    Shape space_;
    Numbers places_;
};

/// The place of each entry: a row, or a row-major position.
Numbers places_of(const Scattered& scattered) {
    const Shape& space = scattered.space;
    PlaceSum sum(space, at(element_count(space)));
    std::int64_t stride = 1;
    for (std::size_t d = scattered.indices.size(); d-- > 0; stride *= scattered.target[d]) {
        const ScatteredIndex& index = scattered.indices[d];
        if (index.first != 0) sum.add_number(index.first * stride);
        for (std::size_t j = 0; j < index.steps.size(); ++j)
            if (index.steps[j] != 0) sum.add_coordinate(j, index.steps[j] * stride);
        if (index.indices) sum.add_tensor(*index.indices, stride);
    }
    return sum.take();
}

/// Offsets of the elements of a tensor of this space from its first one.
Numbers offsets_of(const Shape& space, std::span<const std::int64_t> strides) {
    Numbers offsets(1, 0);
    for (std::size_t d = 0; d < space.size(); ++d) {
        Numbers finer(offsets.size() * at(space[d]));
        std::int64_t* to = finer.data();
        for (const std::int64_t offset : offsets)
            for (std::int64_t i = 0; i < space[d]; ++i) *to++ = offset + i * strides[d];
        offsets = std::move(finer);
    }
    return offsets;
}

/// Leaves out the entries that are not scattered.
void leave_out(ScatteredEntries& entries, const AnyTensor& where) {
    const auto* const is_scattered = static_cast<const std::uint8_t*>(where.data());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries.places.size(); ++i) {
        if (is_scattered[i] == 0) continue;
        entries.places[kept] = entries.places[i];
        entries.offsets[kept++] = entries.offsets[i];
    }
    entries.places.resize(kept);
    entries.offsets.resize(kept);
}

/// Adds up the entries of each place of a list with duplicates, on several threads if there are many.
template <class T>
void add_up(const CoalescePlan& plan, const ScatteredEntries& entries, const T* values, T* to) {
    const auto count = std::ssize(plan.order);
    const MatrixRows<T> rows{.data = values, .stride = 1, .length = entries.length};
    const std::int64_t each =
        std::max<std::int64_t>(limits::task_elements / std::max<std::int64_t>(entries.length, 1), 1);
    // Tasks are cut by entries, at the first position that begins there or later.
    const auto first_place = [&](std::int64_t entry) {
        return std::ranges::lower_bound(plan.start, std::min(entry, count)) - plan.start.begin();
    };
    runtime::parallel_ranges(count, each, [&](std::int64_t begin, std::int64_t end) {
        const auto places = first_place(begin), last = first_place(end);
        const std::span order =
            std::span(plan.order)
                .subspan(at(plan.start[at(places)]), at(plan.start[at(last)] - plan.start[at(places)]));
        Numbers offsets(order.size());
        std::ranges::transform(order, offsets.begin(),
                               [&](std::int64_t i) { return entries.offsets[at(i)]; });
        const std::int64_t* inner = offsets.data();
        for (auto place = places; place < last; ++place) {
            const std::int64_t entries_here = plan.start[at(place + 1)] - plan.start[at(place)];
            const std::int64_t ahead = offsets.data() + offsets.size() - inner - entries_here;
            sum_rows<T>({.inner = inner, .count = entries_here, .ahead = ahead}, rows,
                        to + place * entries.length);
            inner += entries_here;
        }
    });
}

/// The values of entries, one after the other.
void gather(const AnyTensor& values, const ScatteredEntries& entries, const AnyTensor& to) {
    const std::int64_t size = bytes_of(values.dtype());
    const std::size_t bytes = at(entries.length * size);
    for (std::size_t i = 0; i < entries.offsets.size() && bytes > 0; ++i)
        std::memcpy(static_cast<std::byte*>(to.data()) + i * bytes,
                    static_cast<const std::byte*>(values.data()) + entries.offsets[i] * size, bytes);
}

}  // namespace

AnyMasked scattered_list(const Scattered& scattered) {
    const bool is_rows = scattered.layout == Layout::rows;
    const Shape& target = scattered.target;
    const AnyTensor& values = scattered.values;
    ScatteredEntries entries{.places = places_of(scattered),
                             .offsets = offsets_of(scattered.space, values.strides()),
                             .length = is_rows ? runtime::row_length(target) : 1};
    if (scattered.where) leave_out(entries, contiguous(*scattered.where));
    const std::int64_t bound = is_rows ? target[0] : element_count(target);
    const auto list =
        std::make_shared<const IndexList>(entries.places.data(), std::ssize(entries.places), bound);
    const bool is_coalesced = list->is_coalesced();
    const std::shared_ptr<const IndexList> index(list, is_coalesced ? list.get() : &list->unique());
    Shape shape = is_rows ? Shape(target.begin() + 1, target.end()) : Shape();
    shape.insert(shape.begin(), index->size());
    if (is_coalesced && values.is_contiguous() && values.size() == index->size() * entries.length)
        return AnyMasked::indexed(scattered.layout, target, index, values.reshape(shape));
    AnyTensor stored = runtime::result_tensor(values.dtype(), shape);
    if (is_coalesced)
        gather(values, entries, stored);
    else
        dispatch(values.dtype(), [&]<class T>() {
            if constexpr (std::is_floating_point_v<T>)
                add_up(list->plan(), entries, static_cast<const T*>(values.data()),
                       static_cast<T*>(stored.data()));
        });
    return AnyMasked::indexed(scattered.layout, target, index, std::move(stored));
}

AnyMasked united(const AnyMasked& a, const AnyMasked& b) {
    const runtime::IndexView at_a(*a.index()), at_b(*b.index());
    std::vector<std::int64_t> places;
    std::vector<std::array<std::int64_t, 2>> from;  // entry of each list, or -1
    for (std::int64_t i = 0, j = 0; i < at_a.size() || j < at_b.size();) {
        const bool has_a = i < at_a.size() && (j == at_b.size() || at_a[i] <= at_b[j]);
        const bool has_b = j < at_b.size() && (i == at_a.size() || at_b[j] <= at_a[i]);
        places.push_back(has_a ? at_a[i] : at_b[j]);
        from.push_back({has_a ? i++ : -1, has_b ? j++ : -1});
    }
    Shape shape = a.values().shape();
    shape[0] = static_cast<std::int64_t>(places.size());
    AnyTensor values(a.dtype(), shape);
    const std::int64_t length = places.empty() ? 0 : values.size() / shape[0];
    dispatch(values.dtype(), [&]<class T>() {
        T* to = static_cast<T*>(values.data());
        const T *const of_a = static_cast<const T*>(a.values().data()), *const of_b = static_cast<const T*>(
                                                                            b.values().data());
        for (const auto& [i, j] : from) {
            if (i < 0 || j < 0)
                std::copy_n(i < 0 ? of_b + j * length : of_a + i * length, length, to);
            else if constexpr (std::is_floating_point_v<T>)
                for (std::int64_t k = 0; k < length; ++k) to[k] = of_a[i * length + k] + of_b[j * length + k];
            to += length;
        }
    });
    auto list = std::make_shared<const IndexList>(std::move(places), a.index()->bound());
    return AnyMasked::indexed(a.layout(), a.shape(), std::move(list), std::move(values));
}

}  // namespace frisket::list_kernels
