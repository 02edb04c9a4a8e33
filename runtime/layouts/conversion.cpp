// SPDX-License-Identifier: MIT
#include "conversion.hpp"

#include "../tensor/index_span.hpp"
#include "../tensor/result_memory.hpp"
#include "../tensor/sized.hpp"
#include "compressed.hpp"
#include "stored.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace frisket::runtime {

namespace {

using Indices = std::vector<std::int64_t>;

/// Rows of ascending positions.
CompressedIndex rows_of(const IndexList& list, const Shape& shape) {
    const std::int64_t rows = shape[0], columns = shape[1], count = list.size();
    CompressedIndex made{.pointers = zeros_for<std::int64_t>(shape, rows + 1, "pointers"),
                         .indices = Indices(static_cast<std::size_t>(count)),
                         .blocksize = {}};
    std::int64_t* const pointers = made.pointers.data();
    with_indices(list, [&](const auto* at) {
        std::int64_t row = 0;
        for (std::int64_t i = 0; i < count;) {
            const std::int64_t next = at[i] / columns, first = next * columns, end = first + columns;
            while (row < next) pointers[++row] = i;
            do made.indices[static_cast<std::size_t>(i)] = at[i] - first;
            while (++i < count && at[i] < end);
        }
        std::fill(pointers + row + 1, pointers + rows + 1, count);
    });
    return made;
}

std::shared_ptr<const IndexList> positions_of(const CompressedIndex& rows, const Shape& shape) {
    PooledArray<std::int64_t> made(std::ssize(rows.indices));
    for (std::int64_t row = 0; row + 1 < std::ssize(rows.pointers); ++row)
        for (std::int64_t i = rows.pointers[row]; i < rows.pointers[row + 1]; ++i)
            made.data()[i] = row * shape[1] + rows.indices[i];
    return IndexList::of_ascending(std::move(made), element_count(shape));
}

/// The index of a matrix by the other of its dimensions, and the entry that each entry was.
struct Turned {
    CompressedIndex index;
    std::shared_ptr<const IndexList> order;
};

/// Counts the entries of each line, then puts them there.
Turned turned(const CompressedIndex& from, const Shape& shape, std::int64_t lines) {
    Turned made{.index = {.pointers = zeros_for<std::int64_t>(shape, lines + 1, "pointers"),
                          .indices = Indices(from.indices.size()),
                          .blocksize = {}},
                .order = nullptr};
    std::int64_t* const next = made.index.pointers.data();
    for (const std::int64_t line : from.indices) ++next[line + 1];
    std::partial_sum(next, next + lines + 1, next);
    PooledArray<std::int64_t> order(std::ssize(from.indices));
    for (std::int64_t line = 0; line + 1 < std::ssize(from.pointers); ++line)
        for (std::int64_t i = from.pointers[line]; i < from.pointers[line + 1]; ++i) {
            const std::int64_t place = next[from.indices[i]]++;
            made.index.indices[static_cast<std::size_t>(place)] = line;
            order.data()[place] = i;
        }
    // Each line ends where the next one begins.
    std::copy_backward(next, next + lines, next + lines + 1);
    next[0] = 0;
    made.order = std::make_shared<const IndexList>(order.data(), order.size(), order.size());
    return made;
}

std::shared_ptr<const CompressedIndex> share(CompressedIndex index) {
    return std::make_shared<const CompressedIndex>(std::move(index));
}

/// The entries of a csr or csc matrix by its other dimension.
Conversion by_other_dimension(const CompressedIndex& from, const Shape& shape, std::int64_t lines,
                              Layout to) {
    Turned made = turned(from, shape, lines);
    if (to == Layout::coo)
        return {.list = positions_of(made.index, shape), .index = nullptr, .order = std::move(made.order)};
    return {.list = nullptr, .index = share(std::move(made.index)), .order = std::move(made.order)};
}

/// No entries: the extent of the other dimension costs nothing.
Conversion without_entries(const Shape& shape, Layout to) {
    if (to == Layout::coo)
        return {.list = IndexList::of_ascending(PooledArray<std::int64_t>(0), element_count(shape)),
                .index = nullptr,
                .order = nullptr};
    const std::int64_t lines = shape[traits_of(to).by_column ? 1 : 0];
    return {.list = nullptr,
            .index = share({.pointers = zeros_for<std::int64_t>(shape, lines + 1, "pointers"),
                            .indices = {},
                            .blocksize = {}}),
            .order = nullptr};
}

Conversion conversion_of(const AnyMasked& masked, Layout to) {
    const Shape& shape = masked.shape();
    if (masked.values().size() == 0) return without_entries(shape, to);
    if (masked.index()) {
        CompressedIndex rows = rows_of(*masked.index(), shape);
        if (!traits_of(to).by_column)
            return {.list = nullptr, .index = share(std::move(rows)), .order = nullptr};
        return by_other_dimension(rows, shape, shape[1], to);
    }
    const CompressedIndex& index = *masked.compressed_index();
    const bool by_column = traits_of(masked.layout()).by_column;
    if (!by_column && to == Layout::coo)
        return {.list = positions_of(index, shape), .index = nullptr, .order = nullptr};
    return by_other_dimension(index, shape, shape[by_column ? 0 : 1], to);
}

AnyTensor copy_of(const AnyTensor& values) {
    AnyTensor made = result_tensor(values.dtype(), values.shape());
    if (made.size() > 0)
        std::memcpy(made.data(), values.data(),
                    static_cast<std::size_t>(made.size() * bytes_of(made.dtype())));
    return made;
}

}  // namespace

std::int64_t Conversion::bytes() const {
    std::int64_t bytes = (list ? list->bytes() : 0) + (order ? order->bytes() : 0);
    if (index)
        bytes += static_cast<std::int64_t>(index->pointers.size() + index->indices.size()) * 8 +
                 index->kept.bytes();
    return bytes;
}

AnyMasked seen_elements(const AnyMasked& masked, Layout to) {
    const KeptStructures& kept = masked.index() ? masked.index()->kept() : masked.compressed_index()->kept;
    const KeptStructures::Key key{static_cast<std::int64_t>(to), masked.shape()[0], masked.shape()[1]};
    const auto found = kept.get<Conversion>(KeptStructures::Kind::conversion, key,
                                            [&] { return conversion_of(masked, to); });
    AnyTensor values = masked.values().is_contiguous() ? masked.values() : masked.values().clone();
    if (found->order) values = gathered(values, *found->order);
    if (to == Layout::coo)
        return AnyMasked::indexed(Layout::coo, masked.shape(), found->list, std::move(values));
    return Compression::with_index(to, masked.shape(), found->index, std::move(values));
}

AnyMasked moved_elements(const AnyMasked& masked, Layout to) {
    AnyMasked made = seen_elements(masked, to);
    if (made.values().owner() != masked.values().owner()) return made;
    return with_values(made, copy_of(masked.values()));
}

}  // namespace frisket::runtime
