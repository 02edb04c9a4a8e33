// SPDX-License-Identifier: MIT
// Declares operations on masks, and casts.
#pragma once
#include "../tensor_ops.hpp"

#include <type_traits>

/// Masks of expressions, how they meet, and the elements in another dtype.
namespace frisket {

namespace op {

struct MaskOf : TensorOp<MaskOf> {
    static constexpr TensorOpInfo info{
        .name = "mask_of", .type = WholeType::boolean, .mask = TensorOpInfo::Mask::none};
    ir::Value lower(ir::Value x) const { return ir::mask_of(x); }
};
struct ValuesOf : TensorOp<ValuesOf> {
    static constexpr TensorOpInfo info{.name = "values_of", .mask = TensorOpInfo::Mask::none};
    ir::Value lower(ir::Value x) const { return ir::bare(x); }
};
struct MaskedBy : TensorOp<MaskedBy> {
    static constexpr TensorOpInfo info{
        .name = "masked", .others = WholeOthers::mask, .mask = TensorOpInfo::Mask::own};
    ir::Value lower(ir::Value x, ir::Value mask) const { return ir::restrict(x, mask); }
};

template <class T>
struct Cast : TensorOp<Cast<T>> {
    static constexpr TensorOpInfo info{.name = "cast"};
    using Element = T;
    static constexpr ExprType check(std::initializer_list<ExprType> operands) {
        ExprType result = type_rules::check_whole(info, operands);
        if (result.category < ExprCategory::open) result.type = {.dtype = compute_dtype(dtype_of<T>)};
        return result;
    }
    ir::Value lower(ir::Value x) const { return ir::cast(x, dtype_of<T>); }
};

/// The operation Op of the table where both operands are specified, or where either is.
template <class Op, MaskMode Mode>
struct Meet : TensorOp<Meet<Op, Mode>> {
    using Operation = Op;
    static constexpr TensorOpInfo info{.name = Mode == MaskMode::unite ? "unite" : "intersect"};
    static constexpr ExprType check(std::initializer_list<ExprType> operands) {
        ExprType result = type_rules::check_op<Op>(operands);
        result.has_structure = true;
        result.mask = {};
        if (result.fault != DiagnosticId::none || Mode != MaskMode::unite || Op::info.unites) return result;
        return type_rules::refused(result, DiagnosticId::no_identity);
    }
    ir::Value lower(ir::Value a, ir::Value b) const { return ir::apply<Op>({a, b}, Mode); }
};

}  // namespace op

/// The mask of an expression: a dense bool, true where it is specified.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::MaskOf, A> mask_of(const A& a) {
    return detail::whole(op::MaskOf{}, a);
}
/// The values without their mask; unspecified elements may hold anything.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::ValuesOf, A> values_of(const A& a) {
    return detail::whole(op::ValuesOf{}, a);
}
/// `a` specified where a bool predicate of it, or of anything else, is true: `masked(x, !is_nan(x))`.
/// Errors: ShapeError if the predicate does not broadcast to a.
template <class A, class Predicate>
    requires AnyOperand<A, Predicate>
constexpr detail::WholeNodeOf<op::MaskedBy, A, Predicate> masked(const A& a, const Predicate& predicate) {
    return detail::whole(op::MaskedBy{}, a, predicate);
}
namespace detail {
template <class T, class A>
consteval auto cast_of() {
    if constexpr (requires { DTypeOf<T>::value; })
        return std::type_identity<WholeNodeOf<op::Cast<T>, A>>{};
    else
        return std::type_identity<Refused<DiagnosticId::cast_type, T>>{};
}
template <class T, class A>
using CastOf = typename decltype(cast_of<T, A>())::type;
}  // namespace detail

/// The elements as T; floats are cut to integers, bool is whether they differ from 0.
/// Storage dtypes (float16, bfloat16, std::uint8_t) are the result of `eval`; expressions continue with
/// widened elements.
template <class T, class A>
    requires AnyOperand<A>
constexpr detail::CastOf<T, A> cast(const A& a) {
    if constexpr (is_refused<detail::CastOf<T, A>>)
        return ErrorExpr{};
    else
        return detail::whole(op::Cast<T>{}, a);
}

namespace detail {
/// One operation of the table with two operands.
template <class E>
concept Elementwise2 = requires(const E& e) {
    E::Operation::info;
    e.b;
} && !requires(const E& e) { e.c; };

template <MaskMode Mode, class E>
consteval auto meet_of() {
    if constexpr (is_refused<E>)
        return std::type_identity<E>{};
    else if constexpr (Elementwise2<E>)
        return std::type_identity<
            WholeNodeOf<op::Meet<typename E::Operation, Mode>, decltype(E::a), decltype(E::b)>>{};
    else
        return std::type_identity<Refused<DiagnosticId::meeting_of_other, E>>{};
}
template <MaskMode Mode, class E>
using MeetOf = typename decltype(meet_of<Mode, E>())::type;

template <MaskMode Mode, class E>
constexpr auto meet(const E& e) {
    if constexpr (Elementwise2<E>)
        return whole(op::Meet<typename E::Operation, Mode>{}, e.a, e.b);
    else
        return ErrorExpr{};
}
}  // namespace detail

/// `intersect(a * b)`: the operation where both sides are specified, which need not be the same elements.
template <class E>
    requires AnyOperand<E>
constexpr detail::MeetOf<MaskMode::intersection, E> intersect(const E& e) {
    return detail::meet<MaskMode::intersection>(e);
}
/// `unite(a + b)`: where either side is; an element specified on one side only passes through.
template <class E>
    requires AnyOperand<E>
constexpr detail::MeetOf<MaskMode::unite, E> unite(const E& e) {
    return detail::meet<MaskMode::unite>(e);
}

}  // namespace frisket
