// SPDX-License-Identifier: MIT
#include "hand_reductions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace bench {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)

/// 16 partial results.
struct Lanes {
    explicit Lanes(float start) : total(_mm512_set1_ps(start)) {}
    void add(const float* x, std::uint64_t bits) {
        const auto mask = static_cast<__mmask16>(bits);
        total = _mm512_mask_add_ps(total, mask, total, _mm512_loadu_ps(x));
    }
    void raise(const float* x, std::uint64_t bits) {
        const auto mask = static_cast<__mmask16>(bits);
        total = _mm512_mask_max_ps(total, mask, total, _mm512_loadu_ps(x));
    }
    void store(float* to) const { _mm512_storeu_ps(to, total); }
    __m512 total;
};

struct Counts {
    void add(std::uint64_t bits) {
        const auto mask = static_cast<__mmask16>(bits);
        total = _mm512_mask_add_epi32(total, mask, total, _mm512_set1_epi32(1));
    }
    void store(std::int32_t* to) const { _mm512_storeu_si512(to, total); }
    __m512i total = _mm512_setzero_si512();
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    const __m512i v = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(v, v);
}

#else

struct Lanes {
    explicit Lanes(float start) { std::fill(total, total + 16, start); }
    void add(const float* x, std::uint64_t bits) {
        for (int i = 0; i < 16; ++i) total[i] += bits >> i & 1 ? x[i] : 0;
    }
    void raise(const float* x, std::uint64_t bits) {
        for (int i = 0; i < 16; ++i) total[i] = bits >> i & 1 ? std::max(total[i], x[i]) : total[i];
    }
    void store(float* to) const { std::memcpy(to, total, sizeof total); }
    float total[16];
};

struct Counts {
    void add(std::uint64_t bits) {
        for (int i = 0; i < 16; ++i) total[i] += static_cast<std::int32_t>(bits >> i & 1);
    }
    void store(std::int32_t* to) const { std::memcpy(to, total, sizeof total); }
    std::int32_t total[16] = {};
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    for (int k = 0; k < 64; ++k) word |= std::uint64_t{bytes[k] != 0} << k;
    return word;
}

#endif

struct Bytes {
    const std::uint8_t* data;
    std::uint64_t operator()(std::int64_t i) const { return word_of(data + i); }
};
struct Words {
    const std::uint64_t* data;
    std::uint64_t operator()(std::int64_t i) const { return data[i / 64]; }
};

float fold(Op op, const float* lanes, float start) {
    float total = start;
    for (int i = 0; i < 16; ++i) total = op == Op::amax ? std::max(total, lanes[i]) : total + lanes[i];
    return total;
}

struct RowResult {
    float total;
    std::int64_t count;
};

template <Op op, class Mask>
RowResult row(const MaskedMatrix& x, const Mask& mask, std::int64_t r) {
    constexpr float start = op == Op::amax ? lowest : 0;
    Lanes lanes[4] = {Lanes(start), Lanes(start), Lanes(start), Lanes(start)};
    std::int64_t count = 0;
    for (std::int64_t i = r * x.columns; i < (r + 1) * x.columns; i += 64) {
        const std::uint64_t word = mask(i);
        for (int k = 0; k < 4; ++k) {
            if constexpr (op == Op::amax)
                lanes[k].raise(x.values + i + 16 * k, word >> 16 * k);
            else
                lanes[k].add(x.values + i + 16 * k, word >> 16 * k);
        }
        if constexpr (op == Op::mean) count += std::popcount(word);
    }
    float total = start, stored[16];
    for (const Lanes& four : lanes) {
        four.store(stored);
        total = fold(op, stored, total);
    }
    return {total, count};
}

/// Columns [first, first + 256) of all rows.
template <Op op, class Mask>
void strip(const MaskedMatrix& x, const Mask& mask, std::int64_t first, float* result) {
    constexpr float start = op == Op::amax ? lowest : 0;
    const std::int64_t words = std::min<std::int64_t>(4, (x.columns - first) / 64);
    Lanes lanes[16] = {Lanes(start), Lanes(start), Lanes(start), Lanes(start), Lanes(start), Lanes(start),
                       Lanes(start), Lanes(start), Lanes(start), Lanes(start), Lanes(start), Lanes(start),
                       Lanes(start), Lanes(start), Lanes(start), Lanes(start)};
    Counts counts[16];
    for (std::int64_t r = 0; r < x.rows; ++r)
        for (std::int64_t w = 0; w < words; ++w) {
            const std::int64_t i = r * x.columns + first + 64 * w;
            const std::uint64_t word = mask(i);
            for (int k = 0; k < 4; ++k) {
                if constexpr (op == Op::amax)
                    lanes[4 * w + k].raise(x.values + i + 16 * k, word >> 16 * k);
                else
                    lanes[4 * w + k].add(x.values + i + 16 * k, word >> 16 * k);
                if constexpr (op == Op::mean) counts[4 * w + k].add(word >> 16 * k);
            }
        }
    for (std::int64_t v = 0; v < 4 * words; ++v) {
        float* const to = result + first + 16 * v;
        lanes[v].store(to);
        if constexpr (op != Op::mean) continue;
        std::int32_t specified[16];
        counts[v].store(specified);
        for (int i = 0; i < 16; ++i) to[i] /= static_cast<float>(specified[i]);
    }
}

template <Op op, class Mask>
float all(const MaskedMatrix& x, const Mask& mask) {
    double total = 0;
    std::int64_t count = 0;
    float best = lowest;
#pragma omp parallel for schedule(static) reduction(+ : total, count) reduction(max : best)
    for (std::int64_t r = 0; r < x.rows; ++r) {
        const RowResult one = row<op>(x, mask, r);
        total += one.total;
        count += one.count;
        best = std::max(best, one.total);
    }
    if (op == Op::amax) return best;
    return static_cast<float>(op == Op::mean ? total / static_cast<double>(count) : total);
}

template <Op op, class Mask>
void each_row(const MaskedMatrix& x, const Mask& mask, float* result) {
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < x.rows; ++r) {
        const RowResult one = row<op>(x, mask, r);
        result[r] = op == Op::mean ? one.total / static_cast<float>(one.count) : one.total;
    }
}

template <Op op, class Mask>
void each_column(const MaskedMatrix& x, const Mask& mask, float* result) {
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < x.columns; first += 256) strip<op>(x, mask, first, result);
}

/// body.operator()<op>(mask) for the operation and the form of the mask.
template <class Body>
void with(Op op, const MaskedMatrix& x, Body body) {
    const auto of_mask = [&](const auto& mask) {
        if (op == Op::sum) body.template operator()<Op::sum>(mask);
        if (op == Op::mean) body.template operator()<Op::mean>(mask);
        if (op == Op::amax) body.template operator()<Op::amax>(mask);
    };
    x.bytes != nullptr ? of_mask(Bytes{x.bytes}) : of_mask(Words{x.words});
}

}  // namespace

float reduce_all(Op op, const MaskedMatrix& x) {
    float result = 0;
    with(op, x, [&]<Op known>(const auto& mask) { result = all<known>(x, mask); });
    return result;
}

void reduce_rows(Op op, const MaskedMatrix& x, float* result) {
    with(op, x, [&]<Op known>(const auto& mask) { each_row<known>(x, mask, result); });
}

void reduce_columns(Op op, const MaskedMatrix& x, float* result) {
    with(op, x, [&]<Op known>(const auto& mask) { each_column<known>(x, mask, result); });
}

}  // namespace bench
