// SPDX-License-Identifier: MIT
#pragma once
#include "../selector.hpp"
#include "reductions.hpp"

#include <concepts>
#include <initializer_list>
#include <span>
#include <vector>

/// Indexing and joining.  Errors, when the expression is evaluated: DimError, ShapeError, IndexError.
namespace frisket {

namespace op {

struct Subscript : WholeOp<Subscript> {
    static constexpr WholeInfo info{.name = "subscript"};
    build::Expr lower(build::Expr x) const;
    Few<Selector> indices = {};
};
struct IndexBool : WholeOp<IndexBool> {
    static constexpr WholeInfo info{.name = "index_bool",
                                    .others = WholeOthers::mask,
                                    .mask = WholeInfo::Mask::first,
                                    .needs_eval = true};
    build::Expr lower(Lowering& lowering, build::Expr x, build::Expr condition) const {
        return lowering.index_bool(x, condition);
    }
};
struct IndexBy : WholeOp<IndexBy> {
    static constexpr WholeInfo info{.name = "index", .others = WholeOthers::indices};
    build::Expr lower(const std::vector<build::Expr>& parts) const {
        return build::index(parts.front(), {parts.begin() + 1, parts.end()});
    }
};
struct IndexSelect : WholeOp<IndexSelect> {
    static constexpr WholeInfo info{.name = "index_select", .others = WholeOthers::indices};
    build::Expr lower(build::Expr x, build::Expr index) const { return build::index_select(x, dim, index); }
    int dim = 0;
};
struct Gather : WholeOp<Gather> {
    static constexpr WholeInfo info{.name = "gather", .others = WholeOthers::indices};
    build::Expr lower(build::Expr x, build::Expr index) const { return build::gather(x, dim, index); }
    int dim = 0;
};
struct Cat : WholeOp<Cat> {
    static constexpr WholeInfo info{.name = "cat", .type = WholeType::common};
    build::Expr lower(const std::vector<build::Expr>& parts) const { return build::cat(parts, dim); }
    int dim = 0;
};
struct Stack : WholeOp<Stack> {
    static constexpr WholeInfo info{.name = "stack", .type = WholeType::common};
    build::Expr lower(const std::vector<build::Expr>& parts) const { return build::stack(parts, dim); }
    int dim = 0;
};

}  // namespace op

/// Where a bool condition, which covers the leading dimensions, is true and specified: these become one
/// dimension.  Not in steps.
template <class A, class Condition>
    requires OneOfOurs<A, Condition>
constexpr auto index_bool(const A& a, const Condition& condition) {
    return detail::whole(op::IndexBool{}, a, condition);
}
/// NumPy's advanced indexing of the leading dimensions; negative indices count from the end.
template <class A, class... At>
    requires(OneOfOurs<A> && sizeof...(At) > 0)
constexpr auto index(const A& a, const At&... at) {
    return detail::whole_of(op::IndexBy{}, a, at...);
}
/// The elements of a dimension that a list of indices names.
template <class A, class At>
    requires OneOfOurs<A, At>
constexpr auto index_select(const A& a, int dim, const At& at) {
    return detail::whole(op::IndexSelect{{}, dim}, a, at);
}
/// result[i, j] = a[at[i, j], j] for dim 0, and so on.
template <class A, class At>
    requires OneOfOurs<A, At>
constexpr auto gather(const A& a, int dim, const At& at) {
    return detail::whole(op::Gather{{}, dim}, a, at);
}

/// One after the other along a dimension, `cat({a, b}, 1)`; parts of several types:
/// `cat(std::tuple(a, 2 * b), 1)`.
template <class Part>
    requires OneOfOurs<Part>
auto cat(std::initializer_list<Part> parts, int dim = 0) {
    return detail::whole_of_many(op::Cat{{}, dim}, std::span(parts.begin(), parts.size()));
}
template <class Part>
    requires OneOfOurs<Part>
auto cat(const std::vector<Part>& parts, int dim = 0) {
    return detail::whole_of_many(op::Cat{{}, dim}, std::span(parts));
}
template <class... Parts>
constexpr auto cat(const std::tuple<Parts...>& parts, int dim = 0) {
    return std::apply([&](const auto&... part) { return detail::whole_of(op::Cat{{}, dim}, part...); },
                      parts);
}
/// The same along a new dimension.
template <class Part>
    requires OneOfOurs<Part>
auto stack(std::initializer_list<Part> parts, int dim = 0) {
    return detail::whole_of_many(op::Stack{{}, dim}, std::span(parts.begin(), parts.size()));
}
template <class Part>
    requires OneOfOurs<Part>
auto stack(const std::vector<Part>& parts, int dim = 0) {
    return detail::whole_of_many(op::Stack{{}, dim}, std::span(parts));
}
template <class... Parts>
constexpr auto stack(const std::tuple<Parts...>& parts, int dim = 0) {
    return std::apply([&](const auto&... part) { return detail::whole_of(op::Stack{{}, dim}, part...); },
                      parts);
}

namespace detail {
template <class At>
consteval bool is_condition() {
    if constexpr (OneOfOurs<At>)
        return Operand<At>::judgement.type.dtype == DType::boolean;
    else
        return false;
}
}  // namespace detail

/// What `x[…]` and `x(…)` make: numbers, `all`, `newaxis` and slices select; a bool tensor is a condition;
/// others are advanced indices.
template <class A>
constexpr auto subscript(const A& a, std::initializer_list<Selector> indices) {
    return detail::whole(op::Subscript{{}, indices}, a);
}
template <class A, class... At>
constexpr auto subscript(const A& a, const At&... at) {
    if constexpr ((std::convertible_to<At, Selector> && ...))
        return detail::whole(op::Subscript{{}, {Selector(at)...}}, a);
    else if constexpr (sizeof...(At) == 1 && (detail::is_condition<At>() && ...))
        return detail::whole(op::IndexBool{}, a, at...);
    else
        return detail::whole_of(op::IndexBy{}, a, at...);
}

}  // namespace frisket
