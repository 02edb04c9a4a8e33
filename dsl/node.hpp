// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/error.hpp"
#include "../runtime/subscripts.hpp"
#include "concepts.hpp"
#include "diagnose.hpp"
#include "leaf.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

/// Nodes of an expression: aggregates that hold their operands by value.  Symbols are the leaves.
namespace frisket {

class StepJudge;

/// A number of the source; weak: double or int64.
template <class T>
struct Constant {
    static constexpr int leaves = 0;
    static constexpr Judgement judgement{.type = {.dtype = dtype_of<T>, .weak = true}, .is_constant = true};
    static constexpr Judgement judge(StepJudge& /*step*/) { return judgement; }
    T value;
};

/// What stands for an operand that was refused, so that one mistake gives one error.
struct Broken {
    static constexpr int leaves = 0;
    static constexpr Judgement judgement{.standing = Standing::broken};
    static constexpr Judgement judge(StepJudge& /*step*/) { return judgement; }
};

template <class Op, class A>
struct Unary : Subscripts<Unary<Op, A>> {
    using Operation = Op;
    static constexpr int leaves = A::leaves;
    static constexpr Judgement judgement = rules::judge_op<Op>({A::judgement});
    static constexpr Judgement judge(StepJudge& step) { return rules::judge_op<Op>({A::judge(step)}); }
    [[no_unique_address]] A a;
};

template <class Op, class A, class B>
struct Binary : Subscripts<Binary<Op, A, B>> {
    using Operation = Op;
    static constexpr int leaves = A::leaves + B::leaves;
    static constexpr Judgement judgement = rules::judge_op<Op>({A::judgement, B::judgement});
    static constexpr Judgement judge(StepJudge& step) {
        return rules::judge_op<Op>({A::judge(step), B::judge(step)});
    }
    [[no_unique_address]] A a;
    [[no_unique_address]] B b;
};

template <class Op, class A, class B, class C>
struct Ternary : Subscripts<Ternary<Op, A, B, C>> {
    using Operation = Op;
    static constexpr int leaves = A::leaves + B::leaves + C::leaves;
    static constexpr Judgement judgement = rules::judge_op<Op>({A::judgement, B::judgement, C::judgement});
    static constexpr Judgement judge(StepJudge& step) {
        return rules::judge_op<Op>({A::judge(step), B::judge(step), C::judge(step)});
    }
    [[no_unique_address]] A a;
    [[no_unique_address]] B b;
    [[no_unique_address]] C c;
};

namespace detail {

/// What is wrong with an operand that is no expression.
template <class T>
consteval Fault operand_fault() {
    if (std::is_same_v<T, bool>) return Fault::bool_constant;
    if (Character<T>) return Fault::char_constant;
    return SomeTensor<T> ? Fault::untyped_tensor : Fault::other_operand;
}

/// An expression as it is, a tensor as a leaf, a number as a constant.
template <class T>
constexpr auto operand(const T& value) {
    if constexpr (Expression<T>) {
        return value;
    } else if constexpr (TypedTensor<T>) {
        return Leaf<T>{value};
    } else if constexpr (!Number<T>) {
        refuse<operand_fault<T>(), T>();
        return Broken{};
    } else if constexpr (std::is_floating_point_v<T>) {
        return Constant<double>{static_cast<double>(value)};
    } else {
        if (!std::in_range<std::int64_t>(value))
            throw ValueError("a constant of 2^63 or more: write it as a double");
        return Constant<std::int64_t>{static_cast<std::int64_t>(value)};
    }
}

/// The node, or Broken after saying why not.
template <class Made>
constexpr auto checked(const Made& node) {
    if constexpr (Made::judgement.standing != Standing::broken) {
        return node;
    } else {
        if constexpr (Made::judgement.fault != Fault::none) refuse<Made::judgement.fault, Made>();
        return Broken{};
    }
}

template <class Op, class A>
constexpr auto unary(const A& a) {
    const auto x = operand(a);
    return checked(Unary<Op, std::remove_const_t<decltype(x)>>{{}, x});
}
template <class Op, class A, class B>
constexpr auto binary(const A& a, const B& b) {
    const auto x = operand(a);
    const auto y = operand(b);
    return checked(Binary<Op, std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>>{{}, x, y});
}
template <class Op, class A, class B, class C>
constexpr auto ternary(const A& a, const B& b, const C& c) {
    const auto x = operand(a);
    const auto y = operand(b);
    const auto z = operand(c);
    return checked(Ternary<Op, std::remove_const_t<decltype(x)>, std::remove_const_t<decltype(y)>,
                           std::remove_const_t<decltype(z)>>{{}, x, y, z});
}

}  // namespace detail

}  // namespace frisket
