// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"
#include "scalar.hpp"

/// Rows: sums, products, quotients, powers, the greater and the smaller.
namespace frisket::op {

/// Of bool: or.
struct Add {
    static constexpr OpInfo info{.name = "add", .arity = 2, .unites = true};
    static auto eval(auto a, auto b) { return a + b; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*a*/, auto /*b*/) {
        return g;
    }
};
struct Sub {
    static constexpr OpInfo info{.name = "sub", .arity = 2, .accepts = Accepts::numbers};
    static auto eval(auto a, auto b) { return a - b; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*a*/, auto /*b*/) {
        if constexpr (I == 0)
            return g;
        else
            return -g;
    }
};
/// Of bool: and.
struct Mul {
    static constexpr OpInfo info{.name = "mul", .arity = 2, .unites = true};
    static auto eval(auto a, auto b) { return a * b; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        if constexpr (I == 0)
            return g * b;
        else
            return g * a;
    }
};
struct Div {
    static constexpr OpInfo info{.name = "div", .arity = 2, .dtype = DTypeRule::floating};
    static auto eval(auto a, auto b) { return a / b; }
    template <int I>
    static auto derivative(auto g, auto y, auto /*a*/, auto b) {
        if constexpr (I == 0)
            return g / b;
        else
            return -(g * y / b);
    }
};
/// Sign flipped, of zeros and NaN too.
struct Neg {
    static constexpr OpInfo info{.name = "neg", .accepts = Accepts::numbers};
    static auto eval(auto x) { return -x; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return -g;
    }
};
struct Positive {
    static constexpr OpInfo info{.name = "positive", .accepts = Accepts::numbers};
    static auto eval(auto x) { return x; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return g;
    }
};
struct Abs {
    static constexpr OpInfo info{.name = "abs", .accepts = Accepts::numbers};
    static auto eval(auto x) {
        using std::abs;
        return abs(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * sign(x);
    }
};
/// 1 of the sign; 0 of zeros and NaN.
struct Sign {
    static constexpr OpInfo info{.name = "sign", .accepts = Accepts::numbers, .gradient = Gradient::zero};
    static auto eval(auto x) { return sign(x); }
};
struct Square {
    static constexpr OpInfo info{.name = "square", .accepts = Accepts::numbers};
    static auto eval(auto x) { return x * x; }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g * (2.0 * x);
    }
};
/// x, and 0 for what is negative; NaN stays.
struct Relu {
    static constexpr OpInfo info{.name = "relu", .accepts = Accepts::numbers};
    static auto eval(auto x) { return select(x <= like(x, 0), like(x, 0), x); }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return select(y > 0.0, g, 0.0);
    }
};
struct Reciprocal {
    static constexpr OpInfo info{.name = "reciprocal", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return like(x, 1) / x; }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return -(g * y * y);
    }
};
/// The quotient rounded down; of floats as Python rounds it.
struct FloorDivide {
    static constexpr OpInfo info{.name = "floor_divide",
                                 .arity = 2,
                                 .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor,
                                 .gradient = Gradient::zero,
                                 .device = Device::whole};
    static auto eval(auto a, auto b) { return floor_quotient(a, b); }
};
/// The quotient rounded towards 0.
struct TruncDivide {
    static constexpr OpInfo info{.name = "trunc_divide",
                                 .arity = 2,
                                 .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor,
                                 .gradient = Gradient::zero};
    static auto eval(auto a, auto b) { return trunc_quotient(a, b); }
};
/// What floor_divide leaves; of the divisor's sign.
struct Remainder {
    static constexpr OpInfo info{.name = "remainder",
                                 .arity = 2,
                                 .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor,
                                 .device = Device::whole};
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
/// What trunc_divide leaves; of the dividend's sign.
struct Fmod {
    static constexpr OpInfo info{.name = "fmod",
                                 .arity = 2,
                                 .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor,
                                 .device = Device::whole};
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
/// Of whole numbers: wraps.
struct Pow {
    static constexpr OpInfo info{
        .name = "pow", .arity = 2, .accepts = Accepts::numbers, .check = ValueCheck::exponent};
    static auto eval(auto x, auto y) {
        using std::pow;
        return pow(x, y);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto a, auto b) {
        using std::log, std::pow;
        if constexpr (I == 0)
            return select(b == 0.0, 0.0, g * (b * pow(a, b - 1.0)));
        else
            return select(a == 0.0 && b >= 0.0, 0.0, g * (y * log(a)));
    }
};

/// The greater's share of the gradient; equal ones have half each.
template <int I>
auto share(auto g, auto a, auto b) {
    if constexpr (I == 0)
        return select(a == b, g * 0.5, select(a > b, g, 0.0));
    else
        return select(a == b, g * 0.5, select(a > b, 0.0, g));
}
/// The smaller; NaN if either is NaN.
struct Minimum {
    static constexpr OpInfo info{.name = "minimum", .arity = 2, .unites = true};
    static auto eval(auto a, auto b) {
        return select(is_nan(a), a, select(is_nan(b), b, select(b < a, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share<1 - I>(g, a, b);
    }
};
/// The larger; NaN if either is NaN.
struct Maximum {
    static constexpr OpInfo info{.name = "maximum", .arity = 2, .unites = true};
    static auto eval(auto a, auto b) {
        return select(is_nan(a), a, select(is_nan(b), b, select(a < b, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share<I>(g, a, b);
    }
};
/// The smaller; if one is NaN, the other.
struct Fmin {
    static constexpr OpInfo info{.name = "fmin", .arity = 2, .unites = true};
    static auto eval(auto a, auto b) {
        return select(is_nan(a), b, select(is_nan(b), a, select(b < a, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share<1 - I>(g, a, b);
    }
};
/// The larger; if one is NaN, the other.
struct Fmax {
    static constexpr OpInfo info{.name = "fmax", .arity = 2, .unites = true};
    static auto eval(auto a, auto b) {
        return select(is_nan(a), b, select(is_nan(b), a, select(a < b, b, a)));
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        return share<I>(g, a, b);
    }
};

}  // namespace frisket::op
