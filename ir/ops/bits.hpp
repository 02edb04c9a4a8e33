// SPDX-License-Identifier: MIT
// Defines bitwise operations and shifts of integers and bools.
#pragma once
#include "ops.hpp"
#include "scalar.hpp"

/// Meanings and derivatives: bits of integers; bool is one bit.
namespace frisket::op {

template <>
struct Meaning<BitwiseAnd> {
    static auto eval(auto a, auto b) { return a & b; }
};
template <>
struct Meaning<BitwiseOr> {
    static auto eval(auto a, auto b) { return a | b; }
};
template <>
struct Meaning<BitwiseXor> {
    static auto eval(auto a, auto b) { return a ^ b; }
};
template <>
struct Meaning<BitwiseNot> {
    static auto eval(auto x) { return bitwise_not(x); }
};
template <>
struct Meaning<BitwiseLeftShift> {
    static auto eval(auto a, auto b) { return shift_left(a, b); }
};
template <>
struct Meaning<BitwiseRightShift> {
    static auto eval(auto a, auto b) { return shift_right(a, b); }
};

}  // namespace frisket::op
