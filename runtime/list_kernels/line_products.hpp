// SPDX-License-Identifier: MIT
// Multiplies lines by dense matrices, in the order of products.
#pragma once
#include <cstdint>
#include <span>

/// Sums of products with rows of a dense matrix, in the order of Reduction::contract, for the processor at
/// hand: its vectors hold sums side by side, so that the bits equal the bits of single sums.
namespace frisket::list_kernels {

/// A matrix whose rows are contiguous.
template <class T>
struct MatrixRows {
    const T* data = nullptr;
    std::int64_t stride = 0;  ///< elements from a row to the next
    std::int64_t length = 0;  ///< elements of a row
    const T* row(std::int64_t number) const { return data + number * stride; }
};

/// Numbers of rows of a matrix.
struct RowNumbers {
    std::span<const std::int64_t> rows;
    std::int64_t ahead = 0;  ///< numbers that follow these, whose rows will be read next
};

/// to[i] = sum over k of row[k] * matrix(rows[i], k).  `to` has room for the results of the numbers that
/// follow, which may be overwritten.
template <class T>
void multiply_by_rows(const T* row, const MatrixRows<T>& matrix, const RowNumbers& numbers, T* to);

/// Entries of a list: values, and their ascending indices along their line.
template <class T>
struct LineEntries {
    const T* values = nullptr;
    const std::int64_t* inner = nullptr;
    std::int64_t count = 0;
    std::int64_t ahead = 0;  ///< indices that follow these, whose rows will be read next
};

/// to[n] = sum over the entries of values[i] * matrix(inner[i], n), for the length of the matrix's rows.
template <class T>
void add_rows(const LineEntries<T>& line, const MatrixRows<T>& matrix, T* to);

/// Sums, one for each index of a line, and 1 for those with a term.
template <class T>
struct SumsOfIndices {
    T* sums = nullptr;
    std::uint8_t* is_found = nullptr;
};

/// sums[inner[i]] += values[i] * factor for each entry, multiplied and added in one step.
template <class T>
void add_products(const LineEntries<T>& line, T factor, const SumsOfIndices<T>& to);

/// Entries of lines, one after the other.
template <class T>
struct LinesOfEntries {
    const T* values = nullptr;
    const std::int64_t* inner = nullptr;
    std::span<const std::int64_t> starts;  ///< first entry of each line; and the end
};

/// to[l] = sum over the entries of line l of values[i] * column(inner[i], 0), for each line.
template <class T>
void multiply_by_column(const LinesOfEntries<T>& lines, const MatrixRows<T>& column, T* to);

/// to[n] = sum over the entries of matrix(inner[i], n), added in float64 in their order and rounded once: no
/// result is -0.  For float and double, which become that or double.
template <class T, class To>
void sum_rows(const LineEntries<T>& line, const MatrixRows<T>& matrix, To* to);

}  // namespace frisket::list_kernels
