// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"
#include "scalar.hpp"
#include "special_functions.hpp"

#include <numbers>

/// Rows: roots, exponentials and logarithms.
namespace frisket::op {

/// Correctly rounded.
struct Sqrt {
    static constexpr OpInfo info{.name = "sqrt", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::sqrt;
        return sqrt(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g / (2.0 * y);
    }
};
/// 1 / sqrt(x).
struct Rsqrt {
    static constexpr OpInfo info{.name = "rsqrt", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::sqrt;
        return like(x, 1) / sqrt(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return -0.5 * g * (y * y * y);
    }
};
struct Exp {
    static constexpr OpInfo info{.name = "exp", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::exp;
        return exp(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * y;
    }
};
struct Exp2 {
    static constexpr OpInfo info{.name = "exp2", .dtype = DTypeRule::floating, .device = Device::none};
    static auto eval(auto x) {
        using std::exp2;
        return exp2(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (y * std::numbers::ln2);
    }
};
/// exp(x) - 1, exact near 0.
struct Expm1 {
    static constexpr OpInfo info{.name = "expm1", .dtype = DTypeRule::floating, .device = Device::none};
    static auto eval(auto x) {
        using std::expm1;
        return expm1(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (y + 1.0);
    }
};
/// Natural logarithm.
struct Log {
    static constexpr OpInfo info{.name = "log", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::log;
        return log(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / x;
    }
};
struct Log2 {
    static constexpr OpInfo info{.name = "log2", .dtype = DTypeRule::floating, .device = Device::none};
    static auto eval(auto x) {
        using std::log2;
        return log2(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x * std::numbers::ln2);
    }
};
struct Log10 {
    static constexpr OpInfo info{.name = "log10", .dtype = DTypeRule::floating, .device = Device::none};
    static auto eval(auto x) {
        using std::log10;
        return log10(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x * std::numbers::ln10);
    }
};
/// log(1 + x), exact near 0.
struct Log1p {
    static constexpr OpInfo info{.name = "log1p", .dtype = DTypeRule::floating, .device = Device::none};
    static auto eval(auto x) {
        using std::log1p;
        return log1p(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x + 1.0);
    }
};
/// 1 / (1 + exp(-x)).
struct Sigmoid {
    static constexpr OpInfo info{.name = "sigmoid", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return sigmoid(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (y * (1.0 - y));
    }
};
/// log(x / (1 - x)).
struct Logit {
    static constexpr OpInfo info{.name = "logit", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return logit(x); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (x * (1.0 - x));
    }
};
/// log(exp(a) + exp(b)), which does not overflow.
struct Logaddexp {
    static constexpr OpInfo info{.name = "logaddexp",
                                 .arity = 2,
                                 .dtype = DTypeRule::floating,
                                 .unites = true,
                                 .device = Device::none};
    static auto eval(auto number, auto other) {
        using std::exp, std::log1p;
        const auto a = widen(number), b = widen(other);
        const auto is_first = is_nan(a) || a > b;
        const auto greater = select(is_first, a, b), less = select(is_first, b, a);
        // What rounding took from the difference matters where the greater one is about 0; NaN if infinite.
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
