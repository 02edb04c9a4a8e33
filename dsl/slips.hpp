// SPDX-License-Identifier: MIT
#pragma once
#include "concepts.hpp"
#include "diagnose.hpp"
#include "dims.hpp"

#include <ios>
#include <type_traits>

/// Calls that lack an operand, and printing: refused with a sentence that says what to write.
namespace frisket {

/// Refused for one operand: the smallest element is amin's.
template <class A>
    requires OneOfOurs<A>
constexpr ErrorExpr min(const A& /*a*/, const Dims& /*dims*/ = {}, Keep /*keep*/ = {}) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: min(a, b) is the smaller of two: write amin(x, dims) for the smallest element");
    return {};
}
/// Refused for one operand: the largest element is amax's.
template <class A>
    requires OneOfOurs<A>
constexpr ErrorExpr max(const A& /*a*/, const Dims& /*dims*/ = {}, Keep /*keep*/ = {}) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: max(a, b) is the larger of two: write amax(x, dims) for the largest element");
    return {};
}
/// Refused for one value.
template <class Condition, class A>
    requires OneOfOurs<Condition, A>
constexpr ErrorExpr where(const Condition& /*condition*/, const A& /*a*/) {
    static_assert(diagnose::is_quiet<Condition>,
                  "frisket: where(condition, a, b) takes two values: write where(condition, a, 0)");
    return {};
}
/// Refused for one bound.
template <class A, class Low>
    requires OneOfOurs<A, Low>
constexpr ErrorExpr clamp(const A& /*a*/, const Low& /*low*/) {
    static_assert(diagnose::is_quiet<A>, "frisket: clamp(x, low, high) takes two bounds: write max(x, low)");
    return {};
}
/// Refused for a stream: an expression has no elements yet.
template <class Stream, Expression E>
    requires std::is_base_of_v<std::ios_base, Stream>
Stream& operator<<(Stream& out, const E& /*expression*/) {
    static_assert(diagnose::is_quiet<E>,
                  "frisket: an expression has no elements to print yet: write eval(x)");
    return out;
}
/// Refused for no fill.
template <class A>
    requires OneOfOurs<A>
constexpr ErrorExpr to_dense(const A& /*value*/) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: to_dense(x, fill) takes the value of unspecified elements: write to_dense(x, 0)");
    return {};
}
/// Refused for no dimension.
template <class A>
    requires OneOfOurs<A>
constexpr ErrorExpr softmax(const A& /*a*/) {
    static_assert(diagnose::is_quiet<A>,
                  "frisket: softmax(x, dim) goes along a dimension: write softmax(x, -1)");
    return {};
}

}  // namespace frisket
