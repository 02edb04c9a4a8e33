// SPDX-License-Identifier: MIT
// Defines circular and hyperbolic functions, angles and lengths, with their derivatives.
#pragma once
#include "derivative_functions.hpp"
#include "formulas/hyperbolic.hpp"
#include "formulas/inverse_trigonometric.hpp"
#include "formulas/remainder.hpp"
#include "formulas/trigonometric.hpp"
#include "ops.hpp"
#include "scalar.hpp"

#include <numbers>

/// Meanings and derivatives: circular and hyperbolic functions, angles and lengths.
namespace frisket::op {

template <>
struct Meaning<Sin> {
    static auto eval(auto x) { return formulas::sin(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::cos;
        return g * cos(x);
    }
};
template <>
struct Meaning<Cos> {
    static auto eval(auto x) { return formulas::cos(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sin;
        return -(g * sin(x));
    }
};
template <>
struct Meaning<Tan> {
    static auto eval(auto x) { return formulas::tan(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (1.0 + y * y);
    }
};
template <>
struct Meaning<Asin> {
    static auto eval(auto x) { return formulas::asin(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sqrt;
        return g / sqrt(1.0 - x * x);
    }
};
template <>
struct Meaning<Acos> {
    static auto eval(auto x) { return formulas::acos(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sqrt;
        return -(g / sqrt(1.0 - x * x));
    }
};
template <>
struct Meaning<Atan> {
    static auto eval(auto x) { return formulas::atan(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        const auto cosine = direction(1.0, x);
        return g * (cosine * cosine);
    }
};
template <>
struct Meaning<Sinh> {
    static auto eval(auto x) { return formulas::sinh(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::cosh;
        return g * cosh(x);
    }
};
template <>
struct Meaning<Cosh> {
    static auto eval(auto x) { return formulas::cosh(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sinh;
        return g * sinh(x);
    }
};
template <>
struct Meaning<Tanh> {
    static auto eval(auto x) { return formulas::tanh(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        const auto root = sech(x);
        return g * (root * root);
    }
};
template <>
struct Meaning<Asinh> {
    static auto eval(auto x) { return formulas::asinh(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * direction(1.0, x);
    }
};
template <>
struct Meaning<Acosh> {
    static auto eval(auto x) { return formulas::acosh(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sqrt;
        return g / (sqrt(x - 1.0) * sqrt(x + 1.0));
    }
};
template <>
struct Meaning<Atanh> {
    static auto eval(auto x) { return formulas::atanh(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (1.0 - x * x);
    }
};
template <>
struct Meaning<Deg2rad> {
    static auto eval(auto x) { return x * like(x, std::numbers::pi / 180); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return g * (std::numbers::pi / 180);
    }
};
template <>
struct Meaning<Rad2deg> {
    static auto eval(auto x) { return x * like(x, 180 / std::numbers::pi); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return g * (180 / std::numbers::pi);
    }
};
template <>
struct Meaning<Sinc> {
    static auto eval(auto x) { return formulas::sinc(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * (-std::numbers::pi * spherical_bessel(1.0, x));
    }
};
template <>
struct Meaning<Atan2> {
    static auto eval(auto a, auto b) { return formulas::atan2(a, b); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        using std::hypot;
        if constexpr (I == 0)
            return g * (direction(b, a) / hypot(a, b));
        else
            return -(g * (direction(a, b) / hypot(a, b)));
    }
};
template <>
struct Meaning<Hypot> {
    static auto eval(auto a, auto b) { return formulas::hypot(a, b); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        if constexpr (I == 0)
            return g * direction(a, b);
        else
            return g * direction(b, a);
    }
};

}  // namespace frisket::op
