// SPDX-License-Identifier: MIT
#pragma once
#include "ops.hpp"
#include "scalar.hpp"
#include "special_functions.hpp"

#include <numbers>

/// Meanings and derivatives: roots, exponentials and logarithms.
namespace frisket::op {

template <>
struct Meaning<Sqrt> {
    static auto eval(auto x) {
        using std::sqrt;
        return sqrt(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g / (2.0 * y);
    }
};
template <>
struct Meaning<Rsqrt> {
    static auto eval(auto x) {
        using std::sqrt;
        return like(x, 1) / sqrt(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return -0.5 * g * (y * y * y);
    }
};
template <>
struct Meaning<Exp> {
    static auto eval(auto x) {
        using std::exp;
        return exp(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * y;
    }
};
template <>
struct Meaning<Exp2> {
    static auto eval(auto x) {
        using std::exp2;
        return exp2(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (y * std::numbers::ln2);
    }
};
template <>
struct Meaning<Expm1> {
    static auto eval(auto x) {
        using std::expm1;
        return expm1(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (y + 1.0);
    }
};
template <>
struct Meaning<Log> {
    static auto eval(auto x) {
        using std::log;
        return log(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / x;
    }
};
template <>
struct Meaning<Log2> {
    static auto eval(auto x) {
        using std::log2;
        return log2(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x * std::numbers::ln2);
    }
};
template <>
struct Meaning<Log10> {
    static auto eval(auto x) {
        using std::log10;
        return log10(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x * std::numbers::ln10);
    }
};
template <>
struct Meaning<Log1p> {
    static auto eval(auto x) {
        using std::log1p;
        return log1p(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x + 1.0);
    }
};
template <>
struct Meaning<Sigmoid> {
    static auto eval(auto x) { return sigmoid(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (y * (1.0 - y));
    }
};
template <>
struct Meaning<Logit> {
    static auto eval(auto x) { return logit(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x * (1.0 - x));
    }
};
template <>
struct Meaning<Logaddexp> {
    static auto eval(auto number, auto other) {
        using std::exp, std::log1p;
        const auto a = widen(number), b = widen(other);
        const auto is_first = is_nan(a) || a > b;
        const auto greater = select(is_first, a, b), less = select(is_first, b, a);
        // Rounding of the difference matters where the greater one is about 0: `rest` recovers it; NaN if
        // infinite.
        const auto difference = less - greater, part = difference - less;
        const auto rest = (less - (difference - part)) - (greater + part);
        const auto ratio = exp(difference);
        const auto sum = greater + log1p(select(is_nan(rest), ratio, ratio + ratio * rest));
        return narrow(number, select(is_inf(a) && a == b, a, sum));
    }
    template <int I>
    static auto derivative(auto g, auto y, auto a, auto b) {
        using std::exp;
        if constexpr (I == 0)
            return g * exp(a - y);
        else
            return g * exp(b - y);
    }
};

}  // namespace frisket::op
