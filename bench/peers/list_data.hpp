// SPDX-License-Identifier: MIT
#pragma once
#include "workloads.hpp"

#include <algorithm>

/// Positions of lists, as in lists.py.
namespace bench {

inline constexpr std::int64_t list_count = 1000000;  // positions, before those that come twice are dropped
inline constexpr std::int64_t extent = 100000;       // of square matrices

using Indices = std::vector<std::int64_t>;

/// Indices of elements along a dimension, as in lists.py; skewed: most are small.
inline Indices indices(std::uint64_t number, bool is_skewed = false, std::int64_t count = list_count) {
    Indices made(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < made.size(); ++i) {
        const std::uint64_t bits = bits_of(number, i);
        const double share = static_cast<double>(bits >> 40U) * 0x1p-24;
        made[i] = is_skewed ? static_cast<std::int64_t>(share * share * share * extent)
                            : static_cast<std::int64_t>(bits % extent);
    }
    return made;
}

/// Ascending positions, as rows and columns.
struct Positions {
    explicit Positions(bool is_skewed = false, std::int64_t count = list_count)
        : rows(indices(5, is_skewed, count)), columns(indices(6, false, count)) {
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows[i] * extent + columns[i];
        std::ranges::sort(rows);
        rows.erase(std::ranges::unique(rows).begin(), rows.end());
        columns = rows;
        for (std::int64_t& row : rows) row /= extent;
        for (std::int64_t& column : columns) column %= extent;
    }
    Indices rows, columns;
};

}  // namespace bench
