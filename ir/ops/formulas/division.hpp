// SPDX-License-Identifier: MIT
// Computes quotients rounded to integers, and their remainders, for floats and integers.
#pragma once
#include "remainder.hpp"

#include <cmath>
#include <concepts>

/// Quotients that are rounded to integers, and their remainders, of floats and integers.
namespace frisket {

namespace formulas {

/// The remainder is exact, so that the quotient is an integer up to rounding: the nearest one is meant.
/// Source: Python's division of floats.
auto real_floor_divide(auto a, auto b) {
    using std::floor;
    const auto zero = like(a, 0), one = like(a, 1);
    const auto rest = fmod(a, b);
    const auto quotient = (a - rest) / b;
    const auto exact = select(is_above_floor(rest, b), quotient - one, quotient);
    const auto down = floor(exact);
    const auto nearest = select(exact - down > like(a, 0.5), down + one, down);
    const auto signed_zero = zero * (a / b);
    return select(b == zero, a / b, select(exact == zero, signed_zero, nearest));
}

auto real_modulo(auto a, auto b) {
    const auto rest = fmod(a, b);
    return select(is_above_floor(rest, b), rest + b, rest);
}

}  // namespace formulas

/// a / b rounded down.
template <class T>
T floor_quotient(T a, T b) {
    if constexpr (std::floating_point<T>)
        return formulas::real_floor_divide(a, b);
    else
        return formulas::whole_floor_divide(a, b);
}
/// a / b rounded towards 0.
template <class T>
T trunc_quotient(T a, T b) {
    if constexpr (std::floating_point<T>)
        return std::trunc(a / b);
    else
        return quotient(a, b);
}
/// Rest after floor_quotient; has the divisor's sign.
template <class T>
T modulo(T a, T b) {
    if constexpr (std::floating_point<T>)
        return formulas::real_modulo(a, b);
    else
        return formulas::whole_modulo(a, b);
}
/// Rest after trunc_quotient; has the dividend's sign.
template <class T>
T rest_of_trunc(T a, T b) {
    if constexpr (std::floating_point<T>)
        return formulas::fmod(a, b);
    else
        return formulas::whole_remainder(a, b);
}

}  // namespace frisket
