// SPDX-License-Identifier: MIT
// Defines the functions on host numbers that the meanings of operations call.
#pragma once
#include "integer.hpp"

#include "../../runtime/tensor/dtype.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Functions in which rows are written, in addition to operators and the functions of <cmath>, for bool,
/// Whole, float and double.  Loops have overloads of their own (codegen/scalar/value.hpp), found by argument
/// lookup.
namespace frisket {

template <class T, std::same_as<bool> Condition>
T select(Condition condition, T x, T y) {
    return condition ? x : y;
}

/// A number of the source in the type of `x`.
template <class T>
constexpr T like(T /*x*/, double number) {
    if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(number);
    else
        return T{static_cast<decltype(T::value)>(number)};
}

inline bool is_nan(float x) { return std::isnan(x); }
inline bool is_nan(double x) { return std::isnan(x); }
inline bool is_nan(bool /*x*/) { return false; }
template <class T>
bool is_nan(Whole<T> /*x*/) {
    return false;
}

inline bool is_inf(float x) { return std::isinf(x); }
inline bool is_inf(double x) { return std::isinf(x); }
inline bool is_inf(bool /*x*/) { return false; }
template <class T>
bool is_inf(Whole<T> /*x*/) {
    return false;
}

/// True if the sign is minus; the sign of zeros and NaN counts.
inline bool sign_bit(float x) { return std::signbit(x); }
inline bool sign_bit(double x) { return std::signbit(x); }
inline bool sign_bit(bool /*x*/) { return false; }
template <class T>
bool sign_bit(Whole<T> x) {
    return x.value < 0;
}

inline bool bitwise_not(bool x) { return !x; }
inline float round_to_even(float x) { return std::nearbyint(x); }
inline double round_to_even(double x) { return std::nearbyint(x); }

/// Converts to float64; and back to the type of `x`.
inline double widen(float x) { return static_cast<double>(x); }
inline double widen(double x) { return x; }
inline float narrow(float /*x*/, double wide) { return static_cast<float>(wide); }
inline double narrow(double /*x*/, double wide) { return wide; }

namespace formulas {

/// 1 of the sign of `x`; 0 of zeros and NaN.
auto sign(auto x) {
    return select(x > like(x, 0), like(x, 1), select(x < like(x, 0), like(x, -1), like(x, 0)));
}

/// Tells if a quotient rounded to 0 is above the floor: the rest and the divisor differ in sign.
auto is_above_floor(auto rest, auto divisor) {
    const auto zero = like(rest, 0);
    return rest != zero && (rest < zero) != (divisor < zero);
}

auto whole_remainder(auto a, auto b) { return a - quotient(a, b) * b; }

auto whole_floor_divide(auto a, auto b) {
    const auto q = quotient(a, b);
    return select(is_above_floor(a - q * b, b), q - like(a, 1), q);
}

auto whole_modulo(auto a, auto b) {
    const auto rest = whole_remainder(a, b);
    return select(is_above_floor(rest, b), rest + b, rest);
}

}  // namespace formulas

template <std::floating_point T>
T sign(T x) {
    return formulas::sign(x);
}
template <class T>
Whole<T> sign(Whole<T> x) {
    return formulas::sign(x);
}

}  // namespace frisket
