// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"
#include "scalar.hpp"

/// Rows: roundings to whole numbers, which stay in their dtype.
namespace frisket::op {

struct Ceil {
    static constexpr OpInfo info{.name = "ceil", .accepts = Accepts::numbers, .gradient = Gradient::zero};
    static auto eval(auto x) {
        using std::ceil;
        return ceil(x);
    }
};
struct Floor {
    static constexpr OpInfo info{.name = "floor", .accepts = Accepts::numbers, .gradient = Gradient::zero};
    static auto eval(auto x) {
        using std::floor;
        return floor(x);
    }
};
struct Trunc {
    static constexpr OpInfo info{.name = "trunc", .accepts = Accepts::numbers, .gradient = Gradient::zero};
    static auto eval(auto x) {
        using std::trunc;
        return trunc(x);
    }
};
/// To the nearest, halves to the even one.
struct Round {
    static constexpr OpInfo info{.name = "round", .accepts = Accepts::numbers, .gradient = Gradient::zero};
    static auto eval(auto x) { return round_to_even(x); }
};
/// What trunc cuts off, with its sign.
struct Frac {
    static constexpr OpInfo info{.name = "frac", .accepts = Accepts::floats};
    static auto eval(auto x) {
        using std::trunc;
        return x - trunc(x);
    }
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto /*x*/) {
        return g;
    }
};

}  // namespace frisket::op
