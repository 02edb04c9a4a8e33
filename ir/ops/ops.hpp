// SPDX-License-Identifier: MIT
// Lists the elementwise operations.
#pragma once
#include "op_info.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

/// THE table of operations: a row each, with the fields of OpInfo.
namespace frisket::op {

/// Meaning of a row, only for sources of the library (meanings.hpp).
///
/// `eval` is the meaning, for bool, Whole, float and double (the interpreter, host scalars) and for the
/// lowering's Value: operators, functions of `<cmath>` and functions of ops/scalar.hpp.
/// `derivative<I>(g, y, operands...)` is operand I's part of the result's gradient g, y being the result: for
/// double and for any type with operators, the table's functions and select(condition, x, y), which may be
/// mixed with numbers.  Its value where the function has no derivative is PyTorch's choice.
template <class Op>
struct Meaning;

// Sums, products, quotients, powers, the greater and the smaller.
/// Sum; for bool: or.
struct Add {
    static constexpr OpInfo info{.name = "add", .arity = 2, .unites = true};
};
struct Sub {
    static constexpr OpInfo info{.name = "sub", .arity = 2, .accepts = Accepts::numbers};
};
/// Product; for bool: and.
struct Mul {
    static constexpr OpInfo info{.name = "mul", .arity = 2, .unites = true};
};
struct Div {
    static constexpr OpInfo info{.name = "div", .arity = 2, .dtype = DTypeRule::floating};
};
/// Sign flipped, of zeros and NaN too.
struct Neg {
    static constexpr OpInfo info{.name = "neg", .accepts = Accepts::numbers};
};
struct Positive {
    static constexpr OpInfo info{.name = "positive", .accepts = Accepts::numbers};
};
struct Abs {
    static constexpr OpInfo info{.name = "abs", .accepts = Accepts::numbers};
};
/// 1 of the sign; 0 of zeros and NaN.
struct Sign {
    static constexpr OpInfo info{.name = "sign", .accepts = Accepts::numbers, .gradient = Gradient::zero};
};
struct Square {
    static constexpr OpInfo info{.name = "square", .accepts = Accepts::numbers};
};
/// x, and 0 for negative numbers; NaN stays.
struct Relu {
    static constexpr OpInfo info{.name = "relu", .accepts = Accepts::numbers};
};
struct Reciprocal {
    static constexpr OpInfo info{.name = "reciprocal", .dtype = DTypeRule::floating};
};
/// The quotient rounded down; for floats as Python rounds it.
struct FloorDivide {
    static constexpr OpInfo info{.name = "floor_divide", .arity = 2, .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor, .gradient = Gradient::zero};
};
/// The quotient rounded towards 0.
struct TruncDivide {
    static constexpr OpInfo info{.name = "trunc_divide", .arity = 2, .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor, .gradient = Gradient::zero};
};
/// Rest after floor_divide; has the divisor's sign.
struct Remainder {
    static constexpr OpInfo info{.name = "remainder", .arity = 2, .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor};
};
/// Rest after trunc_divide; has the dividend's sign.
struct Fmod {
    static constexpr OpInfo info{.name = "fmod", .arity = 2, .accepts = Accepts::numbers,
                                 .check = ValueCheck::divisor};
};
/// Power; wraps for integers.
struct Pow {
    static constexpr OpInfo info{.name = "pow", .arity = 2, .accepts = Accepts::numbers,
                                 .check = ValueCheck::exponent};
};
/// The smaller; NaN if either is NaN.
struct Minimum {
    static constexpr OpInfo info{.name = "minimum", .arity = 2, .unites = true};
};
/// The larger; NaN if either is NaN.
struct Maximum {
    static constexpr OpInfo info{.name = "maximum", .arity = 2, .unites = true};
};
/// The smaller; if one is NaN, the other.
struct Fmin {
    static constexpr OpInfo info{.name = "fmin", .arity = 2, .unites = true};
};
/// The larger; if one is NaN, the other.
struct Fmax {
    static constexpr OpInfo info{.name = "fmax", .arity = 2, .unites = true};
};

// Comparisons, classes of numbers, logic and choice.
struct Eq {
    static constexpr OpInfo info{.name = "eq", .arity = 2, .dtype = DTypeRule::boolean,
                                 .gradient = Gradient::none};
};
struct Ne {
    static constexpr OpInfo info{.name = "ne", .arity = 2, .dtype = DTypeRule::boolean,
                                 .gradient = Gradient::none};
};
struct Lt {
    static constexpr OpInfo info{.name = "lt", .arity = 2, .dtype = DTypeRule::boolean,
                                 .gradient = Gradient::none};
};
struct Le {
    static constexpr OpInfo info{.name = "le", .arity = 2, .dtype = DTypeRule::boolean,
                                 .gradient = Gradient::none};
};
struct Gt {
    static constexpr OpInfo info{.name = "gt", .arity = 2, .dtype = DTypeRule::boolean,
                                 .gradient = Gradient::none};
};
struct Ge {
    static constexpr OpInfo info{.name = "ge", .arity = 2, .dtype = DTypeRule::boolean,
                                 .gradient = Gradient::none};
};
struct Isnan {
    static constexpr OpInfo info{.name = "isnan", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
};
struct Isinf {
    static constexpr OpInfo info{.name = "isinf", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
};
struct Isfinite {
    static constexpr OpInfo info{.name = "isfinite", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
};
/// True if the sign is minus; the sign of zeros and NaN counts.
struct Signbit {
    static constexpr OpInfo info{.name = "signbit", .dtype = DTypeRule::boolean, .gradient = Gradient::none};
};
/// True if both hold; NaN counts as true, as in C++.
struct LogicalAnd {
    static constexpr OpInfo info{.name = "logical_and", .arity = 2, .dtype = DTypeRule::logical,
                                 .unites = true, .gradient = Gradient::none};
};
struct LogicalOr {
    static constexpr OpInfo info{.name = "logical_or", .arity = 2, .dtype = DTypeRule::logical,
                                 .unites = true, .gradient = Gradient::none};
};
struct LogicalXor {
    static constexpr OpInfo info{.name = "logical_xor", .arity = 2, .dtype = DTypeRule::logical,
                                 .unites = true, .gradient = Gradient::none};
};
struct LogicalNot {
    static constexpr OpInfo info{.name = "logical_not", .dtype = DTypeRule::logical,
                                 .gradient = Gradient::none};
};
/// x where the condition is true, else y; the branch not taken is not observed.
struct Where {
    static constexpr OpInfo info{.name = "where", .arity = 3, .dtype = DTypeRule::branches,
                                 .mask = MaskRule::branch, .parameters = 1};
};

// Bits of integers; bool is one bit.
struct BitwiseAnd {
    static constexpr OpInfo info{.name = "bitwise_and", .arity = 2, .accepts = Accepts::bits,
                                 .unites = true, .gradient = Gradient::none};
};
struct BitwiseOr {
    static constexpr OpInfo info{.name = "bitwise_or", .arity = 2, .accepts = Accepts::bits, .unites = true,
                                 .gradient = Gradient::none};
};
struct BitwiseXor {
    static constexpr OpInfo info{.name = "bitwise_xor", .arity = 2, .accepts = Accepts::bits,
                                 .unites = true, .gradient = Gradient::none};
};
struct BitwiseNot {
    static constexpr OpInfo info{.name = "bitwise_not", .accepts = Accepts::bits, .gradient = Gradient::none};
};
/// A shift by less than 0, or by the width and more, returns 0.
struct BitwiseLeftShift {
    static constexpr OpInfo info{.name = "bitwise_left_shift", .arity = 2, .accepts = Accepts::whole,
                                 .gradient = Gradient::none};
};
/// Keeps the sign; a shift by less than 0, or by the width and more, leaves only the sign: 0 or -1.
struct BitwiseRightShift {
    static constexpr OpInfo info{.name = "bitwise_right_shift", .arity = 2, .accepts = Accepts::whole,
                                 .gradient = Gradient::none};
};

// Roundings to integers, which stay in their dtype.
struct Ceil {
    static constexpr OpInfo info{.name = "ceil", .accepts = Accepts::numbers, .gradient = Gradient::zero};
};
struct Floor {
    static constexpr OpInfo info{.name = "floor", .accepts = Accepts::numbers, .gradient = Gradient::zero};
};
struct Trunc {
    static constexpr OpInfo info{.name = "trunc", .accepts = Accepts::numbers, .gradient = Gradient::zero};
};
/// Rounds to the nearest, halves to the even one.
struct Round {
    static constexpr OpInfo info{.name = "round", .accepts = Accepts::numbers, .gradient = Gradient::zero};
};
/// The part that trunc cuts off, with its sign.
struct Frac {
    static constexpr OpInfo info{.name = "frac", .accepts = Accepts::floats};
};

// Roots, exponentials and logarithms.
/// Correctly rounded.
struct Sqrt {
    static constexpr OpInfo info{.name = "sqrt", .dtype = DTypeRule::floating};
};
/// 1 / sqrt(x).
struct Rsqrt {
    static constexpr OpInfo info{.name = "rsqrt", .dtype = DTypeRule::floating};
};
struct Exp {
    static constexpr OpInfo info{.name = "exp", .dtype = DTypeRule::floating};
};
struct Exp2 {
    static constexpr OpInfo info{.name = "exp2", .dtype = DTypeRule::floating};
};
/// exp(x) - 1, exact near 0.
struct Expm1 {
    static constexpr OpInfo info{.name = "expm1", .dtype = DTypeRule::floating};
};
/// Natural logarithm.
struct Log {
    static constexpr OpInfo info{.name = "log", .dtype = DTypeRule::floating};
};
struct Log2 {
    static constexpr OpInfo info{.name = "log2", .dtype = DTypeRule::floating};
};
struct Log10 {
    static constexpr OpInfo info{.name = "log10", .dtype = DTypeRule::floating};
};
/// log(1 + x), exact near 0.
struct Log1p {
    static constexpr OpInfo info{.name = "log1p", .dtype = DTypeRule::floating};
};
/// 1 / (1 + exp(-x)).
struct Sigmoid {
    static constexpr OpInfo info{.name = "sigmoid", .dtype = DTypeRule::floating};
};
/// log(x / (1 - x)).
struct Logit {
    static constexpr OpInfo info{.name = "logit", .dtype = DTypeRule::floating};
};
/// log(exp(a) + exp(b)), which does not overflow.
struct Logaddexp {
    static constexpr OpInfo info{.name = "logaddexp", .arity = 2, .dtype = DTypeRule::floating,
                                 .unites = true};
};

// Circular and hyperbolic functions, angles and lengths.
struct Sin {
    static constexpr OpInfo info{.name = "sin", .dtype = DTypeRule::floating};
};
struct Cos {
    static constexpr OpInfo info{.name = "cos", .dtype = DTypeRule::floating};
};
struct Tan {
    static constexpr OpInfo info{.name = "tan", .dtype = DTypeRule::floating};
};
struct Asin {
    static constexpr OpInfo info{.name = "asin", .dtype = DTypeRule::floating};
};
struct Acos {
    static constexpr OpInfo info{.name = "acos", .dtype = DTypeRule::floating};
};
struct Atan {
    static constexpr OpInfo info{.name = "atan", .dtype = DTypeRule::floating};
};
struct Sinh {
    static constexpr OpInfo info{.name = "sinh", .dtype = DTypeRule::floating};
};
struct Cosh {
    static constexpr OpInfo info{.name = "cosh", .dtype = DTypeRule::floating};
};
struct Tanh {
    static constexpr OpInfo info{.name = "tanh", .dtype = DTypeRule::floating};
};
struct Asinh {
    static constexpr OpInfo info{.name = "asinh", .dtype = DTypeRule::floating};
};
struct Acosh {
    static constexpr OpInfo info{.name = "acosh", .dtype = DTypeRule::floating};
};
struct Atanh {
    static constexpr OpInfo info{.name = "atanh", .dtype = DTypeRule::floating};
};
struct Deg2rad {
    static constexpr OpInfo info{.name = "deg2rad", .dtype = DTypeRule::floating};
};
struct Rad2deg {
    static constexpr OpInfo info{.name = "rad2deg", .dtype = DTypeRule::floating};
};
/// sin(pi x) / (pi x).
struct Sinc {
    static constexpr OpInfo info{.name = "sinc", .dtype = DTypeRule::floating};
};
/// The angle of the point (b, a).
struct Atan2 {
    static constexpr OpInfo info{.name = "atan2", .arity = 2, .dtype = DTypeRule::floating};
};
/// The square root of a^2 + b^2, which does not overflow.
struct Hypot {
    static constexpr OpInfo info{.name = "hypot", .arity = 2, .dtype = DTypeRule::floating,
                                 .accepts = Accepts::floats};
};

// Special functions.
/// The error function.
struct Erf {
    static constexpr OpInfo info{.name = "erf", .dtype = DTypeRule::floating};
};
/// 1 - erf(x), exact far out.
struct Erfc {
    static constexpr OpInfo info{.name = "erfc", .dtype = DTypeRule::floating};
};
/// The number whose erf is x.
struct Erfinv {
    static constexpr OpInfo info{.name = "erfinv", .dtype = DTypeRule::floating};
};
/// The logarithm of the gamma function's magnitude.
struct Lgamma {
    static constexpr OpInfo info{.name = "lgamma", .dtype = DTypeRule::floating};
};
/// The derivative of lgamma.
struct Digamma {
    static constexpr OpInfo info{.name = "digamma", .dtype = DTypeRule::floating};
};
/// The derivative of digamma.
struct Trigamma {
    static constexpr OpInfo info{.name = "trigamma", .dtype = DTypeRule::floating};
};
/// The modified Bessel function of the first kind, of order 0.
struct I0 {
    static constexpr OpInfo info{.name = "i0", .dtype = DTypeRule::floating};
};
/// The modified Bessel function of the first kind, of order 1: the derivative of i0.
struct I1 {
    static constexpr OpInfo info{.name = "i1", .dtype = DTypeRule::floating};
};

}  // namespace frisket::op

namespace frisket {

template <class... Op>
struct OpList {};

/// Every operation; an OpId is an index into this list.
using Ops = OpList<op::Add, op::Sub, op::Mul, op::Div, op::Neg, op::Positive, op::Abs, op::Sign, op::Square,
                   op::Relu, op::Reciprocal, op::FloorDivide, op::TruncDivide, op::Remainder, op::Fmod,
                   op::Pow, op::Minimum, op::Maximum, op::Fmin, op::Fmax, op::Eq, op::Ne, op::Lt, op::Le,
                   op::Gt, op::Ge, op::Isnan, op::Isinf, op::Isfinite, op::Signbit, op::LogicalAnd,
                   op::LogicalOr, op::LogicalXor, op::LogicalNot, op::Where, op::BitwiseAnd, op::BitwiseOr,
                   op::BitwiseXor, op::BitwiseNot, op::BitwiseLeftShift, op::BitwiseRightShift, op::Ceil,
                   op::Floor, op::Trunc, op::Round, op::Frac, op::Sqrt, op::Rsqrt, op::Exp, op::Exp2,
                   op::Expm1, op::Log, op::Log2, op::Log10, op::Log1p, op::Sigmoid, op::Logit, op::Logaddexp,
                   op::Sin, op::Cos, op::Tan, op::Asin, op::Acos, op::Atan, op::Sinh, op::Cosh, op::Tanh,
                   op::Asinh, op::Acosh, op::Atanh, op::Deg2rad, op::Rad2deg, op::Sinc, op::Atan2, op::Hypot,
                   op::Erf, op::Erfc, op::Erfinv, op::Lgamma, op::Digamma, op::Trigamma, op::I0, op::I1,
                   op::Zero, op::Sech, op::Direction, op::Zeta, op::SphericalBessel, op::BesselI>;

/// Index of an operation in the table.
enum class OpId : std::uint16_t {};

namespace detail {
template <class Op, class... All>
consteval OpId index_of(OpList<All...>) {
    static_assert((std::is_same_v<Op, All> || ...),
                  "frisket: the operation is missing from the list Ops: add it there");
    int index = 0, i = 0;
    ((std::is_same_v<Op, All> ? index = i : 0, ++i), ...);
    return static_cast<OpId>(index);
}
}  // namespace detail

/// The id of an operation; an operation that is missing from Ops does not compile.
template <class Op>
inline constexpr OpId op_id = detail::index_of<Op>(Ops{});

/// The rows of all operations, indexed by OpId.
std::span<const OpInfo> op_table();
/// Errors: ValueError if the number is no operation's.
const OpInfo& info_of(OpId id);
/// The operation of a name.  Errors: ValueError listing the names there are.
OpId find_op(std::string_view name);

}  // namespace frisket
