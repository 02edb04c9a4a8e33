// SPDX-License-Identifier: MIT
#pragma once
#include "arithmetic.hpp"
#include "bits.hpp"
#include "comparison.hpp"
#include "exponential.hpp"
#include "op_info.hpp"
#include "rounding.hpp"
#include "special.hpp"
#include "trigonometric.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

/// THE table of operations: one block each in ops/, with what OpInfo says, its meaning and its derivative.
///
/// `eval` is the meaning, for bool, Whole, float and double (the interpreter, numbers of the host) and for
/// the lowering's Value alike: operators, functions of `<cmath>` and those of ops/scalar.hpp.
/// `derivative<I>(g, y, operands...)` is what operand I gets of the result's gradient g, y being the result:
/// for double and for any type with operators, the table's functions and select(condition, x, y) beside
/// numbers.  What it gives where the function has no derivative is PyTorch's choice.
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
                   op::Erf, op::Erfc, op::Erfinv, op::Lgamma, op::Digamma, op::Trigamma, op::I0, op::I1>;

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
const OpInfo& info(OpId id);
/// The operation of a name.  Errors: ValueError listing the names there are.
OpId find_op(std::string_view name);

}  // namespace frisket
