// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Masks of 4096 x 4096 elements, for the races of masked steps.
namespace bench {

inline constexpr std::int64_t side = 4096;

/// A mask in every form that a contender wants.
struct Mask {
    std::string pattern;  // random elements, whole rows, or blocks of 16 x 16
    double density = 0;
    frisket::Tensor<bool> bytes{frisket::Shape{side, side}};
    std::vector<std::uint64_t> words = std::vector<std::uint64_t>(side * side / 64);
    std::vector<std::int32_t> positions;
    std::vector<float> values;
    std::int64_t lines = 0;  // cache lines of one array with a specified element
};

/// `pattern`: random, rows or block; values are those of `gradient`.
Mask make_mask(const std::string& pattern, double density, const frisket::Tensor<float>& gradient);
frisket::Tensor<float> random_gradient();

frisket::MaskedTensor<float> bitmask_of(const Mask& mask, const frisket::Tensor<float>& gradient);
frisket::MaskedTensor<float> coo_of(const Mask& mask);

}  // namespace bench
