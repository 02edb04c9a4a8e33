// SPDX-License-Identifier: MIT
#pragma once
#include "../whole.hpp"

#include <type_traits>

/// Masks of expressions, how they meet, and the elements in another dtype.
namespace frisket {

namespace op {

struct MaskOf : WholeOp<MaskOf> {
    static constexpr WholeInfo info{
        .name = "mask_of", .type = WholeType::boolean, .mask = WholeInfo::Mask::none};
    build::Expr lower(build::Expr x) const { return build::mask_of(x); }
};
struct ValuesOf : WholeOp<ValuesOf> {
    static constexpr WholeInfo info{.name = "values_of", .mask = WholeInfo::Mask::none};
    build::Expr lower(build::Expr x) const { return build::bare(x); }
};
struct MaskedBy : WholeOp<MaskedBy> {
    static constexpr WholeInfo info{
        .name = "masked", .others = WholeOthers::mask, .mask = WholeInfo::Mask::own};
    build::Expr lower(build::Expr x, build::Expr mask) const { return build::restrict(x, mask); }
};

template <class T>
struct Cast {
    static constexpr WholeInfo info{.name = "cast"};
    using Element = T;
    static constexpr Judgement judge(std::initializer_list<Judgement> operands) {
        Judgement result = rules::judge_whole(info, operands);
        if (result.standing < Standing::open) result.type = {.dtype = compute_dtype(dtype_of<T>)};
        return result;
    }
    build::Expr lower(build::Expr x) const { return build::cast(x, dtype_of<T>); }
};

/// The operation Op of the table where both operands are specified, or where either is.
template <class Op, MaskMode Mode>
struct Meet {
    static constexpr WholeInfo info{.name = Mode == MaskMode::unite ? "unite" : "intersect"};
    static constexpr Judgement judge(std::initializer_list<Judgement> operands) {
        Judgement result = rules::judge_op<Op>(operands);
        result.has_structure = true;
        result.mask = {};
        if (result.fault != Fault::none || Mode != MaskMode::unite || Op::info.unites) return result;
        return rules::refused(result, Fault::no_identity);
    }
    build::Expr lower(build::Expr a, build::Expr b) const { return build::apply<Op>({a, b}, Mode); }
};

}  // namespace op

/// Which elements are specified: a dense bool.
template <class A>
    requires OneOfOurs<A>
constexpr auto mask_of(const A& a) {
    return detail::whole(op::MaskOf{}, a);
}
/// The values without their mask; what is not specified may hold anything.
template <class A>
    requires OneOfOurs<A>
constexpr auto values_of(const A& a) {
    return detail::whole(op::ValuesOf{}, a);
}
/// `a` specified where a bool predicate of it, or of anything else, is true: `masked(x, !is_nan(x))`.
/// Errors: ShapeError if the predicate does not broadcast to a.
template <class A, class Predicate>
    requires OneOfOurs<A, Predicate>
constexpr auto masked(const A& a, const Predicate& predicate) {
    return detail::whole(op::MaskedBy{}, a, predicate);
}
/// The elements as T; floats are cut to whole numbers, bool is whether they differ from 0.
/// What is for storage (float16, bfloat16, std::uint8_t) is what `eval` gives; expressions go on with it
/// widened.
template <class T, class A>
    requires OneOfOurs<A>
constexpr auto cast(const A& a) {
    static_assert(
        requires { detail::DTypeOf<T>::value; },
        "frisket: elements are float, double, bool, std::int32_t or std::int64_t; stored also as "
        "float16, bfloat16 or std::uint8_t");
    return detail::whole(op::Cast<T>{}, a);
}

namespace detail {
template <MaskMode Mode, class E>
constexpr auto meet(const E& e) {
    if constexpr (std::is_same_v<E, Broken>) {
        return Broken{};
    } else if constexpr (
        requires {
            E::Operation::info;
            e.b;
        } && !requires { e.c; }) {
        return whole(op::Meet<typename E::Operation, Mode>{}, e.a, e.b);
    } else {
        refuse<Fault::meeting_of_other, E>();
        return Broken{};
    }
}
}  // namespace detail

/// `intersect(a * b)`: the operation where both sides are specified, which need not be the same elements.
template <class E>
    requires OneOfOurs<E>
constexpr auto intersect(const E& e) {
    return detail::meet<MaskMode::intersection>(e);
}
/// `unite(a + b)`: where either side is; one that is alone passes through.
template <class E>
    requires OneOfOurs<E>
constexpr auto unite(const E& e) {
    return detail::meet<MaskMode::unite>(e);
}

}  // namespace frisket
