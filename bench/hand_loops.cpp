// SPDX-License-Identifier: MIT
#include "hand_loops.hpp"

#include <omp.h>

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

const frisket::hand::Loops& loops() { return frisket::hand::loops(); }

}  // namespace

void dense(const Adagrad& s, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) { loops().dense(s, begin, end); });
}

void branch(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) { loops().branch(s, mask, begin, end); });
}

void branch_on_one_thread(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    loops().branch(s, mask, 0, n);
}

void blend(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) { loops().blend(s, mask, begin, end); });
}

void vector_bytes(const Adagrad& s, const std::uint8_t* mask, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) { loops().vector_bytes(s, mask, begin, end); });
}

void vector_bits(const Adagrad& s, const std::uint64_t* words, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) { loops().vector_bits(s, words, begin, end); });
}

void scan_bits(const Adagrad& s, const std::uint64_t* words, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) { loops().scan_bits(s, words, begin, end); });
}

void index_list(const Adagrad& s, std::span<const std::int32_t> positions, const float* values) {
    parallel(std::ssize(positions), [&](std::int64_t begin, std::int64_t end) {
        loops().index_list(s, positions.data(), values, begin, end);
    });
}

void triad(float* a, const float* b, const float* c, std::int64_t n) {
    parallel(n, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) a[i] = b[i] + 1.5F * c[i];
    });
}

std::string_view instructions() { return loops().instructions; }

}  // namespace bench
