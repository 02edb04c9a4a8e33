// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "float16.hpp"

namespace frisket {

/// x in another type.  A float becomes a whole number by cutting; what does not fit, and NaN, becomes the
/// lowest one.  Between whole numbers the low bits stay; bool is whether x differs from 0.
template <class To, class From>
constexpr To converted(From x) {
    if constexpr (std::same_as<From, float16> || std::same_as<From, bfloat16>) {
        return converted<To>(static_cast<float>(x));
    } else if constexpr (std::floating_point<From> && std::integral<To> && !std::same_as<To, bool>) {
        // Powers of 2, exact in every float; the comparisons are false for NaN.
        using Int = std::conditional_t<(sizeof(To) < 4), std::int32_t, To>;
        constexpr double end = -static_cast<double>(std::numeric_limits<Int>::min());
        const From cut = std::trunc(x);
        const bool fits = cut >= static_cast<From>(-end) && cut < static_cast<From>(end);
        return static_cast<To>(fits ? static_cast<Int>(cut) : std::numeric_limits<Int>::min());
    } else {
        return static_cast<To>(x);
    }
}

}  // namespace frisket
