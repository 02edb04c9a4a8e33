// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

/// Masked reductions of a matrix as one writes them by hand, with AVX-512 where the machine has it; threads
/// of OpenMP.
namespace bench {

enum class Op : std::uint8_t { sum, mean, amax };

/// A matrix whose rows have a multiple of 64 elements, and a mask of it in one of two forms.
struct MaskedMatrix {
    const float* values;
    const std::uint8_t* bytes;   ///< a byte an element, or null
    const std::uint64_t* words;  ///< a bit an element, if `bytes` is null
    std::int64_t rows, columns;
};

float reduce_all(Op op, const MaskedMatrix& x);
/// Reduces each row, or each column.
void reduce_rows(Op op, const MaskedMatrix& x, float* result);
void reduce_columns(Op op, const MaskedMatrix& x, float* result);

}  // namespace bench
