// SPDX-License-Identifier: MIT
#include "listed_indices.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "../tensor/error.hpp"

namespace frisket::runtime {

namespace {

constexpr std::int64_t most_together = 1024;
using Positions = std::array<std::uint64_t, most_together>;

/// Adds a dimension to positions.  False if an index is out of range.
template <class Index>
bool add_dimension(const Index* indices, std::int64_t count, std::int64_t extent, Positions& positions) {
    bool are_in_range = true;
    const auto bound = static_cast<std::uint64_t>(extent);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(indices[i]));
        are_in_range &= index < bound;
        positions[static_cast<std::size_t>(i)] = positions[static_cast<std::size_t>(i)] * bound + index;
    }
    return are_in_range;
}

[[noreturn]] void refuse(std::span<const IndexMemory> lists, std::int64_t size, const Shape& shape,
                         std::string_view words) {
    for (std::size_t d = 0; d < lists.size(); ++d)
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t index = lists[d][i];
            if (index >= 0 && index < shape[d]) continue;
            const std::string list = words.ends_with("index") ? " in list " + std::to_string(d) : "";
            throw LayoutError(std::string(words) + " " + std::to_string(index) + list + " at position " +
                              std::to_string(i) + " is out of range for extent " + std::to_string(shape[d]));
        }
    throw Bug("indices that were refused are all in range");
}

template <class To>
void write_positions(std::span<const IndexMemory> lists, std::int64_t size, const Shape& shape,
                     std::string_view words, To* to) {
    for (std::int64_t first = 0; first < size; first += most_together) {
        const std::int64_t count = std::min(most_together, size - first);
        Positions positions;  // NOLINT(cppcoreguidelines-pro-type-member-init): only the used elements, below
        std::fill_n(positions.begin(), count, 0);
        bool are_in_range = true;
        for (std::size_t d = 0; d < lists.size(); ++d)
            are_in_range &= lists[d].narrow != nullptr
                                ? add_dimension(lists[d].narrow + first, count, shape[d], positions)
                                : add_dimension(lists[d].wide + first, count, shape[d], positions);
        if (!are_in_range) refuse(lists, size, shape, words);
        for (std::int64_t i = 0; i < count; ++i)
            to[first + i] = static_cast<To>(positions[static_cast<std::size_t>(i)]);
    }
}

}  // namespace

std::shared_ptr<const IndexList> row_major_positions(std::span<const IndexMemory> lists, std::int64_t size,
                                                     const Shape& shape, std::string_view words) {
    return IndexList::written(size, element_count(shape),
                              [&](auto* to) { write_positions(lists, size, shape, words, to); });
}

}  // namespace frisket::runtime
