// SPDX-License-Identifier: MIT
#include "list_merge.hpp"

#include "../limits.hpp"
#include "../support/parallel.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/index_span.hpp"
#include "../tensor/result_memory.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace frisket::list_kernels {

namespace {

using Positions = runtime::PooledArray<std::int64_t>;
using List = std::shared_ptr<const IndexList>;

/// A part of two lists, and where the places of both go.
template <class Index>
struct Part {
    const Index *a, *a_end, *b, *b_end;
    std::int64_t* to;
    std::uint8_t *in_a, *in_b;

    /// Merges without a branch that depends on the lists.
    void merge() {
        while (a != a_end && b != b_end) {
            const Index x = *a, y = *b;
            const bool is_a = x <= y, is_b = y <= x;
            *to++ = is_a ? x : y;
            *in_a++ = is_a;
            *in_b++ = is_b;
            a += is_a;
            b += is_b;
        }
        in_a = std::fill_n(in_a, a_end - a, std::uint8_t{1});
        in_b = std::fill_n(in_b, a_end - a, std::uint8_t{0});
        to = std::copy(a, a_end, to);
        in_a = std::fill_n(in_a, b_end - b, std::uint8_t{0});
        in_b = std::fill_n(in_b, b_end - b, std::uint8_t{1});
        to = std::copy(b, b_end, to);
    }
};

/// The union of two lists: its positions, and whether each list has them.
struct Union {
    Positions places;
    AnyTensor in_a, in_b;
};

template <class Index>
Union merged(std::span<const Index> a, std::span<const Index> b) {
    const auto most = static_cast<std::int64_t>(a.size() + b.size());
    Union made{.places = Positions(most),
               .in_a = runtime::result_tensor(DType::boolean, {most}),
               .in_b = runtime::result_tensor(DType::boolean, {most})};
    auto* const in_a = static_cast<std::uint8_t*>(made.in_a.data());
    auto* const in_b = static_cast<std::uint8_t*>(made.in_b.data());
    // Two halves: the second leaves room for all of the first, and moves up when that is known.
    const bool is_long = most >= limits::long_merge;
    const std::size_t half_a = is_long ? a.size() / 2 : a.size();
    const std::size_t half_b =
        half_a == a.size() ? b.size()
                           : static_cast<std::size_t>(std::ranges::lower_bound(b, a[half_a]) - b.begin());
    const std::size_t half = half_a + half_b;
    Part<Index> parts[2] = {
        {a.data(), a.data() + half_a, b.data(), b.data() + half_b, made.places.data(), in_a, in_b},
        {a.data() + half_a, a.data() + a.size(), b.data() + half_b, b.data() + b.size(),
         made.places.data() + half, in_a + half, in_b + half}};
    runtime::parallel_tasks(is_long ? 2 : 1, [&](int i) { parts[i].merge(); });
    const auto first = static_cast<std::size_t>(parts[0].to - made.places.data());
    const auto second = static_cast<std::size_t>(parts[1].to - (made.places.data() + half));
    if (first < half && second > 0)
        runtime::parallel_tasks(2, [&](int i) {
            if (i == 0) {
                std::memmove(made.places.data() + first, made.places.data() + half, second * 8);
                return;
            }
            std::memmove(in_a + first, in_a + half, second);
            std::memmove(in_b + first, in_b + half, second);
        });
    const auto count = static_cast<std::int64_t>(first + second);
    made.places.shrink(count);
    made.in_a = made.in_a.slice(0, 0, count);
    made.in_b = made.in_b.slice(0, 0, count);
    return made;
}

/// Where a list was there in a union, now that this union is a part of another one.
AnyTensor spread(const ListEntries& before, const AnyTensor& in_union) {
    if (before.are_all) return in_union;
    AnyTensor made = runtime::result_tensor(DType::boolean, in_union.shape());
    const auto* there = static_cast<const std::uint8_t*>(before.is_there.data());
    const auto* in = static_cast<const std::uint8_t*>(in_union.data());
    auto* to = static_cast<std::uint8_t*>(made.data());
    std::int64_t entry = 0;
    for (std::int64_t i = 0; i < made.size(); ++i) {
        to[i] = in[i] != 0 ? there[entry] : 0;
        entry += in[i];
    }
    return made;
}

/// The positions that two lists have, and the entries of both there.
struct Meeting { Positions places, at_a, at_b; };

/// Entries of a part of two lists at the positions that both have, counted from the first of each; their
/// number.
template <class Index>
std::int64_t meet(std::span<const Index> a, std::span<const Index> b, std::int64_t* to, std::int64_t* at_a,
                  std::int64_t* at_b) {
    const auto size_a = std::ssize(a), size_b = std::ssize(b);
    std::int64_t i = 0, j = 0, k = 0;
    const Index *first = a.data(), *second = b.data();
    while (i < size_a && j < size_b) {
        const Index x = first[i], y = second[j];
        to[k] = x;
        at_a[k] = i;
        at_b[k] = j;
        k += x == y;
        i += x <= y;
        j += y <= x;
    }
    return k;
}

/// Two lists by parts, side by side.  `a`: not the longer one.
template <class Index>
Meeting met(std::span<const Index> a, std::span<const Index> b) {
    const auto size_a = std::ssize(a), size_b = std::ssize(b);
    Meeting made{.places = Positions(size_a), .at_a = Positions(size_a), .at_b = Positions(size_a)};
    const std::int64_t parts = 1 + (size_a + size_b) / limits::long_merge;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(parts));
    const auto first_of = [&](std::int64_t part) { return size_a / parts * part; };
    runtime::parallel_tasks(static_cast<int>(parts), [&](int part) {
        const bool is_last = part + 1 == parts;
        const std::int64_t i = first_of(part), i_end = is_last ? size_a : first_of(part + 1);
        if (i == i_end) return;
        const auto begin = std::ranges::lower_bound(b, a[static_cast<std::size_t>(i)]);
        const auto end = std::upper_bound(begin, b.end(), a[static_cast<std::size_t>(i_end - 1)]);
        const std::int64_t j = begin - b.begin();
        const std::int64_t count =
            meet<Index>(a.subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(i_end - i)),
                        {begin, end}, made.places.data() + i, made.at_a.data() + i, made.at_b.data() + i);
        for (std::int64_t k = i; k < i + count; ++k) {
            made.at_a.data()[k] += i;
            made.at_b.data()[k] += j;
        }
        counts[static_cast<std::size_t>(part)] = count;
    });
    std::int64_t count = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t own = counts[static_cast<std::size_t>(part)];
        for (Positions* const all : {&made.places, &made.at_a, &made.at_b})
            std::copy_n(all->data() + first_of(part), own, all->data() + count);
        count += own;
    }
    for (Positions* const all : {&made.places, &made.at_a, &made.at_b}) all->shrink(count);
    return made;
}

/// The positions that two lists have, of which either may be the longer one.
Meeting met(const IndexList& a, const IndexList& b) {
    if (a.size() > b.size()) {
        Meeting made = met(b, a);
        std::swap(made.at_a, made.at_b);
        return made;
    }
    return runtime::with_indices(a, [&]<class Index>(const Index* first) {
        const void* second = a.is_narrow() ? static_cast<const void*>(b.narrow().data()) : b.wide().data();
        return met(std::span(first, static_cast<std::size_t>(a.size())),
                   std::span(static_cast<const Index*>(second), static_cast<std::size_t>(b.size())));
    });
}

Positions composed(const ListEntries& before, Positions at) {
    if (before.are_all) return at;
    for (std::int64_t i = 0; i < at.size(); ++i) at.data()[i] = before.at.data()[at.data()[i]];
    return at;
}

Positions copy_of(const Positions& from) {
    Positions made(from.size());
    std::copy_n(from.data(), from.size(), made.data());
    return made;
}

}  // namespace

bool are_equal(const List& a, const List& b) {
    if (a == b) return true;
    if (a->size() != b->size()) return false;
    return runtime::with_indices(*a, [&](const auto* first) {
        const void* other = a->is_narrow() ? static_cast<const void*>(b->narrow().data()) : b->wide().data();
        const auto bytes = static_cast<std::size_t>(a->size()) * sizeof *first;
        return bytes == 0 || std::memcmp(first, other, bytes) == 0;
    });
}

MergedLists union_of(const std::vector<List>& lists) {
    MergedLists made{.list = lists[0], .entries = {}};
    made.entries.resize(lists.size());
    for (std::size_t k = 1; k < lists.size(); ++k) {
        if (are_equal(lists[k], made.list)) continue;
        const auto same = static_cast<std::size_t>(std::ranges::find(lists, lists[k]) - lists.begin());
        if (same < k) {  // as it was before
            made.entries[k].are_all = made.entries[same].are_all;
            made.entries[k].is_there = made.entries[same].is_there;
            continue;
        }
        Union both = runtime::with_indices(*made.list, [&]<class Index>(const Index* a) {
            const void* b = made.list->is_narrow() ? static_cast<const void*>(lists[k]->narrow().data())
                                                   : lists[k]->wide().data();
            return merged(
                std::span(a, static_cast<std::size_t>(made.list->size())),
                std::span(static_cast<const Index*>(b), static_cast<std::size_t>(lists[k]->size())));
        });
        const std::int64_t count = both.places.size();
        const bool is_before = count == made.list->size(), is_new = count == lists[k]->size();
        for (std::size_t before = 0; before < k && !is_before; ++before) {
            made.entries[before].is_there = spread(made.entries[before], both.in_a);
            made.entries[before].are_all = false;
        }
        made.entries[k].are_all = is_new;
        if (!is_new) made.entries[k].is_there = both.in_b;
        if (!is_before)
            made.list =
                is_new ? lists[k] : IndexList::of_ascending(std::move(both.places), made.list->bound());
    }
    return made;
}

MergedLists intersection_of(const std::vector<List>& lists) {
    MergedLists made{.list = lists[0], .entries = {}};
    made.entries.resize(lists.size());
    for (std::size_t k = 1; k < lists.size(); ++k) {
        if (are_equal(lists[k], made.list)) continue;
        const auto same = static_cast<std::size_t>(std::ranges::find(lists, lists[k]) - lists.begin());
        if (same < k) {
            made.entries[k].are_all = made.entries[same].are_all;
            made.entries[k].at = copy_of(made.entries[same].at);
            continue;
        }
        Meeting both = met(*made.list, *lists[k]);
        const std::int64_t count = both.places.size();
        if (count != made.list->size())
            for (std::size_t before = 0; before < k; ++before) {
                made.entries[before].at = composed(made.entries[before], copy_of(both.at_a));
                made.entries[before].are_all = false;
            }
        made.entries[k].are_all = count == lists[k]->size();
        made.entries[k].at = std::move(both.at_b);
        if (count != made.list->size())
            made.list = IndexList::of_ascending(std::move(both.places), made.list->bound());
    }
    return made;
}

namespace {

/// For each part of a line of bools, how many are true before it.
std::vector<std::int64_t> true_before(const std::uint8_t* bools, std::int64_t count, std::int64_t part) {
    std::vector<std::int64_t> before(static_cast<std::size_t>((count + part - 1) / part) + 1);
    runtime::parallel_ranges(count, part, [&](std::int64_t begin, std::int64_t end) {
        std::uint32_t sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += bools[i];
        before[static_cast<std::size_t>(begin / part) + 1] = sum;
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    return before;
}

template <class U>
void spread_values(const AnyTensor& is_there, const AnyTensor& values, U* to) {
    const runtime::Reader<U> from(values.data());
    const auto* const there = static_cast<const std::uint8_t*>(is_there.data());
    constexpr std::int64_t part = limits::task_elements;
    const auto before = true_before(there, is_there.size(), part);
    const std::int64_t last = values.size() - 1;
    if (last < 0) return;
    runtime::parallel_ranges(is_there.size(), part, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t entry = before[static_cast<std::size_t>(begin / part)];
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] = from[std::min(entry, last)];
            entry += there[i];
        }
    });
}

}  // namespace

AnyTensor values_at(const ListEntries& entries, const AnyTensor& values) {
    if (entries.are_all) return values;
    const bool is_union = entries.is_there.data() != nullptr;
    const std::int64_t count = is_union ? entries.is_there.size() : entries.at.size();
    AnyTensor made = runtime::result_tensor(values.dtype(), {count});
    runtime::dispatch_width(values.dtype(), [&]<class U>() {
        U* const to = static_cast<U*>(made.data());
        if (is_union) return spread_values(entries.is_there, values, to);
        const runtime::Reader<U> from(values.data());
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[entries.at.data()[i]];
    });
    return made;
}

}  // namespace frisket::list_kernels
