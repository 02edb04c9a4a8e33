// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "hand_loops.hpp"

/// Dense steps over lists of tensors as one writes them by hand: one region of threads over all elements of
/// all of them.
namespace bench {

struct AdamW {
    float* param;
    float* mean;
    float* square;
    const float* grad;
    float lr, beta1, beta2, eps, decay;  ///< decay: what the parameter is multiplied by
    int t;                               ///< the number of the step
};

/// Each of the given number of elements.
void dense_list(std::span<const Adagrad> steps, std::span<const std::int64_t> counts);
void dense_list(std::span<const AdamW> steps, std::span<const std::int64_t> counts);

}  // namespace bench
