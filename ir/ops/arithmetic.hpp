// SPDX-License-Identifier: MIT
// Defines sums, products, quotients, powers, minimum and maximum, with their derivatives.
#pragma once
#include "derivative_functions.hpp"
#include "formulas/division.hpp"
#include "formulas/power.hpp"
#include "ops.hpp"
#include "scalar.hpp"

/// Meanings and derivatives: sums, products, quotients, powers, the greater and the smaller.
namespace frisket::op {

template <>
struct Meaning<Add> {
    static auto eval(auto a, auto b) { return a + b; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*a*/, auto /*b*/) {
        return g;
    }
};
template <>
struct Meaning<Sub> {
    static auto eval(auto a, auto b) { return a - b; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*a*/, auto /*b*/) {
        if constexpr (I == 0)
            return g;
        else
            return -g;
    }
};
template <>
struct Meaning<Mul> {
    static auto eval(auto a, auto b) { return a * b; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        if constexpr (I == 0)
            return g * b;
        else
            return g * a;
    }
};
template <>
struct Meaning<Div> {
    static auto eval(auto a, auto b) { return a / b; }
    template <int I>
    static auto derivative(auto g, auto y, auto /*a*/, auto b) {
        if constexpr (I == 0)
            return g / b;
        else
            return -(g * y / b);
    }
};
template <>
struct Meaning<Neg> {
    static auto eval(auto x) { return -x; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return -g;
    }
};
template <>
struct Meaning<Positive> {
    static auto eval(auto x) { return x; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return g;
    }
};
template <>
struct Meaning<Abs> {
    static auto eval(auto x) {
        using std::abs;
        return abs(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * sign(x);
    }
};
template <>
struct Meaning<Sign> {
    static auto eval(auto x) { return sign(x); }
};
template <>
struct Meaning<Square> {
    static auto eval(auto x) { return x * x; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * (2.0 * x);
    }
};
template <>
struct Meaning<Relu> {
    static auto eval(auto x) { return select(x <= like(x, 0), like(x, 0), x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return select(y > 0.0, g, zero(y));
    }
};
template <>
struct Meaning<Reciprocal> {
    static auto eval(auto x) { return like(x, 1) / x; }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return -(g * y * y);
    }
};
template <>
struct Meaning<FloorDivide> {
    static auto eval(auto a, auto b) { return floor_quotient(a, b); }
};
template <>
struct Meaning<TruncDivide> {
    static auto eval(auto a, auto b) { return trunc_quotient(a, b); }
};
template <>
struct Meaning<Remainder> {
    static auto eval(auto a, auto b) { return modulo(a, b); }
    template <int I>
    static auto derivative(auto g, auto y, auto a, auto b) {
        using std::round;
        if constexpr (I == 0)
            return g;
        else
            return -(g * round((a - y) / b));
    }
};
template <>
struct Meaning<Fmod> {
    static auto eval(auto a, auto b) { return rest_of_trunc(a, b); }
    template <int I>
    static auto derivative(auto g, auto y, auto a, auto b) {
        using std::round;
        if constexpr (I == 0)
            return g;
        else
            return -(g * round((a - y) / b));
    }
};
template <>
struct Meaning<Pow> {
    static auto eval(auto x, auto y) {
        if constexpr (std::floating_point<decltype(x)>)
            return formulas::pow(x, y);
        else
            return pow(x, y);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto a, auto b) {
        using std::log, std::pow;
        if constexpr (I == 0) {
            if (is_never_zero(b)) return g * (b * pow(a, b - 1.0));
            const auto is_flat = b == 0.0 && is_inf(1.0 / a);
            return select(is_flat, 0.0, g * (b * pow(select(is_flat, 1.0, a), b - 1.0)));
        } else {
            const auto is_flat = a == 0.0 && b >= 0.0;
            // A 1 of the elements' dtype: two numbers would be a float32.
            return select(is_flat, 0.0, g * (y * log(select(is_flat, zero(b) + 1.0, a))));
        }
    }
};

/// The greater's share of the gradient; equal operands have half each.
template <int I>
auto share(auto g, auto a, auto b) {
    if constexpr (I == 0)
        return select(a == b, g * 0.5, select(a > b, g, zero(a, b)));
    else
        return select(a == b, g * 0.5, select(a > b, zero(a, b), g));
}
template <>
struct Meaning<Minimum> {
    static auto eval(auto a, auto b) {
        return select(is_nan(a), a, select(is_nan(b), b, select(b < a, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share<1 - I>(g, a, b);
    }
};
template <>
struct Meaning<Maximum> {
    static auto eval(auto a, auto b) {
        return select(is_nan(a), a, select(is_nan(b), b, select(a < b, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share<I>(g, a, b);
    }
};
/// A gradient for the one of two operands that is no NaN, of two that are none each one's share.
template <int I>
auto share_of_numbers(auto g, auto a, auto b, auto shared) {
    if constexpr (I == 0)
        return select(a == a, select(b == b, shared, g), 0.0);  // NaN is not equal to itself
    else
        return select(a == a, select(b == b, shared, 0.0), g);
}
template <>
struct Meaning<Fmin> {
    static auto eval(auto a, auto b) {
        return select(is_nan(a), b, select(is_nan(b), a, select(b < a, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share_of_numbers<I>(g, a, b, share<1 - I>(g, a, b));
    }
};
template <>
struct Meaning<Fmax> {
    static auto eval(auto a, auto b) {
        return select(is_nan(a), b, select(is_nan(b), a, select(a < b, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share_of_numbers<I>(g, a, b, share<I>(g, a, b));
    }
};

}  // namespace frisket::op
