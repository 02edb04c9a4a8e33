// SPDX-License-Identifier: MIT
#include "hand_rows.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace bench {

namespace {

constexpr std::int64_t ahead = 12;

/// Row and place in the gradient as one number, by row and then by place.
const std::vector<std::uint64_t>& sorted_keys(const RowGradient& gradient, std::int64_t rows) {
    static std::vector<std::uint64_t> keys, other;
    const std::size_t count = gradient.indices.size();
    keys.resize(count);
    other.resize(count);
    const int half = (std::bit_width(static_cast<std::uint64_t>(rows - 1)) + 1) / 2;
    const std::uint64_t digits = (std::uint64_t{1} << half) - 1;
    std::vector<std::uint32_t> low(digits + 1), high(digits + 1);
    for (const std::int64_t row : gradient.indices) {
        ++low[static_cast<std::uint64_t>(row) & digits];
        ++high[static_cast<std::uint64_t>(row) >> half];
    }
    std::uint32_t low_start = 0, high_start = 0;
    for (std::size_t d = 0; d <= digits; ++d) {
        low_start += std::exchange(low[d], low_start);
        high_start += std::exchange(high[d], high_start);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = static_cast<std::uint64_t>(gradient.indices[i]);
        other[low[row & digits]++] = row << 32 | i;
    }
    for (const std::uint64_t key : other) keys[high[key >> 32 >> half]++] = key;
    return keys;
}

void fetch(const float* from, std::int64_t length) {
    for (std::int64_t i = 0; i < length; i += 16) __builtin_prefetch(from + i);
}

/// step(row, sum of its gradients) for each listed row; fetch_row(row) some time before.
template <class Step, class Fetch>
void for_each_row(const Table& table, const RowGradient& gradient, Step step, Fetch fetch_row) {
    const std::vector<std::uint64_t>& keys = sorted_keys(gradient, table.rows);
    const auto count = static_cast<std::int64_t>(keys.size());
    const auto traits_of = [&](std::int64_t i) { return static_cast<std::int64_t>(keys[i] >> 32); };
    const auto values_of = [&](std::int64_t i) {
        return gradient.values + static_cast<std::int64_t>(keys[i] & 0xffffffff) * table.length;
    };
#pragma omp parallel
    {
        const auto boundary = [&](std::int64_t i) {
            while (i > 0 && i < count && traits_of(i) == traits_of(i - 1)) ++i;
            return i;
        };
        const std::int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const std::int64_t end = boundary(count * (thread + 1) / threads);
        std::vector<float> buffer(static_cast<std::size_t>(table.length));
        for (std::int64_t i = boundary(count * thread / threads); i < end;) {
            const std::int64_t row = traits_of(i);
            const float* sum = values_of(i);
            if (i + ahead < end) {
                fetch_row(traits_of(i + ahead));
                fetch(values_of(i + ahead), table.length);
            }
            if (++i < end && traits_of(i) == row) {
                std::copy_n(sum, table.length, buffer.data());
                for (; i < end && traits_of(i) == row; ++i) {
                    const float* more = values_of(i);
                    for (std::int64_t k = 0; k < table.length; ++k) buffer[k] += more[k];
                }
                sum = buffer.data();
            }
            step(row, sum);
        }
    }
}

}  // namespace

void rows_adagrad(const Table& t, const RowGradient& gradient) {
    const auto step = [&](std::int64_t row, const float* __restrict g) {
        float* __restrict param = t.param + row * t.length;
        float* __restrict state = t.state + row * t.length;
        for (std::int64_t k = 0; k < t.length; ++k) {
            const float sum = state[k] + g[k] * g[k];
            state[k] = sum;
            param[k] -= t.lr * g[k] / (std::sqrt(sum) + t.eps);
        }
    };
    for_each_row(t, gradient, step, [&](std::int64_t row) {
        fetch(t.param + row * t.length, t.length);
        fetch(t.state + row * t.length, t.length);
    });
}

void rows_rowwise_adagrad(const Table& t, const RowGradient& gradient) {
    const auto step = [&](std::int64_t row, const float* __restrict g) {
        float* __restrict param = t.param + row * t.length;
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t k = 0; k < t.length; ++k) squares += g[k] * g[k];
        const float sum = t.state[row] += squares / static_cast<float>(t.length);
        const float rate = t.lr / (std::sqrt(sum) + t.eps);
        for (std::int64_t k = 0; k < t.length; ++k) param[k] -= rate * g[k];
    };
    for_each_row(t, gradient, step, [&](std::int64_t row) {
        fetch(t.param + row * t.length, t.length);
        __builtin_prefetch(t.state + row);
    });
}

void rows_sparse_adam(const Table& t, const RowGradient& gradient) {
    const auto step = [&](std::int64_t row, const float* __restrict g) {
        float* __restrict param = t.param + row * t.length;
        float* __restrict first = t.state + row * t.length;
        float* __restrict second = t.second + row * t.length;
        for (std::int64_t k = 0; k < t.length; ++k) {
            first[k] += 0.1F * (g[k] - first[k]);
            second[k] += 0.001F * (g[k] * g[k] - second[k]);
            param[k] -= t.lr * first[k] / (std::sqrt(second[k]) + t.eps);
        }
    };
    for_each_row(t, gradient, step, [&](std::int64_t row) {
        fetch(t.param + row * t.length, t.length);
        fetch(t.state + row * t.length, t.length);
        fetch(t.second + row * t.length, t.length);
    });
}

}  // namespace bench
