// SPDX-License-Identifier: MIT
#include "hand_dense.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench {

namespace {

void update(const Adagrad& s, std::int64_t begin, std::int64_t end) {
    frisket::hand::loops().dense(s, begin, end);
}

void update(const AdamW& s, std::int64_t begin, std::int64_t end) {
    float* __restrict param = s.param;
    float* __restrict mean = s.mean;
    float* __restrict square = s.square;
    const float* __restrict grad = s.grad;
    const auto step = static_cast<float>(s.lr / (1 - std::pow(static_cast<double>(s.beta1), s.t)));
    const auto root = static_cast<float>(1 / std::sqrt(1 - std::pow(static_cast<double>(s.beta2), s.t)));
    const float beta2 = s.beta2, eps = s.eps, decay = s.decay, new1 = 1 - s.beta1, new2 = 1 - s.beta2;
    for (std::int64_t i = begin; i < end; ++i) {
        const float g = grad[i], m = mean[i] + new1 * (g - mean[i]), v = square[i] * beta2 + new2 * g * g;
        mean[i] = m;
        square[i] = v;
        param[i] = param[i] * decay - step * (m / (std::sqrt(v) * root + eps));
    }
}

/// Every thread has an equal share of all elements, wherever a tensor ends.
template <class Step>
void share_out(std::span<const Step> steps, std::span<const std::int64_t> counts) {
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
#pragma omp parallel
    {
        const std::int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
        const std::int64_t begin = total * thread / threads, end = total * (thread + 1) / threads;
        std::int64_t first = 0;
        for (std::size_t i = 0; i < steps.size(); first += counts[i++]) {
            const std::int64_t low = std::max(begin, first), high = std::min(end, first + counts[i]);
            if (low < high) update(steps[i], low - first, high - first);
        }
    }
}

}  // namespace

void dense_list(std::span<const Adagrad> steps, std::span<const std::int64_t> counts) {
    share_out(steps, counts);
}
void dense_list(std::span<const AdamW> steps, std::span<const std::int64_t> counts) {
    share_out(steps, counts);
}

}  // namespace bench
