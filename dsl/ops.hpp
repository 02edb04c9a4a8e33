// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

/// THE table of operations: one block each, with its name, dtype rule, mask rule and meaning.
namespace frisket {

/// Which elements of a result are specified.
enum class MaskRule : std::uint8_t {
    operands,  ///< those of the masked operands, which must specify the same ones
    branch,    ///< where(c, x, y): those of the condition, and of the branch taken
};

/// The dtype of a result; operands are converted to their common dtype first.
enum class DTypeRule : std::uint8_t {
    common,    ///< the operands' common dtype
    floating,  ///< the same if it is a float, else float32
    boolean,   ///< bool
    logical,   ///< bool, and the operands are converted to bool first: whether they differ from 0
    branches,  ///< the common dtype of operands 1 and 2; operand 0 is bool
};

struct OpInfo {
    std::string_view name;
    int arity = 1;
    DTypeRule dtype = DTypeRule::common;
    MaskRule mask = MaskRule::operands;
    bool unites = false;  ///< whether unite(...) may pass the side through that is alone
};

/// Scalar helpers that every op is written in; lowering has its own overloads, found by argument lookup.
inline bool is_nan(float x) { return std::isnan(x); }
inline bool is_nan(double x) { return std::isnan(x); }
template <class T>
T select(bool condition, T x, T y) {
    return condition ? x : y;
}

/// Each op is a row: `info`, and `eval`, which is its meaning for float and double (the interpreter, numbers
/// of the host) and for the lowering's Value alike.
namespace op {

struct Add {
    static constexpr OpInfo info{.name = "add", .arity = 2};
    static auto eval(auto a, auto b) { return a + b; }
};
struct Sub {
    static constexpr OpInfo info{.name = "sub", .arity = 2};
    static auto eval(auto a, auto b) { return a - b; }
};
struct Mul {
    static constexpr OpInfo info{.name = "mul", .arity = 2};
    static auto eval(auto a, auto b) { return a * b; }
};
struct Div {
    static constexpr OpInfo info{.name = "div", .arity = 2, .dtype = DTypeRule::floating};
    static auto eval(auto a, auto b) { return a / b; }
};
/// Sign flipped, of zeros and NaN too.
struct Neg {
    static constexpr OpInfo info{.name = "neg"};
    static auto eval(auto x) { return -x; }
};
/// Correctly rounded.
struct Sqrt {
    static constexpr OpInfo info{.name = "sqrt", .dtype = DTypeRule::floating};
    static auto eval(auto x) { using std::sqrt; return sqrt(x); }
};
struct Square {
    static constexpr OpInfo info{.name = "square"};
    static auto eval(auto x) { return x * x; }
};
struct Abs {
    static constexpr OpInfo info{.name = "abs"};
    static auto eval(auto x) { using std::abs; return abs(x); }
};
struct Exp {
    static constexpr OpInfo info{.name = "exp", .dtype = DTypeRule::floating};
    static auto eval(auto x) { using std::exp; return exp(x); }
};
/// Natural logarithm.
struct Log {
    static constexpr OpInfo info{.name = "log", .dtype = DTypeRule::floating};
    static auto eval(auto x) { using std::log; return log(x); }
};
struct Pow {
    static constexpr OpInfo info{.name = "pow", .arity = 2};
    static auto eval(auto x, auto y) { using std::pow; return pow(x, y); }
};
/// The smaller; NaN if either is NaN.
struct Minimum {
    static constexpr OpInfo info{.name = "minimum", .arity = 2};
    static auto eval(auto a, auto b) {
        return select(is_nan(a), a, select(is_nan(b), b, select(b < a, b, a)));
    }
};
/// The larger; NaN if either is NaN.
struct Maximum {
    static constexpr OpInfo info{.name = "maximum", .arity = 2};
    static auto eval(auto a, auto b) {
        return select(is_nan(a), a, select(is_nan(b), b, select(a < b, b, a)));
    }
};
struct Eq {
    static constexpr OpInfo info{.name = "eq", .arity = 2, .dtype = DTypeRule::boolean};
    static auto eval(auto a, auto b) { return a == b; }
};
struct Ne {
    static constexpr OpInfo info{.name = "ne", .arity = 2, .dtype = DTypeRule::boolean};
    static auto eval(auto a, auto b) { return a != b; }
};
struct Lt {
    static constexpr OpInfo info{.name = "lt", .arity = 2, .dtype = DTypeRule::boolean};
    static auto eval(auto a, auto b) { return a < b; }
};
struct Le {
    static constexpr OpInfo info{.name = "le", .arity = 2, .dtype = DTypeRule::boolean};
    static auto eval(auto a, auto b) { return a <= b; }
};
struct Gt {
    static constexpr OpInfo info{.name = "gt", .arity = 2, .dtype = DTypeRule::boolean};
    static auto eval(auto a, auto b) { return a > b; }
};
struct Ge {
    static constexpr OpInfo info{.name = "ge", .arity = 2, .dtype = DTypeRule::boolean};
    static auto eval(auto a, auto b) { return a >= b; }
};
/// Whether both hold; NaN counts as true, as in C++.
struct LogicalAnd {
    static constexpr OpInfo info{.name = "logical_and", .arity = 2, .dtype = DTypeRule::logical};
    static auto eval(auto a, auto b) { return a && b; }
};
struct LogicalOr {
    static constexpr OpInfo info{.name = "logical_or", .arity = 2, .dtype = DTypeRule::logical};
    static auto eval(auto a, auto b) { return a || b; }
};
struct LogicalXor {
    static constexpr OpInfo info{.name = "logical_xor", .arity = 2, .dtype = DTypeRule::logical};
    static auto eval(auto a, auto b) { return a != b; }
};
struct LogicalNot {
    static constexpr OpInfo info{.name = "logical_not", .dtype = DTypeRule::logical};
    static auto eval(auto x) { return !x; }
};
/// x where the condition is true, else y; the branch not taken is not observed.
struct Where {
    static constexpr OpInfo info{
        .name = "where", .arity = 3, .dtype = DTypeRule::branches, .mask = MaskRule::branch};
    static auto eval(auto condition, auto x, auto y) { return select(condition, x, y); }
};

}  // namespace op

template <class... Op>
struct OpList {};

/// Every operation; an OpId is an index into this list.
using Ops = OpList<op::Add, op::Sub, op::Mul, op::Div, op::Neg, op::Sqrt, op::Square, op::Abs, op::Exp,
                   op::Log, op::Pow, op::Minimum, op::Maximum, op::Eq, op::Ne, op::Lt, op::Le, op::Gt,
                   op::Ge, op::LogicalAnd, op::LogicalOr, op::LogicalXor, op::LogicalNot, op::Where>;

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
inline const OpInfo& info(OpId id) { return op_table()[static_cast<std::size_t>(id)]; }
/// The operation of a name.  Errors: ValueError listing the names there are.
OpId find_op(std::string_view name);

}  // namespace frisket
