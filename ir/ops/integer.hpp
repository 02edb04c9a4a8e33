// SPDX-License-Identifier: MIT
// Defines integers whose arithmetic wraps and never traps.
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>

namespace frisket {

/// An integer with the arithmetic of the operations: results wrap, and nothing traps.
template <class T>
struct Whole {
    using Bits = std::make_unsigned_t<T>;
    T value = 0;

    static constexpr Whole wrapped(Bits bits) { return {static_cast<T>(bits)}; }
    constexpr Bits bits() const { return static_cast<Bits>(value); }

    friend constexpr Whole operator+(Whole a, Whole b) { return wrapped(a.bits() + b.bits()); }
    friend constexpr Whole operator-(Whole a, Whole b) { return wrapped(a.bits() - b.bits()); }
    friend constexpr Whole operator*(Whole a, Whole b) { return wrapped(a.bits() * b.bits()); }
    friend constexpr Whole operator-(Whole x) { return wrapped(Bits{0} - x.bits()); }
    friend constexpr Whole operator&(Whole a, Whole b) { return wrapped(a.bits() & b.bits()); }
    friend constexpr Whole operator|(Whole a, Whole b) { return wrapped(a.bits() | b.bits()); }
    friend constexpr Whole operator^(Whole a, Whole b) { return wrapped(a.bits() ^ b.bits()); }
    friend constexpr bool operator==(Whole a, Whole b) { return a.value == b.value; }
    friend constexpr bool operator!=(Whole a, Whole b) { return a.value != b.value; }
    friend constexpr bool operator<(Whole a, Whole b) { return a.value < b.value; }
    friend constexpr bool operator<=(Whole a, Whole b) { return a.value <= b.value; }
    friend constexpr bool operator>(Whole a, Whole b) { return a.value > b.value; }
    friend constexpr bool operator>=(Whole a, Whole b) { return a.value >= b.value; }
};

/// The type that operations compute with for a number of this C++ type.
template <class T>
using Computes = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, Whole<T>, T>;

template <class T>
constexpr Whole<T> bitwise_not(Whole<T> x) {
    return Whole<T>::wrapped(~x.bits());
}
template <class T>
constexpr Whole<T> abs(Whole<T> x) {
    return x.value < 0 ? -x : x;
}

/// a / b rounded towards 0; a / -1 wraps, a / 0 is a.
template <class T>
constexpr Whole<T> quotient(Whole<T> a, Whole<T> b) {
    if (b.value == -1) return -a;
    return {b.value == 0 ? a.value : static_cast<T>(a.value / b.value)};
}

/// Shifts by less than 0 or by the width and more leave no digit; to the right, that is the sign.
template <class T>
constexpr Whole<T> shift_left(Whole<T> a, Whole<T> b) {
    constexpr int width = std::numeric_limits<typename Whole<T>::Bits>::digits;
    if (b.value < 0 || b.value >= width) return {0};
    return Whole<T>::wrapped(a.bits() << b.value);
}
template <class T>
constexpr Whole<T> shift_right(Whole<T> a, Whole<T> b) {
    constexpr int width = std::numeric_limits<typename Whole<T>::Bits>::digits;
    return {static_cast<T>(a.value >> (b.value < 0 || b.value >= width ? width - 1 : b.value))};
}

/// x multiplied b times; some number if b is negative.
template <class T>
constexpr Whole<T> pow(Whole<T> x, Whole<T> b) {
    Whole<T> result{1};
    for (typename Whole<T>::Bits rest = b.bits() & ~(typename Whole<T>::Bits{1} << (8 * sizeof(T) - 1));
         rest != 0; rest >>= 1) {
        if (rest & 1) result = result * x;
        x = x * x;
    }
    return result;
}

// Integers are their own roundings.
template <class T> constexpr Whole<T> ceil(Whole<T> x) { return x; }
template <class T> constexpr Whole<T> floor(Whole<T> x) { return x; }
template <class T> constexpr Whole<T> trunc(Whole<T> x) { return x; }
template <class T> constexpr Whole<T> round_to_even(Whole<T> x) { return x; }

}  // namespace frisket
