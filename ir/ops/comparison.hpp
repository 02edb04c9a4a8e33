// SPDX-License-Identifier: MIT
// Defines comparisons, tests of numbers, logical operations and where.
#pragma once
#include "ops.hpp"
#include "scalar.hpp"

/// Meanings and derivatives: comparisons, classes of numbers, logic and choice.
namespace frisket::op {

template <>
struct Meaning<Eq> {
    static auto eval(auto a, auto b) { return a == b; }
};
template <>
struct Meaning<Ne> {
    static auto eval(auto a, auto b) { return a != b; }
};
template <>
struct Meaning<Lt> {
    static auto eval(auto a, auto b) { return a < b; }
};
template <>
struct Meaning<Le> {
    static auto eval(auto a, auto b) { return a <= b; }
};
template <>
struct Meaning<Gt> {
    static auto eval(auto a, auto b) { return a > b; }
};
template <>
struct Meaning<Ge> {
    static auto eval(auto a, auto b) { return a >= b; }
};
template <>
struct Meaning<Isnan> {
    static auto eval(auto x) { return is_nan(x); }
};
template <>
struct Meaning<Isinf> {
    static auto eval(auto x) { return is_inf(x); }
};
template <>
struct Meaning<Isfinite> {
    static auto eval(auto x) { return !(is_nan(x) || is_inf(x)); }
};
template <>
struct Meaning<Signbit> {
    static auto eval(auto x) { return sign_bit(x); }
};
template <>
struct Meaning<LogicalAnd> {
    static auto eval(auto a, auto b) { return a && b; }
};
template <>
struct Meaning<LogicalOr> {
    static auto eval(auto a, auto b) { return a || b; }
};
template <>
struct Meaning<LogicalXor> {
    static auto eval(auto a, auto b) { return a != b; }
};
template <>
struct Meaning<LogicalNot> {
    static auto eval(auto x) { return !x; }
};
template <>
struct Meaning<Where> {
    static auto eval(auto condition, auto x, auto y) { return select(condition, x, y); }
    /// Derivative by a branch; the condition has none.
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto condition, auto /*a*/, auto /*b*/) {
        if constexpr (I == 1)
            return select(condition, g, 0.0);
        else
            return select(condition, 0.0, g);
    }
};

}  // namespace frisket::op
