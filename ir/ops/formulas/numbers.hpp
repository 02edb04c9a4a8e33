// SPDX-License-Identifier: MIT
// Defines the primitives of formulas: bits of floats, fma, signs and polynomials.
#pragma once
#include "../scalar.hpp"

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

/// Parts of formulas of functions, in addition to ops/scalar.hpp, for float, double and the values of loops
/// (codegen/scalar/value.hpp has overloads, found by argument lookup).  A formula uses operators,
/// comparisons, select, fma and the bits of floats; no branch, table or call of the C library: so it is the
/// same bits in C++ and at every width of vectors.
namespace frisket {

/// The bits of a float, in an unsigned number of its width, and the float of such bits.
inline std::uint32_t to_bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t to_bits(double x) { return std::bit_cast<std::uint64_t>(x); }
inline float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// A number of the source in the unsigned type of `bits`.
template <std::unsigned_integral Bits>
constexpr Bits bits_like(Bits /*bits*/, std::uint64_t number) {
    return static_cast<Bits>(number);
}

/// a * b + c, rounded once.
inline float fma(float a, float b, float c) { return std::fma(a, b, c); }
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }

/// The magnitude of the first with the sign of the second; the sign of zeros and NaN counts.
inline float with_sign_of(float size, float sign) { return std::copysign(size, sign); }
inline double with_sign_of(double size, double sign) { return std::copysign(size, sign); }

namespace formulas {

/// The value of a formula that has one text for float32 and one for float64.
template <class T>
T by_width(const T& x, const auto& single, const auto& wide) {
    if constexpr (std::same_as<T, float>)
        return single(x);
    else if constexpr (std::same_as<T, double>)
        return wide(x);
    else
        return is_float32(x) ? single(unknown(x)) : wide(unknown(x));
}
template <class T>
T by_width(const T& x, const T& y, const auto& single, const auto& wide) {
    if constexpr (std::same_as<T, float>)
        return single(x, y);
    else if constexpr (std::same_as<T, double>)
        return wide(x, y);
    else
        return is_float32(x) ? single(unknown(x), unknown(y)) : wide(unknown(x), unknown(y));
}

/// The sum of coefficients[k] * x^k, by Horner's rule with fused multiply-adds.
template <std::size_t N>
auto polynomial(const auto& x, const double (&coefficients)[N]) {
    auto sum = like(x, coefficients[N - 1]);
    for (std::size_t k = N - 1; k-- > 0;) sum = fma(sum, x, like(x, coefficients[k]));
    return sum;
}

/// A number as the sum of two: `high` is the sum rounded, `low` the rounding error.
template <class T>
struct Extended {
    T high, low;
};

/// a + b without rounding, for |a| >= |b| or a = 0.
template <class T>
Extended<T> fast_sum(const T& a, const T& b) {
    const T sum = a + b;
    return {sum, b - (sum - a)};
}
/// a + b without rounding.
template <class T>
Extended<T> exact_sum(const T& a, const T& b) {
    const T sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}
/// a * b without rounding.
template <class T>
Extended<T> exact_product(const T& a, const T& b) {
    const T product = a * b;
    return {product, fma(a, b, -product)};
}

}  // namespace formulas

}  // namespace frisket
