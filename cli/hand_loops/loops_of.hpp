// SPDX-License-Identifier: MIT
// Included by one source for each instruction set, which names its table: what is compiled here is used where the
// processor has those instructions alone, so everything is internal to the source.
#include "hand_loops.hpp"

#include <cmath>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace frisket::hand {

namespace {

inline void update(const Adagrad& s, std::int64_t i, float g) {
    const float sum = s.sum[i] + g * g;
    s.sum[i] = sum;
    s.param[i] -= s.rate * (g / (std::sqrt(sum) + s.eps));
}

#if defined(__AVX512F__) && defined(__AVX512BW__)

struct Lanes {
    explicit Lanes(const Adagrad& s) : step(s), rate(_mm512_set1_ps(s.rate)), eps(_mm512_set1_ps(s.eps)) {}
    void update(std::int64_t i, __mmask16 mask) const {
        const __m512 g = _mm512_maskz_loadu_ps(mask, step.grad + i);
        const __m512 s = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, step.sum + i), _mm512_mul_ps(g, g));
        const __m512 move = _mm512_mul_ps(rate, _mm512_div_ps(g, _mm512_add_ps(_mm512_sqrt_ps(s), eps)));
        _mm512_mask_storeu_ps(step.sum + i, mask, s);
        _mm512_mask_storeu_ps(step.param + i, mask,
                              _mm512_sub_ps(_mm512_maskz_loadu_ps(mask, step.param + i), move));
    }
    void update_word(std::int64_t i, std::uint64_t word) const {
        for (int k = 0; k < 4; ++k, word >>= 16)
            if (const auto mask = static_cast<__mmask16>(word)) update(i + 16L * k, mask);
    }
    const Adagrad& step;
    __m512 rate, eps;
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    const __m512i v = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(v, v);
}

constexpr std::string_view vector_instructions = "AVX-512";

#elif defined(__AVX2__)

struct Lanes {
    explicit Lanes(const Adagrad& s) : step(s), rate(_mm256_set1_ps(s.rate)), eps(_mm256_set1_ps(s.eps)) {}
    void update(std::int64_t i, int bits) const {
        const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        const __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), lane), lane);
        const __m256 g = _mm256_maskload_ps(step.grad + i, mask);
        const __m256 s = _mm256_add_ps(_mm256_maskload_ps(step.sum + i, mask), _mm256_mul_ps(g, g));
        const __m256 move = _mm256_mul_ps(rate, _mm256_div_ps(g, _mm256_add_ps(_mm256_sqrt_ps(s), eps)));
        _mm256_maskstore_ps(step.sum + i, mask, s);
        _mm256_maskstore_ps(step.param + i, mask,
                            _mm256_sub_ps(_mm256_maskload_ps(step.param + i, mask), move));
    }
    void update_word(std::int64_t i, std::uint64_t word) const {
        for (int k = 0; k < 8; ++k, word >>= 8)
            if ((word & 0xff) != 0) update(i + 8L * k, static_cast<int>(word & 0xff));
    }
    const Adagrad& step;
    __m256 rate, eps;
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32L * half));
        const auto zero =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
        word |= static_cast<std::uint64_t>(~zero) << (32 * half);
    }
    return word;
}

constexpr std::string_view vector_instructions = "AVX2";

#else

struct Lanes {
    explicit Lanes(const Adagrad& s) : step(s) {}
    void update_word(std::int64_t i, std::uint64_t word) const {
        for (; word != 0; word &= word - 1) {
            const std::int64_t at = i + __builtin_ctzll(word);
            update(step, at, step.grad[at]);
        }
    }
    const Adagrad& step;
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    for (int k = 0; k < 64; ++k) word |= static_cast<std::uint64_t>(bytes[k] != 0) << k;
    return word;
}

constexpr std::string_view vector_instructions = "none";

#endif

bool has_bit(const std::uint64_t* words, std::int64_t i) { return (words[i / 64] >> (i % 64) & 1) != 0; }

void dense(const Adagrad& s, std::int64_t begin, std::int64_t end) {
    float* const __restrict param = s.param;
    float* const __restrict sum = s.sum;
    const float* const __restrict grad = s.grad;
    const float rate = s.rate, eps = s.eps;
    for (std::int64_t i = begin; i < end; ++i) {
        const float g = grad[i], t = sum[i] + g * g;
        sum[i] = t;
        param[i] -= rate * (g / (std::sqrt(t) + eps));
    }
}

void branch(const Adagrad& s, const std::uint8_t* mask, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
        if (mask[i] != 0) update(s, i, s.grad[i]);
}

void blend(const Adagrad& s, const std::uint8_t* mask, std::int64_t begin, std::int64_t end) {
    float* const __restrict param = s.param;
    float* const __restrict sum = s.sum;
    const float* const __restrict grad = s.grad;
    const std::uint8_t* const __restrict m = mask;
    const float rate = s.rate, eps = s.eps;
    for (std::int64_t i = begin; i < end; ++i) {
        const float g = grad[i], t = sum[i] + g * g, p = param[i] - rate * (g / (std::sqrt(t) + eps));
        sum[i] = m[i] != 0 ? t : sum[i];
        param[i] = m[i] != 0 ? p : param[i];
    }
}

void vector_bytes(const Adagrad& s, const std::uint8_t* mask, std::int64_t begin, std::int64_t end) {
    const Lanes lanes{s};
    std::int64_t i = begin;
    for (; i + 64 <= end; i += 64)
        if (const std::uint64_t word = word_of(mask + i)) lanes.update_word(i, word);
    branch(s, mask, i, end);
}

void branch_bits(const Adagrad& s, const std::uint64_t* words, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
        if (has_bit(words, i)) update(s, i, s.grad[i]);
}

void vector_bits(const Adagrad& s, const std::uint64_t* words, std::int64_t begin, std::int64_t end) {
    const Lanes lanes{s};
    std::int64_t i = begin;
    for (; i + 64 <= end; i += 64)
        if (const std::uint64_t word = words[i / 64]) lanes.update_word(i, word);
    branch_bits(s, words, i, end);
}

void scan_bits(const Adagrad& s, const std::uint64_t* words, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += 64)
        for (std::uint64_t word = words[i / 64]; word != 0; word &= word - 1) {
            const std::int64_t at = i + __builtin_ctzll(word);
            update(s, at, s.grad[at]);
        }
}

void index_list(const Adagrad& s, const std::int32_t* positions, const float* values, std::int64_t begin,
                std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) update(s, positions[k], values[k]);
}

}  // namespace

extern const Loops FRISKET_HAND_LOOPS;
const Loops FRISKET_HAND_LOOPS{.instructions = vector_instructions,
                               .dense = dense,
                               .branch = branch,
                               .blend = blend,
                               .vector_bytes = vector_bytes,
                               .vector_bits = vector_bits,
                               .branch_bits = branch_bits,
                               .scan_bits = scan_bits,
                               .index_list = index_list};

}  // namespace frisket::hand
