// SPDX-License-Identifier: MIT
#include "line_products_x86.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "../../runtime/limits.hpp"

// Functions for AVX-512, inlined into their callers.
#define FRISKET_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,fma")]]
#define FRISKET_AVX512_INLINE [[gnu::target("avx512f,avx512dq,avx512vl,fma"), gnu::always_inline]] inline

namespace frisket::plan::x86 {

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

    using Totals = __m512d;
    FRISKET_AVX512_INLINE static Totals no_totals() { return zero(); }
    FRISKET_AVX512_INLINE static void add_panel(Totals& totals, Vector panel) {
        totals = _mm512_add_pd(totals, panel);
    }
    FRISKET_AVX512_INLINE static Vector rounded(const Totals& totals) { return totals; }
};

/// Columns of the rows of a matrix, in vectors side by side, the last of which may be cut off.
template <class V, int vectors>
FRISKET_AVX512 void add_strip(const LineEntries<typename V::T>& line, const MatrixRows<typename V::T>& strip,
                              typename V::T* to) {
    constexpr int last = vectors - 1;
    const auto cut = V::first_lanes(strip.length - last * V::lanes);
    typename V::Vector sums[vectors];
    typename V::Totals totals[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
        sums[v] = V::zero();
        totals[v] = V::no_totals();
    }
    std::int64_t panel_end = product_panel;
    const std::int64_t known = line.count + line.ahead - 1;
    for (std::int64_t i = 0; i < line.count; ++i) {
        const auto* const next =
            reinterpret_cast<const char*>(strip.row(line.inner[std::min(i + rows_ahead, known)]));
        for (int v = 0; v < vectors; ++v) _mm_prefetch(next + v * sizeof(typename V::Vector), _MM_HINT_T0);
        if (line.inner[i] >= panel_end) {
            panel_end = (line.inner[i] / product_panel + 1) * product_panel;
#pragma GCC unroll 8
            for (int v = 0; v < vectors; ++v) {
                V::add_panel(totals[v], sums[v]);
                sums[v] = V::zero();
            }
        }
        const typename V::T* const row = strip.row(line.inner[i]);
        const typename V::Vector factor = V::all(line.values + i);
#pragma GCC unroll 8
        for (int v = 0; v < last; ++v) sums[v] = V::fma(factor, V::load(row + v * V::lanes), sums[v]);
        sums[last] = V::fma(factor, V::load(row + last * V::lanes, cut), sums[last]);
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
        V::add_panel(totals[v], sums[v]);
        if (v < last)
            V::store(to + v * V::lanes, V::rounded(totals[v]));
        else
            V::store(to + v * V::lanes, cut, V::rounded(totals[v]));
    }
}

template <class V, class T>
FRISKET_AVX512 void add_strips(const LineEntries<T>& line, const MatrixRows<T>& matrix, T* to) {
    constexpr int most = 4;
    for (std::int64_t n = 0; n < matrix.length; n += most * V::lanes) {
        const MatrixRows<T> strip{.data = matrix.data + n,
                                  .stride = matrix.stride,
                                  .length = std::min<std::int64_t>(most * V::lanes, matrix.length - n)};
        switch ((strip.length + V::lanes - 1) / V::lanes) {
            case 4: add_strip<V, 4>(line, strip, to + n); break;
            case 3: add_strip<V, 3>(line, strip, to + n); break;
            case 2: add_strip<V, 2>(line, strip, to + n); break;
            default: add_strip<V, 1>(line, strip, to + n);
        }
    }
}

}  // namespace

bool has_avx512() {
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
    return has;
}

void add_rows_avx512(const LineEntries<float>& line, const MatrixRows<float>& matrix, float* to) {
    add_strips<Floats>(line, matrix, to);
}

void add_rows_avx512(const LineEntries<double>& line, const MatrixRows<double>& matrix, double* to) {
    add_strips<Doubles>(line, matrix, to);
}

}  // namespace frisket::plan::x86

#endif
