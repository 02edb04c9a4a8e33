// SPDX-License-Identifier: MIT
// Defines the functions that derivatives call and that the C library lacks.
#pragma once
#include "formulas/bessel_functions.hpp"
#include "formulas/exponential.hpp"
#include "formulas/gamma.hpp"
#include "formulas/hyperbolic.hpp"
#include "formulas/remainder.hpp"
#include "formulas/spherical_bessel.hpp"
#include "formulas/zeta.hpp"

#include <concepts>
#include <string_view>

/// Functions of derivatives that the C library lacks.
namespace frisket {

template <std::floating_point T> T digamma(T x) { return formulas::digamma(x); }
template <std::floating_point T> T trigamma(T x) { return formulas::trigamma(x); }
template <std::floating_point T> T i0(T x) { return formulas::i0(x); }
template <std::floating_point T> T i1(T x) { return formulas::i1(x); }
template <std::floating_point T> T sigmoid(T x) { return formulas::sigmoid(x); }
/// True if it is known to differ from 0 while a formula is made.
template <std::floating_point T> bool is_never_zero(T /*x*/) { return false; }
/// The order of the derivative of a function of order `n`, up to `most`.
inline double next_order(double n, int /*most*/, std::string_view /*function*/) { return n + 1; }
template <std::floating_point T> T zero(T /*x*/) { return 0; }
template <std::floating_point T>
T zero(T /*a*/, T /*b*/) {
    return 0;
}
template <std::floating_point T> T sech(T x) { return formulas::sech(x); }
template <std::floating_point T> T direction(T a, T b) { return formulas::direction(a, b); }
template <std::floating_point T> T zeta(double n, T x) { return formulas::zeta(static_cast<T>(n), x); }
template <std::floating_point T> T spherical_bessel(double n, T x) {
    return formulas::spherical_bessel(static_cast<T>(n), x);
}
template <std::floating_point T> T bessel_i(double n, T x) {
    return formulas::bessel_i_of_order(static_cast<T>(n), x);
}

}  // namespace frisket
