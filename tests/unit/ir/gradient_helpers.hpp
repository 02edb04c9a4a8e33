// SPDX-License-Identifier: MIT
#pragma once
#include "../../../ir/passes/gradient/gradcheck.hpp"
#include "../../../ir/passes/gradient/gradient.hpp"
#include "../../support/random.hpp"

#include <limits>
#include <string>
#include <vector>

/// Points at which gradients are checked, and results as rows of numbers.
namespace frisket::testing {

/// Reals between two bounds, no two of them equal.
inline Tensor<double> random_reals(Shape shape, double low, double high, std::uint32_t seed) {
    Random random(seed);
    Tensor<double> made(std::move(shape));
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.data()[i] =
            low + (high - low) * static_cast<double>(random.below(std::int64_t{1} << 40)) * 0x1p-40;
    return made;
}

/// Reals with a mask; unspecified elements are NaN.
inline AnyMasked random_point(Shape shape, std::uint32_t seed, double low = -2, double high = 2,
                              Density density = {0.7}) {
    const Tensor<double> values = random_reals(shape, low, high, seed);
    const Tensor<bool> mask = random_mask(shape, density, seed + 17);
    for (std::int64_t i = 0; i < values.size(); ++i)
        if (!mask.data()[i]) values.data()[i] = std::numeric_limits<double>::quiet_NaN();
    return AnyMasked::strided(values, mask);
}

inline std::string text_of(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

/// The elements, row-major, `-` for those that are not specified.
inline std::string text_of(const Result& result) {
    const AnyTensor values = result.values.clone();
    const AnyTensor mask = result.mask ? result.mask->clone() : AnyTensor();
    std::string text;
    for (std::int64_t i = 0; i < values.size(); ++i) {
        const bool specified = !result.mask || static_cast<const bool*>(mask.data())[i];
        const double number = values.dtype() == DType::float32 ? static_cast<const float*>(values.data())[i]
                                                               : static_cast<const double*>(values.data())[i];
        text += (i > 0 ? " " : "") + (specified ? text_of(number) : "-");
    }
    return text;
}

}  // namespace frisket::testing
