// SPDX-License-Identifier: MIT
#include "line_products.hpp"

#include "../tensor/sum_of_products.hpp"
#include "line_products_x86.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>

namespace frisket::list_kernels {

using runtime::SumOfProducts;

namespace {

template <class T>
void multiply_one_by_one(const T* row, const MatrixRows<T>& matrix, std::span<const std::int64_t> rows,
                         T* to) {
    for (const std::int64_t number : rows) {
        const T* const other = matrix.row(number);
        SumOfProducts<T> sum;
        for (std::int64_t k = 0; k < matrix.length; ++k) sum.add(row[k], other[k], k);
        *to++ = sum.result();
    }
}

template <class T>
void add_each_product(const LineEntries<T>& line, T factor, const SumsOfIndices<T>& to) {
    for (std::int64_t i = 0; i < line.count; ++i) {
        T& sum = to.sums[line.inner[i]];
        if constexpr (std::floating_point<T>) {
            sum = std::fma(line.values[i], factor, sum);
        } else {
            using Bits = std::make_unsigned_t<T>;
            sum = static_cast<T>(static_cast<Bits>(sum) +
                                 static_cast<Bits>(line.values[i]) * static_cast<Bits>(factor));
        }
        to.is_found[line.inner[i]] = 1;
    }
}

template <class T>
void multiply_each_line(const LinesOfEntries<T>& lines, const MatrixRows<T>& column, T* to) {
    for (std::size_t line = 0; line + 1 < lines.starts.size(); ++line) {
        SumOfProducts<T> sum;
        for (std::int64_t i = lines.starts[line]; i < lines.starts[line + 1]; ++i)
            sum.add(lines.values[i], *column.row(lines.inner[i]), lines.inner[i]);
        to[line] = sum.result();
    }
}

template <class T>
void add_one_by_one(const LineEntries<T>& line, const MatrixRows<T>& matrix, T* to) {
    constexpr std::int64_t most = 16;
    for (std::int64_t n = 0; n < matrix.length; n += most) {
        const std::int64_t count = std::min(most, matrix.length - n);
        SumOfProducts<T> sums[most];
        for (std::int64_t i = 0; i < line.count; ++i) {
            const T* const other = matrix.row(line.inner[i]) + n;
            for (std::int64_t j = 0; j < count; ++j) sums[j].add(line.values[i], other[j], line.inner[i]);
        }
        for (std::int64_t j = 0; j < count; ++j) to[n + j] = sums[j].result();
    }
}

template <class T, class To>
void sum_one_by_one(const LineEntries<T>& line, const MatrixRows<T>& matrix, To* to) {
    constexpr std::int64_t most = 16;
    for (std::int64_t n = 0; n < matrix.length; n += most) {
        const std::int64_t count = std::min(most, matrix.length - n);
        double sums[most] = {};
        for (std::int64_t i = 0; i < line.count; ++i) {
            const T* const row = matrix.row(line.inner[i]) + n;
            for (std::int64_t j = 0; j < count; ++j) sums[j] += static_cast<double>(row[j]);
        }
        for (std::int64_t j = 0; j < count; ++j) to[n + j] = static_cast<To>(sums[j]);
    }
}

}  // namespace

template <class T>
void multiply_by_rows(const T* row, const MatrixRows<T>& matrix, const RowNumbers& numbers, T* to) {
#if defined(__x86_64__)
    if constexpr (std::floating_point<T>)
        if (x86::has_avx2()) return x86::multiply_by_rows_avx2(row, matrix, numbers, to);
#endif
    multiply_one_by_one(row, matrix, numbers.rows, to);
}

template <class T>
void add_rows(const LineEntries<T>& line, const MatrixRows<T>& matrix, T* to) {
#if defined(__x86_64__)
    if constexpr (std::floating_point<T>) {
        if (x86::has_avx512()) return x86::add_rows_avx512(line, matrix, to);
        if (x86::has_avx2()) return x86::add_rows_avx2(line, matrix, to);
    }
#endif
    add_one_by_one(line, matrix, to);
}

template <class T>
void add_products(const LineEntries<T>& line, T factor, const SumsOfIndices<T>& to) {
#if defined(__x86_64__)
    if constexpr (std::floating_point<T>)
        if (x86::has_avx2()) return x86::add_products_fma(line, factor, to);
#endif
    add_each_product(line, factor, to);
}

template <class T>
void multiply_by_column(const LinesOfEntries<T>& lines, const MatrixRows<T>& column, T* to) {
#if defined(__x86_64__)
    if constexpr (std::floating_point<T>)
        if (x86::has_avx2()) return x86::multiply_by_column_fma(lines, column, to);
#endif
    multiply_each_line(lines, column, to);
}

template <class T, class To>
void sum_rows(const LineEntries<T>& line, const MatrixRows<T>& matrix, To* to) {
#if defined(__x86_64__)
    if (x86::has_avx512()) return x86::sum_rows_avx512(line, matrix, to);
    if (x86::has_avx2()) return x86::sum_rows_avx2(line, matrix, to);
#endif
    sum_one_by_one(line, matrix, to);
}

template void multiply_by_rows(const std::int32_t*, const MatrixRows<std::int32_t>&, const RowNumbers&,
                               std::int32_t*);
template void multiply_by_rows(const std::int64_t*, const MatrixRows<std::int64_t>&, const RowNumbers&,
                               std::int64_t*);
template void multiply_by_rows(const float*, const MatrixRows<float>&, const RowNumbers&, float*);
template void multiply_by_rows(const double*, const MatrixRows<double>&, const RowNumbers&, double*);
template void add_rows(const LineEntries<std::int32_t>&, const MatrixRows<std::int32_t>&, std::int32_t*);
template void add_rows(const LineEntries<std::int64_t>&, const MatrixRows<std::int64_t>&, std::int64_t*);
template void add_rows(const LineEntries<float>&, const MatrixRows<float>&, float*);
template void add_rows(const LineEntries<double>&, const MatrixRows<double>&, double*);
template void add_products(const LineEntries<std::int32_t>&, std::int32_t,
                           const SumsOfIndices<std::int32_t>&);
template void add_products(const LineEntries<std::int64_t>&, std::int64_t,
                           const SumsOfIndices<std::int64_t>&);
template void add_products(const LineEntries<float>&, float, const SumsOfIndices<float>&);
template void add_products(const LineEntries<double>&, double, const SumsOfIndices<double>&);
template void multiply_by_column(const LinesOfEntries<std::int32_t>&, const MatrixRows<std::int32_t>&,
                                 std::int32_t*);
template void multiply_by_column(const LinesOfEntries<std::int64_t>&, const MatrixRows<std::int64_t>&,
                                 std::int64_t*);
template void multiply_by_column(const LinesOfEntries<float>&, const MatrixRows<float>&, float*);
template void multiply_by_column(const LinesOfEntries<double>&, const MatrixRows<double>&, double*);
template void sum_rows(const LineEntries<float>&, const MatrixRows<float>&, float*);
template void sum_rows(const LineEntries<float>&, const MatrixRows<float>&, double*);
template void sum_rows(const LineEntries<double>&, const MatrixRows<double>&, double*);

}  // namespace frisket::list_kernels
