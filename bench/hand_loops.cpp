// SPDX-License-Identifier: MIT
#include "hand_loops.hpp"

#include <omp.h>

#include <bit>
#include <cmath>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace bench {

namespace {

/// Runs body(begin, end) on every thread; bounds are multiples of 64, but for the last.
template <class Body>
void parallel(std::int64_t n, Body body) {
#pragma omp parallel
    {
        const std::int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const std::int64_t begin = n / 64 * thread / threads * 64;
        const std::int64_t end = thread + 1 == threads ? n : n / 64 * (thread + 1) / threads * 64;
        body(begin, end);
    }
}

inline void update(const Adagrad& s, std::int64_t i, float g) {
    const float state = s.state[i] + g * g;
    s.state[i] = state;
    s.param[i] -= s.lr * g / (std::sqrt(state) + s.eps);
}

#if defined(__AVX512F__) && defined(__AVX512BW__)

struct Lanes {
    explicit Lanes(const Adagrad& s) : step(s), lr(_mm512_set1_ps(s.lr)), eps(_mm512_set1_ps(s.eps)) {}
    void update(std::int64_t i, __mmask16 mask) const {
        const __m512 g = _mm512_maskz_loadu_ps(mask, step.grad + i);
        const __m512 s = _mm512_fmadd_ps(g, g, _mm512_maskz_loadu_ps(mask, step.state + i));
        const __m512 move = _mm512_div_ps(_mm512_mul_ps(lr, g), _mm512_add_ps(_mm512_sqrt_ps(s), eps));
        _mm512_mask_storeu_ps(step.state + i, mask, s);
        _mm512_mask_storeu_ps(step.param + i, mask,
                              _mm512_sub_ps(_mm512_maskz_loadu_ps(mask, step.param + i), move));
    }
    void update_word(std::int64_t i, std::uint64_t word) const {
        for (int k = 0; k < 4; ++k, word >>= 16)
            if (const auto mask = static_cast<__mmask16>(word)) update(i + 16L * k, mask);
    }
    const Adagrad& step;
    __m512 lr, eps;
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    const __m512i v = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(v, v);
}

constexpr std::string_view vector_instructions = "AVX-512";

#elif defined(__AVX2__) && defined(__FMA__)

struct Lanes {
    explicit Lanes(const Adagrad& s) : step(s), lr(_mm256_set1_ps(s.lr)), eps(_mm256_set1_ps(s.eps)) {}
    void update(std::int64_t i, int bits) const {
        const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        const __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits), lane), lane);
        const __m256 g = _mm256_maskload_ps(step.grad + i, mask);
        const __m256 s = _mm256_fmadd_ps(g, g, _mm256_maskload_ps(step.state + i, mask));
        const __m256 move = _mm256_div_ps(_mm256_mul_ps(lr, g), _mm256_add_ps(_mm256_sqrt_ps(s), eps));
        _mm256_maskstore_ps(step.state + i, mask, s);
        _mm256_maskstore_ps(step.param + i, mask,
                            _mm256_sub_ps(_mm256_maskload_ps(step.param + i, mask), move));
    }
    void update_word(std::int64_t i, std::uint64_t word) const {
        for (int k = 0; k < 8; ++k, word >>= 8)
            if (word & 0xff) update(i + 8 * k, static_cast<int>(word & 0xff));
    }
    const Adagrad& step;
    __m256 lr, eps;
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32 * half));
        const auto zero =
            static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
        word |= static_cast<std::uint64_t>(~zero) << (32 * half);
    }
    return word;
}

constexpr std::string_view vector_instructions = "AVX2";

#else

struct Lanes {
    void update_word(std::int64_t i, std::uint64_t word) const {
        for (; word; word &= word - 1)
            update(step, i + std::countr_zero(word), step.grad[i + std::countr_zero(word)]);
    }
    const Adagrad& step;
};

std::uint64_t word_of(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    for (int k = 0; k < 64; ++k) word |= std::uint64_t{bytes[k] != 0} << k;
    return word;
}

constexpr std::string_view vector_instructions = "none";

#endif

}  // namespace

void dense(const Adagrad& s, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) {
        float* __restrict param = s.param;
        float* __restrict state = s.state;
        const float* __restrict grad = s.grad;
        for (std::int64_t i = begin; i < end; ++i) {
            const float g = grad[i], t = state[i] + g * g;
            state[i] = t;
            param[i] -= s.lr * g / (std::sqrt(t) + s.eps);
        }
    });
}

void branch(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            if (mask[i]) update(s, i, s.grad[i]);
    });
}

void branch_on_one_thread(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        if (mask[i]) update(s, i, s.grad[i]);
}

void blend(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) {
        float* __restrict param = s.param;
        float* __restrict state = s.state;
        const float* __restrict grad = s.grad;
        const std::uint8_t* __restrict m = mask;
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) {
            const float g = grad[i], t = state[i] + g * g, p = param[i] - s.lr * g / (std::sqrt(t) + s.eps);
            state[i] = m[i] ? t : state[i];
            param[i] = m[i] ? p : param[i];
        }
    });
}

void vector_bytes(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    parallel(n / 64 * 64, [&](std::int64_t begin, std::int64_t end) {
        const Lanes lanes{s};
        for (std::int64_t i = begin; i < end; i += 64)
            if (const std::uint64_t word = word_of(mask + i)) lanes.update_word(i, word);
    });
    for (std::int64_t i = n / 64 * 64; i < n; ++i)
        if (mask[i]) update(s, i, s.grad[i]);
}

void vector_bits(const Adagrad& s, const std::uint64_t* words, std::int64_t n) {
    parallel(n / 64 * 64, [&](std::int64_t begin, std::int64_t end) {
        const Lanes lanes{s};
        for (std::int64_t i = begin; i < end; i += 64)
            if (const std::uint64_t word = words[i / 64]) lanes.update_word(i, word);
    });
    for (std::int64_t i = n / 64 * 64; i < n; ++i)
        if (words[i / 64] >> (i % 64) & 1) update(s, i, s.grad[i]);
}

void scan_bits(const Adagrad& s, const std::uint64_t* words, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; i += 64)
            for (std::uint64_t word = words[i / 64]; word; word &= word - 1) {
                const std::int64_t at = i + std::countr_zero(word);
                update(s, at, s.grad[at]);
            }
    });
}

void index_list(const Adagrad& s, std::span<const std::int32_t> positions, const float* values) {
    parallel(static_cast<std::int64_t>(positions.size()), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k)
            update(s, positions[static_cast<std::size_t>(k)], values[k]);
    });
}

void triad(float* a, const float* b, const float* c, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) a[i] = b[i] + 1.5F * c[i];
    });
}

std::string_view instructions() { return vector_instructions; }

}  // namespace bench
