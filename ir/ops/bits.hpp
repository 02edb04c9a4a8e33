// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"
#include "scalar.hpp"

/// Rows: bits of whole numbers; bool is one bit.
namespace frisket::op {

struct BitwiseAnd {
    static constexpr OpInfo info{.name = "bitwise_and",
                                 .arity = 2,
                                 .accepts = Accepts::bits,
                                 .unites = true,
                                 .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a & b; }
};
struct BitwiseOr {
    static constexpr OpInfo info{.name = "bitwise_or",
                                 .arity = 2,
                                 .accepts = Accepts::bits,
                                 .unites = true,
                                 .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a | b; }
};
struct BitwiseXor {
    static constexpr OpInfo info{.name = "bitwise_xor",
                                 .arity = 2,
                                 .accepts = Accepts::bits,
                                 .unites = true,
                                 .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a ^ b; }
};
struct BitwiseNot {
    static constexpr OpInfo info{.name = "bitwise_not", .accepts = Accepts::bits, .gradient = Gradient::none};
    static auto eval(auto x) { return bitwise_not(x); }
};
/// A shift by less than 0, or by the width and more, gives 0.
struct BitwiseLeftShift {
    static constexpr OpInfo info{
        .name = "bitwise_left_shift", .arity = 2, .accepts = Accepts::whole, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return shift_left(a, b); }
};
/// Keeps the sign; a shift by less than 0, or by the width and more, leaves it alone: 0 or -1.
struct BitwiseRightShift {
    static constexpr OpInfo info{
        .name = "bitwise_right_shift", .arity = 2, .accepts = Accepts::whole, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return shift_right(a, b); }
};

}  // namespace frisket::op
