// SPDX-License-Identifier: MIT
#include "permutation.hpp"

#include "../layouts/layout_traits.hpp"
#include "../limits.hpp"
#include "../tensor/index_span.hpp"
#include "segmented_reduce.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

namespace frisket::list_kernels {

namespace {

/// Along which dimension of a view an index of its operand runs.
struct Along {
    std::optional<std::size_t> dim = {};
    std::int64_t step = 0, offset = 0;
};

/// A line for each dimension of the operand; nothing if one runs along several.
std::optional<std::vector<Along>> lines_of(const ElementView& view) {
    const std::size_t rank = view.shape.size();
    std::vector<Along> lines(rank == 0 ? view.offsets.size() : view.coefficients.size() / rank);
    for (std::size_t d = 0; d < lines.size(); ++d) {
        if (!view.offsets.empty()) lines[d].offset = view.offsets[d];
        for (std::size_t j = 0; j < rank; ++j) {
            const std::int64_t step = view.coefficients[d * rank + j];
            if (step == 0 || view.shape[j] == 1) continue;
            if (lines[d].dim) return {};
            lines[d].dim = j;
            lines[d].step = step;
        }
    }
    return lines;
}

/// The index of a view's element that shows this one; false if none does.
bool find_shown(std::span<const Along> lines, std::int64_t position, const Shape& shape,
                const ElementView& view, Shape& index) {
    std::ranges::fill(index, -1);
    for (std::size_t d = lines.size(); d-- > 0; position /= shape[d]) {
        const std::int64_t distance = position % shape[d] - lines[d].offset;
        if (!lines[d].dim) {
            if (distance != 0) return false;
            continue;
        }
        const std::size_t j = *lines[d].dim;
        const std::int64_t i = distance / lines[d].step;
        if (i * lines[d].step != distance || i < 0 || i >= view.shape[j]) return false;
        if (index[j] >= 0 && index[j] != i) return false;  // a diagonal
        index[j] = i;
    }
    return true;
}

std::int64_t position_of(const Shape& index, const Shape& shape) {
    std::int64_t position = 0;
    for (std::size_t j = 0; j < shape.size(); ++j)
        position = position * shape[j] + std::max(index[j], std::int64_t{0});
    return position;
}

std::shared_ptr<const IndexList> share(std::vector<std::int64_t> indices, std::int64_t bound) {
    return std::make_shared<const IndexList>(std::move(indices), bound);
}

/// A matrix with permuted dimensions.
struct Transposition { std::int64_t rows, columns; };

/// Nothing if a view shows something else.
std::optional<Transposition> transposition_of(std::span<const Along> lines, const Shape& shape,
                                              const ElementView& view) {
    std::vector<std::size_t> from, to;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) continue;
        if (!lines[d].dim || lines[d].step != 1 || lines[d].offset != 0) return {};
        if (view.shape[*lines[d].dim] != shape[d]) return {};
        from.push_back(d);
        to.push_back(*lines[d].dim);
    }
    if (from.size() != 2 || to[0] < to[1] || element_count(view.shape) != element_count(shape)) return {};
    return Transposition{.rows = shape[from[0]], .columns = shape[from[1]]};
}

/// The list by columns, in one pass that counts and one that moves.
Permutation transposed(const IndexList& list, const Transposition& matrix) {
    const std::int64_t count = list.size(), columns = matrix.columns;
    std::vector<std::int32_t> next(static_cast<std::size_t>(columns) + 1);
    runtime::PooledArray<std::int64_t> places(count);
    std::vector<std::int64_t> entries(static_cast<std::size_t>(count));
    const auto each = [&](const auto& body) {
        runtime::with_indices(list, [&](const auto* at) {
            for (std::int64_t i = 0; i < count;) {
                const std::int64_t row = at[i] / columns, first = row * columns, end = first + columns;
                do body(i, row, static_cast<std::size_t>(at[i] - first));
                while (++i < count && at[i] < end);
            }
        });
    };
    each([&](auto, auto, std::size_t column) { ++next[column + 1]; });
    for (std::size_t column = 1; column < next.size(); ++column) next[column] += next[column - 1];
    each([&](std::int64_t i, std::int64_t row, std::size_t column) {
        const std::int32_t place = next[column]++;
        places.data()[place] = static_cast<std::int64_t>(column) * matrix.rows + row;
        entries[static_cast<std::size_t>(place)] = i;
    });
    return {.list = IndexList::of_ascending(std::move(places), list.bound()),
            .entries = share(std::move(entries), count)};
}

/// True for a dimension along which a view shows the same elements again.
bool is_repeated(std::span<const Along> lines, const ElementView& view, std::size_t dim) {
    return view.shape[dim] > 1 &&
           std::ranges::none_of(lines, [&](const Along& line) { return line.dim == dim; });
}

/// Distances, in elements of a view, from the first position that shows an element to all that show it.
std::vector<std::int64_t> repetitions(std::span<const Along> lines, const ElementView& view) {
    std::vector<std::int64_t> all{0};
    std::int64_t stride = element_count(view.shape);
    for (std::size_t j = 0; j < view.shape.size(); ++j) {
        stride /= std::max(view.shape[j], std::int64_t{1});
        if (!is_repeated(lines, view, j)) continue;
        const std::vector<std::int64_t> before = std::exchange(all, {});
        for (const std::int64_t one : before)
            for (std::int64_t i = 0; i < view.shape[j]; ++i) all.push_back(one + i * stride);
    }
    return all;
}

/// Repeats positions and entries at distances from them: all positions for a distance if the first dimension
/// is repeated, which keeps their order; else all distances for a position.
void repeat(std::vector<std::int64_t>& positions, std::vector<std::int64_t>& entries,
            const std::vector<std::int64_t>& distances, bool is_first) {
    if (distances.size() == 1) return;
    const std::vector<std::int64_t> places = std::exchange(positions, {}),
                                    numbers = std::exchange(entries, {});
    positions.reserve(places.size() * distances.size());
    entries.reserve(places.size() * distances.size());
    const auto add = [&](std::size_t place, std::int64_t distance) {
        positions.push_back(places[place] + distance);
        entries.push_back(numbers[place]);
    };
    if (is_first)
        for (const std::int64_t distance : distances)
            for (std::size_t i = 0; i < places.size(); ++i) add(i, distance);
    else
        for (std::size_t i = 0; i < places.size(); ++i)
            for (const std::int64_t distance : distances) add(i, distance);
}

Permutation made_view(const IndexList& list, const Shape& shape, const ElementView& view) {
    std::vector<Along> lines = *lines_of(view);
    lines.resize(shape.size());
    const std::int64_t count = element_count(view.shape) == 0 ? 0 : list.size();
    const auto matrix = transposition_of(lines, shape, view);
    if (matrix && count > 0 && matrix->columns / limits::counted_columns <= count &&
        count <= std::numeric_limits<std::int32_t>::max())
        return transposed(list, *matrix);
    std::vector<std::int64_t> positions, entries;
    positions.reserve(static_cast<std::size_t>(count));
    entries.reserve(static_cast<std::size_t>(count));
    Shape index(view.shape.size());
    for (std::int64_t entry = 0; entry < count; ++entry) {
        if (!find_shown(lines, list[entry], shape, view, index)) continue;
        positions.push_back(position_of(index, view.shape));
        entries.push_back(entry);
    }
    const auto is_long = [](std::int64_t extent) { return extent != 1; };
    const auto first =
        static_cast<std::size_t>(std::ranges::find_if(view.shape, is_long) - view.shape.begin());
    const bool is_first = first < view.shape.size() && is_repeated(lines, view, first);
    repeat(positions, entries, repetitions(lines, view), is_first);
    return sorted_permutation(std::move(positions), std::move(entries), view.shape, list.size());
}

}  // namespace

Permutation sorted_permutation(std::vector<std::int64_t> positions, std::vector<std::int64_t> entries,
                               const Shape& shape, std::int64_t count) {
    auto list = share(std::move(positions), element_count(shape));
    if (list->is_coalesced()) return {.list = std::move(list), .entries = share(std::move(entries), count)};
    std::vector<std::int64_t> order;
    order.reserve(entries.size());
    for (const std::int64_t i : list->plan().order) order.push_back(entries[static_cast<std::size_t>(i)]);
    const IndexList* const unique = &list->unique();
    return {.list = {std::move(list), unique}, .entries = share(std::move(order), count)};
}

bool runs_along_dims(const ElementView& view) { return lines_of(view).has_value(); }

bool shows_once(const ElementView& view) {
    const auto lines = lines_of(view);
    if (!lines) return false;
    for (std::size_t j = 0; j < view.shape.size(); ++j)
        if (is_repeated(*lines, view, j)) return false;
    return true;
}

std::shared_ptr<const Permutation> viewed(const IndexList& list, const Shape& shape,
                                          const ElementView& view) {
    runtime::KeptStructures::Key key;
    for (const auto* const numbers : {&shape, &view.shape}) {
        key.insert(key.end(), numbers->begin(), numbers->end());
        key.push_back(-1);
    }
    key.insert(key.end(), view.coefficients.begin(), view.coefficients.end());
    key.insert(key.end(), view.offsets.begin(), view.offsets.end());
    return list.kept().get<Permutation>(runtime::KeptStructures::Kind::permutation, key,
                                        [&] { return made_view(list, shape, view); });
}

namespace {

/// Entries of one list that are neighbours in a joined one.
struct Run {
    std::size_t list;
    std::int64_t begin, end;
    std::int64_t distance;  ///< from their positions in the list to the joined list's
};

/// The runs of joined lists, in the order of their positions.  `lengths`: elements of a part for each index
/// of the dimensions before that along which they are joined.
std::vector<Run> runs_of(std::span<const std::shared_ptr<const IndexList>> lists,
                         std::span<const std::int64_t> lengths) {
    const std::int64_t joined_length = std::reduce(lengths.begin(), lengths.end());
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> next(lists.size(), 0), outer(lists.size(), none);
    const auto find_outer = [&](std::size_t k) {
        outer[k] = next[k] == lists[k]->size() ? none : (*lists[k])[next[k]] / lengths[k];
    };
    for (std::size_t k = 0; k < lists.size(); ++k) find_outer(k);
    std::vector<Run> runs;
    for (std::int64_t at; (at = *std::ranges::min_element(outer)) != none;) {
        std::int64_t distance = at * joined_length;
        for (std::size_t k = 0; k < lists.size(); distance += lengths[k++]) {
            if (outer[k] != at) continue;
            const std::int64_t own = at * lengths[k], begin = next[k];
            runtime::with_indices(*lists[k], [&](const auto* indices) {
                while (++next[k] < lists[k]->size() && indices[next[k]] - own < lengths[k]) {}
            });
            runs.push_back({.list = k, .begin = begin, .end = next[k], .distance = distance - own});
            find_outer(k);
        }
    }
    return runs;
}

}  // namespace

Permutation joined(std::span<const std::shared_ptr<const IndexList>> lists, std::span<const Shape> shapes,
                   int dim) {
    const auto along = static_cast<std::size_t>(dim);
    Shape shape = shapes[0];
    shape[along] = 0;
    std::vector<std::int64_t> lengths, first{0};
    for (std::size_t k = 0; k < lists.size(); ++k) {
        shape[along] += shapes[k][along];
        lengths.push_back(element_count(std::span(shapes[k]).subspan(along)));
        first.push_back(first.back() + lists[k]->size());
    }
    const std::vector<Run> runs = runs_of(lists, lengths);
    const auto write_places = [&](auto* to) {
        for (const Run& run : runs)
            runtime::with_indices(*lists[run.list], [&](const auto* indices) {
                for (std::int64_t i = run.begin; i < run.end; ++i)
                    *to++ = static_cast<std::remove_reference_t<decltype(*to)>>(indices[i] + run.distance);
            });
    };
    const auto write_entries = [&](auto* to) {
        for (const Run& run : runs)
            for (std::int64_t i = run.begin; i < run.end; ++i)
                *to++ = static_cast<std::remove_reference_t<decltype(*to)>>(first[run.list] + i);
    };
    return {.list = IndexList::written(first.back(), element_count(shape), write_places),
            .entries = IndexList::written(first.back(), first.back(), write_entries)};
}

SparseVector restricted(const SparseVector& from, const std::shared_ptr<const IndexList>& list) {
    if (from.list == list || from.list->size() == list->size()) return {.list = list, .values = from.values};
    std::vector<std::int64_t> entries;
    std::int64_t entry = 0;
    for (std::int64_t i = 0; i < list->size(); ++i) {
        while ((*from.list)[entry] < (*list)[i]) ++entry;
        entries.push_back(entry);
    }
    return {.list = list, .values = runtime::gathered(from.values, entries)};
}

SparseVector where_true(const SparseVector& from, const AnyTensor& bools) {
    if (all_true(bools)) return from;
    const auto* const is_true = static_cast<const std::uint8_t*>(bools.data());
    std::vector<std::int64_t> positions, entries;
    for (std::int64_t i = 0; i < from.list->size(); ++i) {
        if (is_true[i] == 0) continue;
        positions.push_back((*from.list)[i]);
        entries.push_back(i);
    }
    return {.list = std::make_shared<const IndexList>(std::move(positions), from.list->bound()),
            .values = runtime::gathered(from.values, entries)};
}

SparseVector true_of(const SparseVector& from) { return where_true(from, from.values); }

}  // namespace frisket::list_kernels
