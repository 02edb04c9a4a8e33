// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"
#include "scalar.hpp"
#include "special_functions.hpp"

#include <numbers>

/// Rows: circular and hyperbolic functions, angles and lengths.
namespace frisket::op {

struct Sin {
    static constexpr OpInfo info{.name = "sin", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::sin;
        return sin(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::cos;
        return g * cos(x);
    }
};
struct Cos {
    static constexpr OpInfo info{.name = "cos", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::cos;
        return cos(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sin;
        return -(g * sin(x));
    }
};
struct Tan {
    static constexpr OpInfo info{.name = "tan", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::tan;
        return tan(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (1.0 + y * y);
    }
};
struct Asin {
    static constexpr OpInfo info{.name = "asin", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::asin;
        return asin(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sqrt;
        return g / sqrt(1.0 - x * x);
    }
};
struct Acos {
    static constexpr OpInfo info{.name = "acos", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::acos;
        return acos(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sqrt;
        return -(g / sqrt(1.0 - x * x));
    }
};
struct Atan {
    static constexpr OpInfo info{.name = "atan", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::atan;
        return atan(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (1.0 + x * x);
    }
};
struct Sinh {
    static constexpr OpInfo info{.name = "sinh", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::sinh;
        return sinh(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::cosh;
        return g * cosh(x);
    }
};
struct Cosh {
    static constexpr OpInfo info{.name = "cosh", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::cosh;
        return cosh(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sinh;
        return g * sinh(x);
    }
};
struct Tanh {
    static constexpr OpInfo info{.name = "tanh", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::tanh;
        return tanh(x);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto /*x*/) {
        return g * (1.0 - y * y);
    }
};
struct Asinh {
    static constexpr OpInfo info{.name = "asinh", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::asinh;
        return asinh(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sqrt;
        return g / sqrt(x * x + 1.0);
    }
};
struct Acosh {
    static constexpr OpInfo info{.name = "acosh", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::acosh;
        return acosh(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        using std::sqrt;
        return g / sqrt(x * x - 1.0);
    }
};
struct Atanh {
    static constexpr OpInfo info{.name = "atanh", .dtype = DTypeRule::floating};
    static auto eval(auto x) {
        using std::atanh;
        return atanh(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto x) {
        return g / (1.0 - x * x);
    }
};
struct Deg2rad {
    static constexpr OpInfo info{.name = "deg2rad", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return x * like(x, std::numbers::pi / 180); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return g * (std::numbers::pi / 180);
    }
};
struct Rad2deg {
    static constexpr OpInfo info{.name = "rad2deg", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return x * like(x, 180 / std::numbers::pi); }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return g * (180 / std::numbers::pi);
    }
};
/// sin(pi x) / (pi x).
struct Sinc {
    static constexpr OpInfo info{.name = "sinc", .dtype = DTypeRule::floating};
    static auto eval(auto x) { return sinc(x); }
    template <int I>
    static auto derivative(auto g, auto y, auto x) {
        using std::cos;
        return select(x == 0.0, 0.0, g * ((cos(std::numbers::pi * x) - y) / x));
    }
};
/// The angle of the point (b, a).
struct Atan2 {
    static constexpr OpInfo info{.name = "atan2", .arity = 2, .dtype = DTypeRule::floating};
    static auto eval(auto a, auto b) {
        using std::atan2;
        return atan2(a, b);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto a, auto b) {
        if constexpr (I == 0)
            return g * (b / (a * a + b * b));
        else
            return -(g * (a / (a * a + b * b)));
    }
};
/// The square root of a^2 + b^2, which does not overflow.
struct Hypot {
    static constexpr OpInfo info{.name = "hypot",
                                 .arity = 2,
                                 .dtype = DTypeRule::floating,
                                 .accepts = Accepts::floats,
                                 .device = Device::none};
    static auto eval(auto a, auto b) {
        using std::hypot;
        return hypot(a, b);
    }
    template <int I>
    static auto derivative(auto g, auto y, auto a, auto b) {
        if constexpr (I == 0)
            return g * (a / y);
        else
            return g * (b / y);
    }
};

}  // namespace frisket::op
