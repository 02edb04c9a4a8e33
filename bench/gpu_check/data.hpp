// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include <frisket/runtime.hpp>

namespace gpu_check {

/// Number between 0 and 1 of an element.
inline double scattered(std::int64_t element, std::uint64_t seed) {
    std::uint64_t x =
        (static_cast<std::uint64_t>(element) + 1) * 0x9e3779b97f4a7c15U + seed * 0xbf58476d1ce4e5b9U;
    x ^= x >> 29U;
    x *= 0x94d049bb133111ebU;
    x ^= x >> 32U;
    return static_cast<double>(x >> 11U) * 0x1p-53;
}

/// Numbers between -1 and 1.
inline frisket::Tensor<float> random_numbers(const frisket::Shape& shape, std::uint64_t seed) {
    frisket::Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<float>(2 * scattered(i, seed) - 1);
    return made;
}

/// A mask that specifies a share of all elements, or of all rows.
inline frisket::Tensor<bool> random_mask(const frisket::Shape& shape, double density, bool by_row = false) {
    frisket::Tensor<bool> made(shape);
    const std::int64_t row = by_row && shape[0] > 0 ? made.size() / shape[0] : 1;
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = scattered(i / row, 7) < density;
    return made;
}

/// A masked tensor of random numbers in a layout.
inline frisket::MaskedTensor<float> random_masked(const frisket::Shape& shape, frisket::Layout layout,
                                                  double density) {
    const bool is_dense = layout == frisket::Layout::dense;
    const auto mask = random_mask(shape, is_dense ? 2 : density, layout == frisket::Layout::rows);
    return frisket::MaskedTensor<float>(
        frisket::AnyMasked::strided(random_numbers(shape, 3), mask).to(layout));
}

}  // namespace gpu_check
