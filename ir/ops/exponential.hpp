// SPDX-License-Identifier: MIT
// Defines roots, exponentials and logarithms, with their derivatives.
#pragma once
#include "derivative_functions.hpp"
#include "formulas/exponential.hpp"
#include "formulas/logarithm.hpp"
#include "ops.hpp"
#include "scalar.hpp"

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
        return -0.5 * g * y * (y * y);
    }
};
template <>
struct Meaning<Exp> {
    static auto eval(auto x) { return formulas::exp(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * y;
    }
};
template <>
struct Meaning<Exp2> {
    static auto eval(auto x) { return formulas::exp2(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (y * std::numbers::ln2);
    }
};
template <>
struct Meaning<Expm1> {
    static auto eval(auto x) { return formulas::expm1(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::exp;
        return g * exp(x);
    }
};
template <>
struct Meaning<Log> {
    static auto eval(auto x) { return formulas::log(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / x;
    }
};
template <>
struct Meaning<Log2> {
    static auto eval(auto x) { return formulas::log2(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x * std::numbers::ln2);
    }
};
template <>
struct Meaning<Log10> {
    static auto eval(auto x) { return formulas::log10(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * std::numbers::log10e / x;
    }
};
template <>
struct Meaning<Log1p> {
    static auto eval(auto x) { return formulas::log1p(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x + 1.0);
    }
};
template <>
struct Meaning<Sigmoid> {
    static auto eval(auto x) { return formulas::sigmoid(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        const auto root = 0.5 * sech(0.5 * x);
        return g * (root * root);
    }
};
template <>
struct Meaning<Logit> {
    static auto eval(auto x) { return formulas::logit(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / x / (1.0 - x);
    }
};
template <>
struct Meaning<Logaddexp> {
    static auto eval(auto a, auto b) { return formulas::logaddexp(a, b); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        if constexpr (I == 0)
            return g * sigmoid(a - b);
        else
            return g * sigmoid(b - a);
    }
};

}  // namespace frisket::op
