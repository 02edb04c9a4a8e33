// SPDX-License-Identifier: MIT
#include "segmented_reduce.hpp"

#include "../layouts/layout_traits.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/index_span.hpp"
#include "../tensor/reducer.hpp"
#include "../tensor/sum_of_products.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace frisket::list_kernels {

using runtime::Reducer;

namespace {

bool goes(std::span<const std::int64_t> dims, std::size_t d) {
    return std::ranges::find(dims, static_cast<std::int64_t>(d)) != dims.end();
}

/// Elements of a slice if the reduced dimensions are the last, so that slices follow each other; else 0.
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

namespace {

/// Calls body.operator()<reduction>(), so that its loop has one kind of reduction.
template <class Body>
void dispatch_reduction(Reduction reduction, Body&& body) {
    switch (reduction) {
        case Reduction::sum: return body.template operator()<Reduction::sum>();
        case Reduction::prod: return body.template operator()<Reduction::prod>();
        case Reduction::any: return body.template operator()<Reduction::any>();
        case Reduction::all: return body.template operator()<Reduction::all>();
        case Reduction::amin: return body.template operator()<Reduction::amin>();
        case Reduction::amax: return body.template operator()<Reduction::amax>();
        case Reduction::argmin: return body.template operator()<Reduction::argmin>();
        case Reduction::argmax: return body.template operator()<Reduction::argmax>();
        case Reduction::contract: break;
    }
    throw Bug("a sum of products has two factors");
}

/// Calls body(entry) for the entries of a slice for which `where` is true.
template <class Body>
void each_of_slice(const CoalescePlan& slices, std::size_t slice, const std::optional<AnyTensor>& where,
                   Body&& body) {
    const std::int64_t begin = slices.start[slice], end = slices.start[slice + 1];
    if (!where && slices.order.empty()) {
        for (std::int64_t i = begin; i < end; ++i) body(i);
        return;
    }
    const runtime::Reader<bool> is_reduced(where ? where->data() : nullptr);
    for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t entry = slices.order.empty() ? i : slices.order[static_cast<std::size_t>(i)];
        if (!where || is_reduced[entry]) body(entry);
    }
}

/// The smallest or largest of floats without a branch for each; nothing if one of them is no number.
template <Reduction kind, class T>
std::optional<T> best_number(const runtime::Reader<T>& x, std::int64_t count) {
    T best = Reducer<T>(kind).value();
    bool are_numbers = true;
    for (std::int64_t i = 0; i < count; ++i) {
        const T here = x[i];
        best = (kind == Reduction::amin ? here < best : best < here) ? here : best;
        are_numbers &= here == here;
    }
    return are_numbers ? std::optional(best) : std::nullopt;
}

/// Reduces slices of a line, x.
template <Reduction kind, class T>
void reduce_slices(const ListSlices& of, const AnyTensor& x, const std::optional<AnyTensor>& where,
                   const AnyTensor& made) {
    constexpr bool has_positions = kind == Reduction::argmin || kind == Reduction::argmax;
    constexpr bool is_best = std::floating_point<T> && (kind == Reduction::amin || kind == Reduction::amax);
    const CoalescePlan& slices = of.entries;
    const runtime::Reader<T> from(x.data());
    void* const to = made.data();
    const bool is_own_dtype = made.dtype() == x.dtype(), lies_in_line = !where && slices.order.empty();
    runtime::parallel_slices(slices, [&](std::size_t slice) {
        if constexpr (is_best)
            if (lies_in_line && is_own_dtype) {
                const std::int64_t begin = slices.start[slice], end = slices.start[slice + 1];
                if (const auto best = best_number<kind>(from + begin, end - begin)) {
                    static_cast<T*>(to)[slice] = *best;
                    return;
                }
            }
        Reducer<T> reducer(kind);
        // Positions are looked up once for each slice: the reducer keeps the best entry, from 1 on.
        each_of_slice(slices, slice, where,
                      [&](std::int64_t entry) { reducer.add(from[entry], has_positions ? entry + 1 : 0); });
        if constexpr (has_positions) {
            const std::int64_t best = reducer.best_position();
            static_cast<std::int64_t*>(to)[slice] =
                best == 0 ? 0 : of.positions[static_cast<std::size_t>(best - 1)];
        } else if (is_own_dtype)
            static_cast<typename runtime::Stored<T>::Type*>(to)[slice] = reducer.value();
        else
            static_cast<double*>(to)[slice] = static_cast<double>(reducer.total());
    });
}

AnyTensor reduced(Reduction reduction, const ListSlices& slices, const AnyTensor& x,
                  const std::optional<AnyTensor>& where, DType dtype) {
    const bool has_positions = reduction == Reduction::argmin || reduction == Reduction::argmax;
    const bool is_wide = x.dtype() == DType::float32 && dtype == DType::float64;
    if (has_positions ? dtype != DType::int64 : dtype != x.dtype() && !is_wide)
        throw Bug("listed " + std::string(name_of(x.dtype())) + " are not reduced to " +
                  std::string(name_of(dtype)));
    AnyTensor made(dtype, {slices.list->size()});
    runtime::dispatch_values(x.dtype(), [&]<class T>() {
        dispatch_reduction(reduction,
                           [&]<Reduction kind>() { reduce_slices<kind, T>(slices, x, where, made); });
    });
    return made;
}

/// Reduction::contract of slices of two lines, of which one may be a single number.
AnyTensor contracted(const ListSlices& of, const AnyTensor& a, const AnyTensor& b,
                     const std::optional<AnyTensor>& where) {
    const CoalescePlan& slices = of.entries;
    AnyTensor made(a.dtype(), {of.list->size()});
    const std::int64_t step_a = a.size() == 1 ? 0 : 1, step_b = b.size() == 1 ? 0 : 1;
    runtime::dispatch_numbers(a.dtype(), [&]<class T>() {
        const runtime::Reader<T> from_a(a.data()), from_b(b.data());
        for (std::size_t slice = 0; slice + 1 < slices.start.size(); ++slice) {
            runtime::SumOfProducts<T> sum;
            each_of_slice(slices, slice, where, [&](std::int64_t entry) {
                sum.add(from_a[entry * step_a], from_b[entry * step_b],
                        of.positions[static_cast<std::size_t>(entry)]);
            });
            static_cast<T*>(made.data())[slice] = sum.result();
        }
    });
    return made;
}

}  // namespace

SparseVector segmented_reduce(Reduction reduction, const ListSlices& slices, const AnyTensor& x,
                              const std::optional<AnyTensor>& y, const std::optional<AnyTensor>& given,
                              DType dtype) {
    const auto where = given && all_true(*given) ? std::nullopt : given;
    if (reduction == Reduction::any && !where && x.dtype() == DType::boolean && all_true(x)) {
        constexpr bool yes = true;
        return {.list = slices.list,
                .values = runtime::filled_with(DType::boolean, {slices.list->size()}, &yes)};
    }
    return {.list = slices.list,
            .values = y ? contracted(slices, x, *y, where) : reduced(reduction, slices, x, where, dtype)};
}

}  // namespace frisket::list_kernels
