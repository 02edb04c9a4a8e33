// SPDX-License-Identifier: MIT
#pragma once
#include "formulas/bessel_functions.hpp"
#include "formulas/error_functions.hpp"
#include "formulas/gamma.hpp"
#include "ops.hpp"
#include "scalar.hpp"

#include <numbers>

/// Meanings and derivatives: special functions.
namespace frisket {

// Functions of derivatives that the C library lacks.
template <std::floating_point T> T digamma(T x) { return formulas::digamma(x); }
template <std::floating_point T> T trigamma(T x) { return formulas::trigamma(x); }
template <std::floating_point T> T i0(T x) { return formulas::i0(x); }
template <std::floating_point T> T i1(T x) { return formulas::i1(x); }

}  // namespace frisket

namespace frisket::op {

template <>
struct Meaning<Erf> {
    static auto eval(auto x) { return formulas::erf(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::exp;
        return g * (2 * std::numbers::inv_sqrtpi) * exp(-(x * x));
    }
};
template <>
struct Meaning<Erfc> {
    static auto eval(auto x) { return formulas::erfc(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::exp;
        return -(g * (2 * std::numbers::inv_sqrtpi) * exp(-(x * x)));
    }
};
template <>
struct Meaning<Erfinv> {
    static auto eval(auto x) { return formulas::erfinv(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        using std::exp;
        return g * (0.5 / std::numbers::inv_sqrtpi) * exp(y * y);
    }
};
template <>
struct Meaning<Lgamma> {
    static auto eval(auto x) { return formulas::lgamma(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * digamma(x);
    }
};
template <>
struct Meaning<Digamma> {
    static auto eval(auto x) { return formulas::digamma(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * trigamma(x);
    }
};
template <>
struct Meaning<Trigamma> {
    static auto eval(auto x) { return formulas::trigamma(x); }
};
template <>
struct Meaning<I0> {
    static auto eval(auto x) { return formulas::i0(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * i1(x);
    }
};
template <>
struct Meaning<I1> {
    static auto eval(auto x) { return formulas::i1(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto x) {
        return g * (i0(x) - select(x == 0.0, 0.5, y / x));
    }
};

}  // namespace frisket::op
