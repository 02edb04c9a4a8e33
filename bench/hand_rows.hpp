// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

/// Steps over embedding rows as one would write them for one case: indices are sorted by counting digits, so
/// that the table is walked upwards; duplicates are summed in a buffer that stays in cache; rows are fetched
/// ahead; each thread has its own part of the list.
namespace bench {

struct Table {
    float* param;   ///< [rows, length]
    float* state;   ///< [rows, length]; row-wise Adagrad: [rows]
    float* second;  ///< [rows, length], of SparseAdam
    std::int64_t rows, length;
    float lr, eps;
};

/// Gradient rows as they come: an index each, duplicates among them.
struct RowGradient {
    std::span<const std::int64_t> indices;
    const float* values;  ///< [indices, length]
};

void rows_adagrad(const Table& table, const RowGradient& gradient);
void rows_rowwise_adagrad(const Table& table, const RowGradient& gradient);
/// Updates without bias correction: betas 0.9 and 0.999.
void rows_sparse_adam(const Table& table, const RowGradient& gradient);

}  // namespace bench
