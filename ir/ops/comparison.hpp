// SPDX-License-Identifier: MIT
#pragma once
#include "op_info.hpp"
#include "scalar.hpp"

/// Rows: comparisons, classes of numbers, logic and choice.
namespace frisket::op {

struct Eq {
    static constexpr OpInfo info{
        .name = "eq", .arity = 2, .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a == b; }
};
struct Ne {
    static constexpr OpInfo info{
        .name = "ne", .arity = 2, .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a != b; }
};
struct Lt {
    static constexpr OpInfo info{
        .name = "lt", .arity = 2, .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a < b; }
};
struct Le {
    static constexpr OpInfo info{
        .name = "le", .arity = 2, .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a <= b; }
};
struct Gt {
    static constexpr OpInfo info{
        .name = "gt", .arity = 2, .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a > b; }
};
struct Ge {
    static constexpr OpInfo info{
        .name = "ge", .arity = 2, .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a >= b; }
};
struct Isnan {
    static constexpr OpInfo info{.name = "isnan", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto x) { return is_nan(x); }
};
struct Isinf {
    static constexpr OpInfo info{.name = "isinf", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto x) { return is_inf(x); }
};
struct Isfinite {
    static constexpr OpInfo info{.name = "isfinite", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto x) { return !(is_nan(x) || is_inf(x)); }
};
/// Whether the sign is minus; that of zeros and NaN counts.
struct Signbit {
    static constexpr OpInfo info{.name = "signbit", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
    static auto eval(auto x) { return sign_bit(x); }
};
/// Whether both hold; NaN counts as true, as in C++.
struct LogicalAnd {
    static constexpr OpInfo info{.name = "logical_and",
                                 .arity = 2,
                                 .dtype = DTypeRule::logical,
                                 .unites = true,
                                 .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a && b; }
};
struct LogicalOr {
    static constexpr OpInfo info{.name = "logical_or",
                                 .arity = 2,
                                 .dtype = DTypeRule::logical,
                                 .unites = true,
                                 .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a || b; }
};
struct LogicalXor {
    static constexpr OpInfo info{.name = "logical_xor",
                                 .arity = 2,
                                 .dtype = DTypeRule::logical,
                                 .unites = true,
                                 .gradient = Gradient::none};
    static auto eval(auto a, auto b) { return a != b; }
};
struct LogicalNot {
    static constexpr OpInfo info{
        .name = "logical_not", .dtype = DTypeRule::logical, .gradient = Gradient::none};
    static auto eval(auto x) { return !x; }
};
/// x where the condition is true, else y; the branch not taken is not observed.
struct Where {
    static constexpr OpInfo info{
        .name = "where", .arity = 3, .dtype = DTypeRule::branches, .mask = MaskRule::branch};
    static auto eval(auto condition, auto x, auto y) { return select(condition, x, y); }
    /// Of the branches; the condition has none.
    template <int I>
    static auto derivative(auto g, auto /*y*/, auto condition, auto /*a*/, auto /*b*/) {
        if constexpr (I == 1)
            return select(condition, g, 0.0);
        else
            return select(condition, 0.0, g);
    }
};

}  // namespace frisket::op
