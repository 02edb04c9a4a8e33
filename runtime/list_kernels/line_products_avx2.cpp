// SPDX-License-Identifier: MIT
#include "line_products_x86.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "../limits.hpp"

// Functions for AVX2, inlined into their callers.
#define FRISKET_AVX2 [[gnu::target("avx2,fma")]]
#define FRISKET_AVX2_INLINE [[gnu::target("avx2,fma"), gnu::always_inline]] inline

namespace frisket::list_kernels::x86 {

using limits::product_panel;

namespace {

/// Vectors of float.
struct Floats {
    using T = float;
    using Vector = __m256;
    static constexpr int lanes = 8, step = 4;  // terms of a sum that are transposed at once

    FRISKET_AVX2_INLINE static Vector zero() { return _mm256_setzero_ps(); }
    FRISKET_AVX2_INLINE static Vector all(const T* from) { return _mm256_broadcast_ss(from); }
    FRISKET_AVX2_INLINE static Vector load(const T* from) { return _mm256_loadu_ps(from); }
    FRISKET_AVX2_INLINE static Vector load(const T* from, __m256i lanes_read) {
        return _mm256_maskload_ps(from, lanes_read);
    }
    FRISKET_AVX2_INLINE static __m256i first_lanes(std::int64_t count) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    FRISKET_AVX2_INLINE static void store(T* to, Vector x) { _mm256_storeu_ps(to, x); }
    FRISKET_AVX2_INLINE static void store(T* to, __m256i lanes_written, Vector x) {
        _mm256_maskstore_ps(to, lanes_written, x);
    }
    FRISKET_AVX2_INLINE static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
    FRISKET_AVX2_INLINE static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
    FRISKET_AVX2_INLINE static Vector where(bool is_kept, Vector x) {
        return _mm256_and_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(-static_cast<int>(is_kept))));
    }

    /// Four terms of the row `at` lanes before and of that four lanes later.
    FRISKET_AVX2_INLINE static Vector pair(const T* const* rows, int at, std::int64_t k) {
        const __m128 low = _mm_loadu_ps(rows[at] + k), high = _mm_loadu_ps(rows[at + 4] + k);
        return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
    }
    /// Adds terms k to k + 3: a square is transposed.
    FRISKET_AVX2_INLINE static Vector add_terms(const T* row, const T* const* rows, std::int64_t k,
                                                Vector sums) {
        const Vector a = pair(rows, 0, k), b = pair(rows, 1, k), c = pair(rows, 2, k), d = pair(rows, 3, k);
        const Vector ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
        const Vector ab2 = _mm256_unpackhi_ps(a, b), cd2 = _mm256_unpackhi_ps(c, d);
        sums = fma(_mm256_shuffle_ps(ab, cd, 0x44), all(row + k), sums);
        sums = fma(_mm256_shuffle_ps(ab, cd, 0xee), all(row + k + 1), sums);
        sums = fma(_mm256_shuffle_ps(ab2, cd2, 0x44), all(row + k + 2), sums);
        return fma(_mm256_shuffle_ps(ab2, cd2, 0xee), all(row + k + 3), sums);
    }

    /// Float64 totals of a vector of sums.
    struct Totals { __m256d low, high; };
    FRISKET_AVX2_INLINE static Totals no_totals() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
    FRISKET_AVX2_INLINE static void add_panel(Totals& totals, Vector panel) {
        totals.low = _mm256_add_pd(totals.low, _mm256_cvtps_pd(_mm256_castps256_ps128(panel)));
        totals.high = _mm256_add_pd(totals.high, _mm256_cvtps_pd(_mm256_extractf128_ps(panel, 1)));
    }
    FRISKET_AVX2_INLINE static Vector rounded(const Totals& totals) {
        const __m128 low = _mm256_cvtpd_ps(totals.low), high = _mm256_cvtpd_ps(totals.high);
        return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
    }
};

/// Vectors of double.
struct Doubles {
    using T = double;
    using Vector = __m256d;
    static constexpr int lanes = 4, step = 2;

    FRISKET_AVX2_INLINE static Vector zero() { return _mm256_setzero_pd(); }
    FRISKET_AVX2_INLINE static Vector all(const T* from) { return _mm256_broadcast_sd(from); }
    FRISKET_AVX2_INLINE static Vector load(const T* from) { return _mm256_loadu_pd(from); }
    FRISKET_AVX2_INLINE static Vector load(const T* from, __m256i lanes_read) {
        return _mm256_maskload_pd(from, lanes_read);
    }
    FRISKET_AVX2_INLINE static __m256i first_lanes(std::int64_t count) {
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    }
    FRISKET_AVX2_INLINE static void store(T* to, Vector x) { _mm256_storeu_pd(to, x); }
    FRISKET_AVX2_INLINE static void store(T* to, __m256i lanes_written, Vector x) {
        _mm256_maskstore_pd(to, lanes_written, x);
    }
    FRISKET_AVX2_INLINE static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
    FRISKET_AVX2_INLINE static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
    FRISKET_AVX2_INLINE static Vector where(bool is_kept, Vector x) {
        return _mm256_and_pd(x, _mm256_castsi256_pd(_mm256_set1_epi64x(-static_cast<std::int64_t>(is_kept))));
    }

    FRISKET_AVX2_INLINE static Vector pair(const T* const* rows, int at, std::int64_t k) {
        const __m128d low = _mm_loadu_pd(rows[at] + k), high = _mm_loadu_pd(rows[at + 2] + k);
        return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
    }
    FRISKET_AVX2_INLINE static Vector add_terms(const T* row, const T* const* rows, std::int64_t k,
                                                Vector sums) {
        const Vector a = pair(rows, 0, k), b = pair(rows, 1, k);
        sums = fma(_mm256_unpacklo_pd(a, b), all(row + k), sums);
        return fma(_mm256_unpackhi_pd(a, b), all(row + k + 1), sums);
    }

    using Totals = __m256d;
    FRISKET_AVX2_INLINE static Totals no_totals() { return zero(); }
    FRISKET_AVX2_INLINE static void add_panel(Totals& totals, Vector panel) { totals = add(totals, panel); }
    FRISKET_AVX2_INLINE static Vector rounded(const Totals& totals) { return totals; }
};

/// Adds terms [k, end) to sums of `groups` vectors.
template <class V, int groups>
FRISKET_AVX2_INLINE void add_all(const typename V::T* row, const typename V::T* const* rows, std::int64_t k,
                                 std::int64_t end, typename V::Vector* sums) {
    for (; k + V::step <= end; k += V::step) {
#pragma GCC unroll 8
        for (int g = 0; g < groups; ++g) sums[g] = V::add_terms(row, rows + g * V::lanes, k, sums[g]);
    }
    for (; k < end; ++k)
        for (int g = 0; g < groups; ++g) {
            alignas(32) typename V::T terms[V::lanes];
            for (int lane = 0; lane < V::lanes; ++lane) terms[lane] = rows[g * V::lanes + lane][k];
            sums[g] = V::fma(V::load(terms), V::all(row + k), sums[g]);
        }
}

/// Sums of the products of a row with the given number of other rows.
template <class V, int groups>
FRISKET_AVX2 void multiply_square(const typename V::T* row, const typename V::T* const* rows,
                                  std::int64_t length, typename V::T* to) {
    using T = typename V::T;
    constexpr int count = groups * V::lanes;
    typename V::Vector sums[groups];
    double totals[count] = {};
    for (std::int64_t first = 0; first == 0 || first < length; first += product_panel) {
        for (int g = 0; g < groups; ++g) sums[g] = V::zero();
        add_all<V, groups>(row, rows, first, std::min(length, first + product_panel), sums);
        // No sum is -0.
        for (int g = 0; g < groups; ++g) V::store(to + g * V::lanes, V::add(sums[g], V::zero()));
        if (length <= product_panel) return;
        for (int i = 0; i < count; ++i) totals[i] += static_cast<double>(to[i]);
    }
    for (int i = 0; i < count; ++i) to[i] = static_cast<T>(totals[i]);
}

/// Rows so short that the sums of one vector are done before the sums of the next could wait for them: no
/// branch asks how many rows there are.
template <class V, class T>
FRISKET_AVX2 void multiply_short_rows(const T* row, const MatrixRows<T>& matrix, const RowNumbers& numbers,
                                      T* to) {
    const std::int64_t* const rows = numbers.rows.data();
    const std::int64_t count = std::ssize(numbers.rows), known = count + numbers.ahead;
    for (std::int64_t i = 0; i < count; i += V::lanes) {
        const T* at[V::lanes];
#pragma GCC unroll 8
        for (int lane = 0; lane < V::lanes; ++lane) {
            // Lanes past the end repeat the last row.
            at[lane] = matrix.row(rows[std::min(i + lane, count - 1)]);
            const T* const next = matrix.row(rows[std::min(i + lane + rows_ahead, known - 1)]);
            _mm_prefetch(reinterpret_cast<const char*>(next), _MM_HINT_T0);
        }
        typename V::Vector sums = V::zero();
        add_all<V, 1>(row, at, 0, matrix.length, &sums);
        sums = V::add(sums, V::zero());  // no sum is -0
        if (i + V::lanes <= known) {
            V::store(to + i, sums);
            continue;
        }
        alignas(32) T made[V::lanes];
        V::store(made, sums);
        std::copy_n(made, count - i, to + i);
    }
}

template <class V, class T>
FRISKET_AVX2 void multiply_rows(const T* row, const MatrixRows<T>& matrix, const RowNumbers& numbers, T* to) {
    constexpr int groups = 4, most = groups * V::lanes, short_row = 16;
    if (matrix.length <= short_row) return multiply_short_rows<V>(row, matrix, numbers, to);
    const std::int64_t* const rows = numbers.rows.data();
    const std::int64_t count = std::ssize(numbers.rows), known = count + numbers.ahead - 1;
    const T* at[most];
    for (std::int64_t i = 0; i < count; i += most) {
        const auto now = static_cast<int>(std::min<std::int64_t>(most, count - i));
        for (int lane = 0; lane < now; ++lane) {
            at[lane] = matrix.row(rows[i + lane]);
            _mm_prefetch(
                reinterpret_cast<const char*>(matrix.row(rows[std::min(i + lane + rows_ahead, known)])),
                _MM_HINT_T0);
        }
        // Lanes past the end repeat the last row.
        for (int lane = now; lane % V::lanes != 0; ++lane) at[lane] = at[now - 1];
        T made[most];
        T* const target = now == most ? to + i : made;
        if (now > 3 * V::lanes)
            multiply_square<V, 4>(row, at, matrix.length, target);
        else if (now > 2 * V::lanes)
            multiply_square<V, 3>(row, at, matrix.length, target);
        else if (now > V::lanes)
            multiply_square<V, 2>(row, at, matrix.length, target);
        else
            multiply_square<V, 1>(row, at, matrix.length, target);
        if (now < most) std::copy_n(made, now, to + i);
    }
}

template <class T>
FRISKET_AVX2 void scatter(const LineEntries<T>& line, T factor, const SumsOfIndices<T>& to) {
    for (std::int64_t i = 0; i < line.count; ++i) {
        T& sum = to.sums[line.inner[i]];
        sum = std::fma(line.values[i], factor, sum);
        to.is_found[line.inner[i]] = 1;
    }
}

/// The sums of runtime::SumOfProducts, whose multiply-adds are instructions here.
template <class T>
FRISKET_AVX2 void multiply_lines(const LinesOfEntries<T>& lines, const MatrixRows<T>& column, T* to) {
    for (std::size_t line = 0; line + 1 < lines.starts.size(); ++line) {
        double total = 0;
        T panel = 0;
        std::int64_t panel_end = product_panel;
        for (std::int64_t i = lines.starts[line]; i < lines.starts[line + 1]; ++i) {
            const std::int64_t inner = lines.inner[i];
            if (inner >= panel_end) {
                total += static_cast<double>(panel);
                panel = 0;
                panel_end = (inner / product_panel + 1) * product_panel;
            }
            panel = std::fma(lines.values[i], column.data[inner * column.stride], panel);
        }
        to[line] = static_cast<T>(total + static_cast<double>(panel));
    }
}

#define FRISKET_STRIPS FRISKET_AVX2
#include "line_products_strips.hpp"

}  // namespace

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

void multiply_by_rows_avx2(const float* row, const MatrixRows<float>& matrix, const RowNumbers& numbers,
                           float* to) {
    multiply_rows<Floats>(row, matrix, numbers, to);
}

void multiply_by_rows_avx2(const double* row, const MatrixRows<double>& matrix, const RowNumbers& numbers,
                           double* to) {
    multiply_rows<Doubles>(row, matrix, numbers, to);
}

void add_rows_avx2(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to) {
    add_strips<Floats>(line, matrix, to);
}

void add_rows_avx2(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to) {
    add_strips<Doubles>(line, matrix, to);
}

void add_products_fma(const LineEntries<float>& line, float factor, const SumsOfIndices<float>& to) {
    scatter(line, factor, to);
}

void add_products_fma(const LineEntries<double>& line, double factor, const SumsOfIndices<double>& to) {
    scatter(line, factor, to);
}

void multiply_by_column_fma(const LinesOfEntries<float>& lines, const MatrixRows<float>& column, float* to) {
    multiply_lines(lines, column, to);
}

void multiply_by_column_fma(const LinesOfEntries<double>& lines, const MatrixRows<double>& column,
                            double* to) {
    multiply_lines(lines, column, to);
}

void sum_rows_avx2(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to) {
    add_strips_in<Floats, Sums::rows>(line, matrix, to);
}

void sum_rows_avx2(const LineEntries<float>& line, const MatrixRows<float>& matrix, double* to) {
    add_strips_in<Floats, Sums::rows>(line, matrix, to);
}

void sum_rows_avx2(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to) {
    add_strips_in<Doubles, Sums::rows>(line, matrix, to);
}

}  // namespace frisket::list_kernels::x86

#endif
