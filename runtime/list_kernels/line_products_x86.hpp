// SPDX-License-Identifier: MIT
// Internal: the functions of line_products.hpp for x86 processors with AVX2, or AVX-512.
#pragma once
#include "line_products.hpp"

#if defined(__x86_64__)

namespace frisket::list_kernels::x86 {

/// Entries of a list between the row that is read and the row that is fetched.
inline constexpr std::int64_t rows_ahead = 16;

bool has_avx2();
bool has_avx512();

void multiply_by_rows_avx2(const float* row, const MatrixRows<float>& matrix, const RowNumbers& numbers,
                           float* to);
void multiply_by_rows_avx2(const double* row, const MatrixRows<double>& matrix, const RowNumbers& numbers,
                           double* to);
void add_rows_avx2(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to);
void add_rows_avx2(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to);
void add_products_fma(const LineEntries<float>& line, float factor, const SumsOfIndices<float>& to);
void add_products_fma(const LineEntries<double>& line, double factor, const SumsOfIndices<double>& to);
void multiply_by_column_fma(const LinesOfEntries<float>& lines, const MatrixRows<float>& column, float* to);
void multiply_by_column_fma(const LinesOfEntries<double>& lines, const MatrixRows<double>& column,
                            double* to);
void add_rows_avx512(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to);
void add_rows_avx512(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to);
void sum_rows_avx2(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to);
void sum_rows_avx2(const LineEntries<float>& line, const MatrixRows<float>& matrix, double* to);
void sum_rows_avx2(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to);
void sum_rows_avx512(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to);
void sum_rows_avx512(const LineEntries<float>& line, const MatrixRows<float>& matrix, double* to);
void sum_rows_avx512(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to);

}  // namespace frisket::list_kernels::x86

#endif
