// SPDX-License-Identifier: MIT
// Defines error, gamma, zeta and Bessel functions, with their derivatives.
#pragma once
#include "derivative_functions.hpp"
#include "formulas/error_functions.hpp"
#include "ops.hpp"
#include "scalar.hpp"

#include <numbers>

/// Meanings and derivatives: special functions.
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
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return -2.0 * g * zeta(3.0, x);
    }
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
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * (0.5 * (i0(x) + bessel_i(2.0, x)));
    }
};
template <>
struct Meaning<Zero> {
    static auto eval(auto x) { return like(x, 0); }
};
template <>
struct Meaning<Sech> {
    static auto eval(auto x) { return formulas::sech(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto x) {
        using std::tanh;
        return -(g * (y * tanh(x)));
    }
};
template <>
struct Meaning<Direction> {
    static auto eval(auto a, auto b) { return formulas::direction(a, b); }
    /// The square of the sine, or the sine times the cosine, over the length.
    template <int I>
    static auto derivative(auto g, auto y, auto a, auto b) {
        using std::hypot;
        const auto sine = direction(b, a);
        if constexpr (I == 0)
            return g * (sine * sine / hypot(a, b));
        else
            return -(g * (y * sine / hypot(a, b)));
    }
};
template <>
struct Meaning<Zeta> {
    static auto eval(auto n, auto x) { return formulas::zeta(n, x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto n, auto x) {
        return -(g * (n * zeta(next_order(n, formulas::most_zeta_order, "digamma"), x)));
    }
};
template <>
struct Meaning<SphericalBessel> {
    static auto eval(auto n, auto x) { return formulas::spherical_bessel(n, x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto n, auto x) {
        const auto part = std::numbers::pi / (2.0 * n + 1.0);
        const auto next = next_order(n, formulas::most_spherical_order, "sinc");
        return g * (part * n * spherical_bessel(n - 1.0, x) - part * next * spherical_bessel(next, x));
    }
};
template <>
struct Meaning<BesselI> {
    static auto eval(auto n, auto x) { return formulas::bessel_i_of_order(n, x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto n, auto x) {
        const auto next = next_order(n, formulas::most_bessel_order, "i0");
        return g * (0.5 * (bessel_i(n - 1.0, x) + bessel_i(next, x)));
    }
};

}  // namespace frisket::op
