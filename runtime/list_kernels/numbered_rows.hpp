// SPDX-License-Identifier: MIT
// Finds the entries of a row of a list by the row's number.
#pragma once
#include "list_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace frisket::list_kernels {

/// The rows of a list, by number.
class NumberedRows {
public:
    NumberedRows(const ListLines& lines, std::int64_t rows)
        : block_(lines.lines(0, lines.size())), is_dense_(rows <= 8 * lines.size() + 1024) {
        if (!is_dense_) return;
        starts_.resize(static_cast<std::size_t>(rows) + 1);
        std::size_t line = 0;
        for (std::int64_t k = 0; k <= rows; ++k) {
            starts_[k] = block_.starts[line];
            if (line < block_.numbers.size() && block_.numbers[line] == k) ++line;
        }
    }
    /// First and last entry of a row.
    std::pair<std::int64_t, std::int64_t> row(std::int64_t k) const {
        if (is_dense_) return {starts_[k], starts_[k + 1]};
        const auto found = std::ranges::lower_bound(block_.numbers, k);
        if (found == block_.numbers.end() || *found != k) return {0, 0};
        const auto line = found - block_.numbers.begin();
        return {block_.starts[line], block_.starts[line + 1]};
    }
    std::span<const std::int64_t> columns() const { return block_.inner; }
    /// Brings the begin of a row, and of its values, into the cache.
    template <class T>
    void prefetch(std::int64_t k, const T* values) const {
        if (!is_dense_) return;
        __builtin_prefetch(columns().data() + starts_[k]);
        __builtin_prefetch(columns().data() + starts_[k + 1]);
        __builtin_prefetch(values + starts_[k]);
    }

private:
    LineBlock block_;
    bool is_dense_;
    std::vector<std::int64_t> starts_;  // by the number of the row
};

}  // namespace frisket::list_kernels
