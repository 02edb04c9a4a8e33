// SPDX-License-Identifier: MIT
// Declares subscripts: numbers, slices, new dimensions and tensors of indices.
#pragma once
#include "../dims.hpp"
#include "reductions.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace frisket {

struct All;
struct NewAxis {};
/// A new dimension of extent 1, as an index.
inline constexpr NewAxis newaxis{};

/// One index of a selection: a number, `all`, `newaxis`, or `slice(start, end, step)`.
class IndexSpec {
public:
    /// Kinds of index.
    enum class Kind : std::uint8_t { select, slice, newaxis };

    /// One element; the dimension goes.
    template <class T>
        requires detail::WholeNumber<T>
    constexpr IndexSpec(T at) : kind(Kind::select), start(at) {}
    /// A whole dimension.
    constexpr IndexSpec(const All& /*all*/) {}
    /// A new dimension of extent 1.
    constexpr IndexSpec(NewAxis /*newaxis*/) : kind(Kind::newaxis) {}
    /// Elements first, first + by, … below last.
    constexpr IndexSpec(std::optional<std::int64_t> first, std::optional<std::int64_t> last, std::int64_t by)
        : start(first), end(last), step(by) {}
    /// A whole dimension, as the elements of a new array of indices are.
    constexpr IndexSpec() = default;

    Kind kind = Kind::slice;
    std::optional<std::int64_t> start{};
    std::optional<std::int64_t> end{};
    std::int64_t step = 1;
};

/// Python's start:end:step; std::nullopt for an open bound.
constexpr IndexSpec slice(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                          std::int64_t step = 1) {
    return {start, end, step};
}

}  // namespace frisket

/// Indexing and joining.  Errors, when the expression is evaluated: DimError, ShapeError, IndexError.
namespace frisket {

namespace op {

struct Subscript : TensorOp<Subscript, 1> {
    static constexpr TensorOpInfo info{.name = "subscript"};
    ir::Value lower(ir::Value x) const;
    InlineVector<IndexSpec> indices = {};
};
struct IndexBool : TensorOp<IndexBool> {
    static constexpr TensorOpInfo info{.name = "index_bool",
                                       .others = WholeOthers::mask,
                                       .mask = TensorOpInfo::Mask::first,
                                       .needs_eval = true};
    ir::Value lower(GraphEmitter& lowering, ir::Value x, ir::Value condition) const {
        return lowering.index_bool(x, condition);
    }
};
struct IndexBy : TensorOp<IndexBy> {
    static constexpr TensorOpInfo info{.name = "index", .others = WholeOthers::indices};
    ir::Value lower(const std::vector<ir::Value>& parts) const {
        return ir::index(parts.front(), {parts.begin() + 1, parts.end()});
    }
};
struct IndexSelect : TensorOp<IndexSelect, 1> {
    static constexpr TensorOpInfo info{.name = "index_select", .others = WholeOthers::indices};
    ir::Value lower(ir::Value x, ir::Value index) const { return ir::index_select(x, dim, index); }
    int dim = 0;
};
struct Gather : TensorOp<Gather, 1> {
    static constexpr TensorOpInfo info{.name = "gather", .others = WholeOthers::indices};
    ir::Value lower(ir::Value x, ir::Value index) const { return ir::gather(x, dim, index); }
    int dim = 0;
};
struct Cat : TensorOp<Cat, 1> {
    static constexpr TensorOpInfo info{.name = "cat", .type = WholeType::common};
    ir::Value lower(const std::vector<ir::Value>& parts) const { return ir::cat(parts, dim); }
    int dim = 0;
};
struct Stack : TensorOp<Stack, 1> {
    static constexpr TensorOpInfo info{.name = "stack", .type = WholeType::common};
    ir::Value lower(const std::vector<ir::Value>& parts) const { return ir::stack(parts, dim); }
    int dim = 0;
};

}  // namespace op

/// Elements where a bool condition, which covers the leading dimensions, is true and specified: these
/// dimensions become one.
/// Errors: ShapeError if the condition does not have the leading extents.
template <class A, class Condition>
    requires AnyOperand<A, Condition>
constexpr detail::WholeNodeOf<op::IndexBool, A, Condition> index_bool(const A& a,
                                                                      const Condition& condition) {
    return detail::whole(op::IndexBool{}, a, condition);
}
/// NumPy's advanced indexing of the leading dimensions; negative indices count from the end.
/// Errors: IndexError if an index is out of range, or there are more of them than dimensions; ShapeError if
/// they do not broadcast.
template <class A, class... At>
    requires(AnyOperand<A> && sizeof...(At) > 0)
constexpr detail::WholePartsOf<op::IndexBy, A, At...> index(const A& a, const At&... at) {
    return detail::whole_of(op::IndexBy{}, a, at...);
}
/// The elements of a dimension that a list of indices names.
/// Errors: ShapeError if the list has more than one dimension; IndexError if an index is out of range.
template <class A, class At>
    requires AnyOperand<A, At>
constexpr detail::WholeNodeOf<op::IndexSelect, A, At> index_select(const A& a, int dim, const At& at) {
    return detail::whole(op::IndexSelect{{}, dim}, a, at);
}
/// result[i, j] = a[at[i, j], j] for dim 0, and so on.
/// Shape:  of `at`, which has the rank of `a` and no larger extent but along dim.
/// Errors: ShapeError if it has not; IndexError if an index is out of range.
template <class A, class At>
    requires AnyOperand<A, At>
constexpr detail::WholeNodeOf<op::Gather, A, At> gather(const A& a, int dim, const At& at) {
    return detail::whole(op::Gather{{}, dim}, a, at);
}

/// One after the other along a dimension, `cat({a, b}, 1)`; parts of several types:
/// `cat(std::tuple(a, 2 * b), 1)`.
/// Errors: ShapeError if extents differ along another dimension; ValueError if there is no part.
template <class Part>
    requires AnyOperand<Part>
detail::WholeListOf<op::Cat, Part> cat(std::initializer_list<Part> parts, int dim = 0) {
    return detail::whole_of_many(op::Cat{{}, dim}, std::span(parts.begin(), parts.size()));
}
/// Joins a vector of parts.  Errors: as above.
template <class Part>
    requires AnyOperand<Part>
detail::WholeListOf<op::Cat, Part> cat(const std::vector<Part>& parts, int dim = 0) {
    return detail::whole_of_many(op::Cat{{}, dim}, std::span(parts));
}
/// Joins parts of several types.  Errors: as above.
template <class First, class... More>
constexpr detail::WholePartsOf<op::Cat, First, More...> cat(const std::tuple<First, More...>& parts,
                                                            int dim = 0) {
    return std::apply([&](const auto&... part) { return detail::whole_of(op::Cat{{}, dim}, part...); },
                      parts);
}
/// Refused for a list in braces of several types: the sentence says what to write.
constexpr ErrorExpr cat(const MixedList& /*parts*/, int /*dim*/ = 0) { return {}; }
/// Joins parts along a new dimension.
/// Errors: ShapeError if shapes differ; ValueError if the list is empty.
template <class Part>
    requires AnyOperand<Part>
detail::WholeListOf<op::Stack, Part> stack(std::initializer_list<Part> parts, int dim = 0) {
    return detail::whole_of_many(op::Stack{{}, dim}, std::span(parts.begin(), parts.size()));
}
/// Joins a vector of parts along a new dimension.  Errors: as above.
template <class Part>
    requires AnyOperand<Part>
detail::WholeListOf<op::Stack, Part> stack(const std::vector<Part>& parts, int dim = 0) {
    return detail::whole_of_many(op::Stack{{}, dim}, std::span(parts));
}
/// Joins parts of several types along a new dimension.  Errors: as above.
template <class First, class... More>
constexpr detail::WholePartsOf<op::Stack, First, More...> stack(const std::tuple<First, More...>& parts,
                                                                int dim = 0) {
    return std::apply([&](const auto&... part) { return detail::whole_of(op::Stack{{}, dim}, part...); },
                      parts);
}
/// Refused as cat.
constexpr ErrorExpr stack(const MixedList& /*parts*/, int /*dim*/ = 0) { return {}; }

namespace detail {
template <class At>
consteval bool is_condition() {
    if constexpr (AnyOperand<At>)
        return Operand<At>::expr_type.type.dtype == DType::boolean;
    else
        return false;
}
}  // namespace detail

/// Makes the operation for `x[…]` and `x(…)`: numbers, `all`, `newaxis` and slices select; a bool tensor is a
/// condition; other tensors are advanced indices.
template <class A>
constexpr auto subscript(const A& a, std::initializer_list<IndexSpec> indices) {
    return detail::whole(op::Subscript{{}, indices}, a);
}
/// Selection by numbers, slices, tensors of indices or one condition.
template <class A, class... At>
constexpr auto subscript(const A& a, const At&... at) {
    if constexpr ((std::convertible_to<At, IndexSpec> && ...))
        return detail::whole(op::Subscript{{}, {IndexSpec(at)...}}, a);
    else if constexpr (sizeof...(At) == 1 && (detail::is_condition<At>() && ...))
        return detail::whole(op::IndexBool{}, a, at...);
    else
        return detail::whole_of(op::IndexBy{}, a, at...);
}

/// The type of a subscript, which says what is wrong with it.
template <class A, class... At>
consteval auto subscript_type() {
    if constexpr ((std::convertible_to<At, IndexSpec> && ...))
        return std::type_identity<detail::WholeNodeOf<op::Subscript, A>>{};
    else if constexpr (sizeof...(At) == 1 && (detail::is_condition<At>() && ...))
        return std::type_identity<detail::WholeNodeOf<op::IndexBool, A, At...>>{};
    else
        return std::type_identity<detail::WholePartsOf<op::IndexBy, A, At...>>{};
}
/// Result of a selection, by its type only: the result of x[at] and x(at...).
template <class A, class... At>
auto subscript_of(const A& a, const At&... at) -> typename decltype(subscript_type<A, At...>())::type;

}  // namespace frisket
