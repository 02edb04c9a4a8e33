// SPDX-License-Identifier: MIT
#pragma once
#include "ops.hpp"
#include "scalar.hpp"
#include "special_functions.hpp"

#include <numbers>

/// Meanings and derivatives: special functions.
namespace frisket::op {

template <>
struct Meaning<Erf> {
    static auto eval(auto x) {
        using std::erf;
        return erf(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::exp;
        return g * (2 * std::numbers::inv_sqrtpi) * exp(-(x * x));
    }
};
template <>
struct Meaning<Erfc> {
    static auto eval(auto x) {
        using std::erfc;
        return erfc(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::exp;
        return -(g * (2 * std::numbers::inv_sqrtpi) * exp(-(x * x)));
    }
};
template <>
struct Meaning<Erfinv> {
    static auto eval(auto x) { return erfinv(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        using std::exp;
        return g * (0.5 / std::numbers::inv_sqrtpi) * exp(y * y);
    }
};
template <>
struct Meaning<Lgamma> {
    static auto eval(auto x) {
        using std::lgamma;
        return lgamma(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * digamma(x);
    }
};
template <>
struct Meaning<Digamma> {
    static auto eval(auto x) { return digamma(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * trigamma(x);
    }
};
template <>
struct Meaning<Trigamma> {
    static auto eval(auto x) { return trigamma(x); }
};
template <>
struct Meaning<I0> {
    static auto eval(auto x) { return i0(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * i1(x);
    }
};
template <>
struct Meaning<I1> {
    static auto eval(auto x) { return i1(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto x) {
        return g * (i0(x) - select(x == 0.0, 0.5, y / x));
    }
};

}  // namespace frisket::op
