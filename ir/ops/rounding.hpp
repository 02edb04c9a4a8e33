// SPDX-License-Identifier: MIT
// Defines the operations that round numbers to integers and keep the dtype.
#pragma once
#include "ops.hpp"
#include "scalar.hpp"

/// Meanings and derivatives: roundings to integers, which stay in their dtype.
namespace frisket::op {

template <>
struct Meaning<Ceil> {
    static auto eval(auto x) {
        using std::ceil;
        return ceil(x);
    }
};
template <>
struct Meaning<Floor> {
    static auto eval(auto x) {
        using std::floor;
        return floor(x);
    }
};
template <>
struct Meaning<Trunc> {
    static auto eval(auto x) {
        using std::trunc;
        return trunc(x);
    }
};
template <>
struct Meaning<Round> {
    static auto eval(auto x) { return round_to_even(x); }
};
template <>
struct Meaning<Frac> {
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
