// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"

/// Rows of the table of operations that only derivatives use.  With them, formulas of derivatives have
/// derivatives themselves, without a choice by value.
namespace frisket::op {

/// 0, whose gradient is 0: the part of a formula that does not depend on its operand.
struct Zero { static constexpr OpInfo info{.name = "zero", .gradient = Gradient::zero}; };
/// 1 / cosh(x).
struct Sech { static constexpr OpInfo info{.name = "sech", .dtype = DTypeRule::floating}; };
/// a / hypot(a, b).
struct Direction {
    static constexpr OpInfo info{.name = "direction", .arity = 2, .dtype = DTypeRule::floating};
};
/// The sum of 1 / (x + k)^n over k >= 0, for whole n from 2 to 63.
struct Zeta {
    static constexpr OpInfo info{.name = "zeta", .arity = 2, .dtype = DTypeRule::floating, .parameters = 1};
};
/// The spherical Bessel function of order n, at pi x; NaN for n > 12.
struct SphericalBessel {
    static constexpr OpInfo info{
        .name = "spherical_bessel", .arity = 2, .dtype = DTypeRule::floating, .parameters = 1};
};
/// The modified Bessel function of the first kind, of order n; NaN for n > 12.
struct BesselI {
    static constexpr OpInfo info{
        .name = "bessel_i", .arity = 2, .dtype = DTypeRule::floating, .parameters = 1};
};

}  // namespace frisket::op
