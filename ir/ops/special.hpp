// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"
#include "scalar.hpp"
#include "special_functions.hpp"

#include <numbers>

/// Rows: special functions.
namespace frisket::op {

/// The error function.
struct Erf {
    static constexpr OpInfo info{.name = "erf", .dtype = DTypeRule::floating, .device = Device::none};
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
/// 1 - erf(x), exact far out.
struct Erfc {
    static constexpr OpInfo info{.name = "erfc", .dtype = DTypeRule::floating, .device = Device::none};
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
/// The number whose erf is x.
struct Erfinv {
    static constexpr OpInfo info{.name = "erfinv", .dtype = DTypeRule::floating, .device = Device::none};
    static auto eval(auto x) { return erfinv(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        using std::exp;
        return g * (0.5 / std::numbers::inv_sqrtpi) * exp(y * y);
    }
};
/// The logarithm of the gamma function's magnitude.
struct Lgamma {
    static constexpr OpInfo info{.name = "lgamma", .dtype = DTypeRule::floating, .device = Device::none};
    static auto eval(auto x) {
        using std::lgamma;
        return lgamma(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * digamma(x);
    }
};
/// The derivative of lgamma.
struct Digamma {
    static constexpr OpInfo info{.name = "digamma", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return digamma(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * trigamma(x);
    }
};
/// The derivative of digamma.
struct Trigamma {
    static constexpr OpInfo info{
        .name = "trigamma", .dtype = DTypeRule::floating, .gradient = Gradient::none};
    static auto eval(auto x) { return trigamma(x); }
};
/// The modified Bessel function of the first kind, of order 0.
struct I0 {
    static constexpr OpInfo info{.name = "i0", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return i0(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * i1(x);
    }
};
/// The same of order 1: the derivative of i0.
struct I1 {
    static constexpr OpInfo info{.name = "i1", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return i1(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto x) {
        return g * (i0(x) - select(x == 0.0, 0.5, y / x));
    }
};

}  // namespace frisket::op
