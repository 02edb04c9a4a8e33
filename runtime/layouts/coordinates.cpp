// SPDX-License-Identifier: MIT
#include <type_traits>
#include <vector>

#include "../tensor/elements.hpp"
#include "layout.hpp"
#include "layout_traits.hpp"
#include "summing.hpp"

namespace frisket::runtime {

namespace {

/// Sums entries of `length` elements, each group from its first entry on.
template <class T>
void sum_groups(const CoalescePlan& plan, Reader<T> from, std::int64_t length, T* to) {
    using Sum = Summing<T>;
    constexpr bool is_wide = !std::is_same_v<Sum, T>;
    std::vector<Sum> wide(is_wide ? static_cast<std::size_t>(length) : 0);
    for (std::size_t u = 0; u + 1 < plan.start.size(); ++u, to += length) {
        Sum* sum = wide.data();
        if constexpr (!is_wide) sum = to;
        const Reader<T> first = from + plan.order[plan.start[u]] * length;
        for (std::int64_t i = 0; i < length; ++i) sum[i] = first[i];
        for (std::int64_t entry = plan.start[u] + 1; entry < plan.start[u + 1]; ++entry) {
            const Reader<T> more = from + plan.order[entry] * length;
            for (std::int64_t i = 0; i < length; ++i) sum[i] = added(sum[i], static_cast<Sum>(more[i]));
        }
        if constexpr (is_wide)
            for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<T>(sum[i]);
    }
}

/// Ors the truth values of each group, as the sum of duplicates.
void any_of_groups(const CoalescePlan& plan, const std::uint8_t* from, std::int64_t length,
                   std::uint8_t* to) {
    for (std::size_t u = 0; u + 1 < plan.start.size(); ++u, to += length)
        for (std::int64_t entry = plan.start[u]; entry < plan.start[u + 1]; ++entry)
            for (std::int64_t i = 0; i < length; ++i) to[i] |= from[plan.order[entry] * length + i] != 0;
}

AnyTensor summed(const IndexList& index, const AnyTensor& given) {
    const AnyTensor values = given.is_contiguous() ? given : given.clone();
    Shape shape = values.shape();
    const std::int64_t length = row_length(shape);
    shape[0] = index.unique().size();
    AnyTensor result(values.dtype(), std::move(shape));
    if (result.size() == 0) return result;
    dispatch(values.dtype(), [&]<class T>() {
        using Element = typename Stored<T>::Type;
        auto* to = static_cast<Element*>(result.data());
        if constexpr (std::is_same_v<T, bool>)
            any_of_groups(index.plan(), static_cast<const Element*>(values.data()), length, to);
        else
            sum_groups(index.plan(), Reader<T>(values.data()), length, to);
    });
    return result;
}

}  // namespace

Coordinates coordinates_of(const AnyMasked& masked) {
    if (!masked.index()) {
        Entries entries = traits_of(masked.layout()).entries(masked);
        auto list = share(std::move(entries.positions), masked.size());
        return {.positions = IndexView(*list), .values = std::move(entries.values), .made = list};
    }
    const IndexList& index = *masked.index();
    const AnyTensor& values = masked.values();
    if (!index.is_coalesced())
        return {.positions = IndexView(index.unique()), .values = summed(index, values)};
    return {.positions = IndexView(index), .values = values.is_contiguous() ? values : values.clone()};
}

}  // namespace frisket::runtime
