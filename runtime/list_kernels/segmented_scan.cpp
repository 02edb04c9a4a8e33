// SPDX-License-Identifier: MIT
#include "segmented_scan.hpp"

#include "../layouts/layout_traits.hpp"
#include "../limits.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/index_span.hpp"
#include "../tensor/reducer.hpp"

#include <array>
#include <concepts>

namespace frisket::list_kernels {

using runtime::Reducer;

namespace {

/// The entries of a slice, in order, and whether each counts.
class SliceEntries {
public:
    SliceEntries(const CoalescePlan& slices, std::size_t slice, const std::optional<AnyTensor>& where)
        : order_(slices.order),
          begin_(slices.start[slice]),
          end_(slices.start[slice + 1]),
          counts_(where ? where->data() : nullptr),
          has_where_(where.has_value()) {}

    std::int64_t size() const { return end_ - begin_; }
    std::int64_t operator[](std::int64_t i) const {
        return order_.empty() ? begin_ + i : order_[static_cast<std::size_t>(begin_ + i)];
    }
    bool counts(std::int64_t entry) const { return !has_where_ || counts_[entry]; }

private:
    std::span<const std::int64_t> order_;
    std::int64_t begin_, end_;
    runtime::Reader<bool> counts_;
    bool has_where_;
};

/// Entry after entry.
template <class T>
void scan_entries(Reduction reduction, const SliceEntries& entries, const runtime::Reader<T>& x,
                  typename runtime::Stored<T>::Type* to) {
    Reducer<T> reducer(reduction);
    for (std::int64_t i = 0; i < entries.size(); ++i) {
        const std::int64_t entry = entries[i];
        if (entries.counts(entry)) reducer.add(x[entry], 0);
        to[entry] = reducer.value();
    }
}

/// Block after block of a line: each number at once with the numbers 1, 2, 4, … before it, then with the
/// result of the blocks before it.
template <class T>
void scan_blocks(bool is_sum, const SliceEntries& entries, std::span<const std::int64_t> positions,
                 const runtime::Reader<T>& x, typename runtime::Stored<T>::Type* to) {
    constexpr std::int64_t block = limits::scan_block;
    const auto combine = [is_sum](double a, double b) { return is_sum ? a + b : a * b; };
    const double identity = is_sum ? 0 : 1;
    const auto position = [&](std::int64_t i) { return positions[static_cast<std::size_t>(entries[i])]; };
    std::array<double, block> row{};
    double before = identity;
    for (std::int64_t first = 0, last = 0; first < entries.size(); first = last) {
        const std::int64_t number = position(first) / block;
        row.fill(identity);
        for (; last < entries.size() && position(last) / block == number; ++last)
            if (entries.counts(entries[last]))
                row[static_cast<std::size_t>(position(last) % block)] = x[entries[last]];
        for (std::size_t step = 1; step < row.size(); step *= 2)
            for (std::size_t i = row.size(); i-- > step;) row[i] = combine(row[i - step], row[i]);
        for (std::int64_t i = first; i < last; ++i)
            to[entries[i]] =
                static_cast<T>(combine(before, row[static_cast<std::size_t>(position(i) % block)]));
        before = combine(before, row.back());
    }
}

}  // namespace

AnyTensor segmented_scan(Reduction reduction, const ListSlices& slices, const AnyTensor& x,
                         const std::optional<AnyTensor>& given, bool has_blocks) {
    const auto where = given && all_true(*given) ? std::nullopt : given;
    AnyTensor made(x.dtype(), {x.size()});
    runtime::dispatch_values(x.dtype(), [&]<class T>() {
        const runtime::Reader<T> from(x.data());
        auto* const to = static_cast<typename runtime::Stored<T>::Type*>(made.data());
        runtime::parallel_slices(slices.entries, [&](std::size_t slice) {
            const SliceEntries entries(slices.entries, slice, where);
            if constexpr (std::floating_point<T>)
                if (has_blocks)
                    return scan_blocks<T>(reduction == Reduction::sum, entries, slices.positions, from, to);
            scan_entries<T>(reduction, entries, from, to);
        });
    });
    return made;
}

}  // namespace frisket::list_kernels
