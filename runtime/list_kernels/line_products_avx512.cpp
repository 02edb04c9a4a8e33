// SPDX-License-Identifier: MIT
#include "line_products_x86.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "../limits.hpp"

// Functions for AVX-512, inlined into their callers.
#define FRISKET_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,fma")]]
#define FRISKET_AVX512_INLINE [[gnu::target("avx512f,avx512dq,avx512vl,fma"), gnu::always_inline]] inline

namespace frisket::list_kernels::x86 {

using limits::product_panel;

namespace {

/// Vectors of float.
struct Floats {
    using T = float;
    using Vector = __m512;
    static constexpr int lanes = 16;

    FRISKET_AVX512_INLINE static Vector zero() { return _mm512_setzero_ps(); }
    FRISKET_AVX512_INLINE static Vector all(const T* from) { return _mm512_set1_ps(*from); }
    FRISKET_AVX512_INLINE static Vector load(const T* from) { return _mm512_loadu_ps(from); }
    FRISKET_AVX512_INLINE static Vector load(const T* from, __mmask16 lanes_read) {
        return _mm512_maskz_loadu_ps(lanes_read, from);
    }
    FRISKET_AVX512_INLINE static __mmask16 first_lanes(std::int64_t count) {
        return static_cast<__mmask16>((std::uint32_t{1} << count) - 1);
    }
    FRISKET_AVX512_INLINE static void store(T* to, Vector x) { _mm512_storeu_ps(to, x); }
    FRISKET_AVX512_INLINE static void store(T* to, __mmask16 lanes_written, Vector x) {
        _mm512_mask_storeu_ps(to, lanes_written, x);
    }
    FRISKET_AVX512_INLINE static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
    FRISKET_AVX512_INLINE static Vector where(bool is_kept, Vector x) {
        return _mm512_maskz_mov_ps(static_cast<__mmask16>(-static_cast<int>(is_kept)), x);
    }

    /// Float64 totals of a vector of sums.
    struct Totals { __m512d low, high; };
    FRISKET_AVX512_INLINE static Totals no_totals() { return {_mm512_setzero_pd(), _mm512_setzero_pd()}; }
    FRISKET_AVX512_INLINE static void add_panel(Totals& totals, Vector panel) {
        totals.low = _mm512_add_pd(totals.low, _mm512_cvtps_pd(_mm512_castps512_ps256(panel)));
        totals.high = _mm512_add_pd(totals.high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(panel, 1)));
    }
    FRISKET_AVX512_INLINE static Vector rounded(const Totals& totals) {
        const __m256 low = _mm512_cvtpd_ps(totals.low), high = _mm512_cvtpd_ps(totals.high);
        return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    }
};

/// Vectors of few floats, whose totals are one vector.
struct FewFloats {
    using T = float;
    using Vector = __m256;
    static constexpr int lanes = 8;

    FRISKET_AVX512_INLINE static Vector zero() { return _mm256_setzero_ps(); }
    FRISKET_AVX512_INLINE static Vector all(const T* from) { return _mm256_broadcast_ss(from); }
    FRISKET_AVX512_INLINE static Vector load(const T* from) { return _mm256_loadu_ps(from); }
    FRISKET_AVX512_INLINE static Vector load(const T* from, __mmask8 lanes_read) {
        return _mm256_maskz_loadu_ps(lanes_read, from);
    }
    FRISKET_AVX512_INLINE static __mmask8 first_lanes(std::int64_t count) {
        return static_cast<__mmask8>((std::uint32_t{1} << count) - 1);
    }
    FRISKET_AVX512_INLINE static void store(T* to, Vector x) { _mm256_storeu_ps(to, x); }
    FRISKET_AVX512_INLINE static void store(T* to, __mmask8 lanes_written, Vector x) {
        _mm256_mask_storeu_ps(to, lanes_written, x);
    }
    FRISKET_AVX512_INLINE static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
    FRISKET_AVX512_INLINE static Vector where(bool is_kept, Vector x) {
        return _mm256_maskz_mov_ps(static_cast<__mmask8>(-static_cast<int>(is_kept)), x);
    }

    using Totals = __m512d;
    FRISKET_AVX512_INLINE static Totals no_totals() { return _mm512_setzero_pd(); }
    FRISKET_AVX512_INLINE static void add_panel(Totals& totals, Vector panel) {
        totals = _mm512_add_pd(totals, _mm512_cvtps_pd(panel));
    }
    FRISKET_AVX512_INLINE static Vector rounded(const Totals& totals) { return _mm512_cvtpd_ps(totals); }
};

/// Vectors of double.
struct Doubles {
    using T = double;
    using Vector = __m512d;
    static constexpr int lanes = 8;

    FRISKET_AVX512_INLINE static Vector zero() { return _mm512_setzero_pd(); }
    FRISKET_AVX512_INLINE static Vector all(const T* from) { return _mm512_set1_pd(*from); }
    FRISKET_AVX512_INLINE static Vector load(const T* from) { return _mm512_loadu_pd(from); }
    FRISKET_AVX512_INLINE static Vector load(const T* from, __mmask8 lanes_read) {
        return _mm512_maskz_loadu_pd(lanes_read, from);
    }
    FRISKET_AVX512_INLINE static __mmask8 first_lanes(std::int64_t count) {
        return static_cast<__mmask8>((std::uint32_t{1} << count) - 1);
    }
    FRISKET_AVX512_INLINE static void store(T* to, Vector x) { _mm512_storeu_pd(to, x); }
    FRISKET_AVX512_INLINE static void store(T* to, __mmask8 lanes_written, Vector x) {
        _mm512_mask_storeu_pd(to, lanes_written, x);
    }
    FRISKET_AVX512_INLINE static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
    FRISKET_AVX512_INLINE static Vector where(bool is_kept, Vector x) {
        return _mm512_maskz_mov_pd(static_cast<__mmask8>(-static_cast<int>(is_kept)), x);
    }

    using Totals = __m512d;
    FRISKET_AVX512_INLINE static Totals no_totals() { return zero(); }
    FRISKET_AVX512_INLINE static void add_panel(Totals& totals, Vector panel) {
        totals = _mm512_add_pd(totals, panel);
    }
    FRISKET_AVX512_INLINE static Vector rounded(const Totals& totals) { return totals; }
};

#define FRISKET_STRIPS FRISKET_AVX512
#include "line_products_strips.hpp"

}  // namespace

bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

void add_rows_avx512(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to) {
    if (matrix.length <= FewFloats::lanes)
        add_strips<FewFloats>(line, matrix, to);
    else
        add_strips<Floats>(line, matrix, to);
}

void add_rows_avx512(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to) {
    add_strips<Doubles>(line, matrix, to);
}

void sum_rows_avx512(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to) {
    add_strips_in<Floats, Sums::rows>(line, matrix, to);
}

void sum_rows_avx512(const LineEntries<float>& line, const MatrixRows<float>& matrix, double* to) {
    add_strips_in<Floats, Sums::rows>(line, matrix, to);
}

void sum_rows_avx512(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to) {
    add_strips_in<Doubles, Sums::rows>(line, matrix, to);
}

}  // namespace frisket::list_kernels::x86

#endif
