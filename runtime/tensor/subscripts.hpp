// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace frisket {

class IndexSpec;  // dsl/index_spec.hpp

/// A symbol, or a node over symbols or tensors (dsl/), which eval(...) makes a tensor of.
template <class E>
concept Expression = requires { E::expr_type; };

/// The result of `tensor = symbol`, which says what to write instead: dsl/diagnose.hpp.
template <class Symbol>
struct ReversedBinding;

/// Selections as NumPy writes them, `x[0]`, `x[{0, all}]`, `x[condition]`, `x(slice(0, 10, 2), 3)`:
/// expressions, which dsl/tensor_ops/indexing.hpp makes; a program that uses them includes it.
template <class Self>
struct Subscripts {
    /// Selection along the first dimension, or by a condition.
    template <class At>
    constexpr auto operator[](const At& at) const -> decltype(subscript_of(std::declval<const Self&>(), at)) {
        return subscript(static_cast<const Self&>(*this), at);
    }
    /// Selection by one index for each leading dimension.
    template <class I = IndexSpec>
    constexpr auto operator[](std::initializer_list<std::type_identity_t<I>> indices) const {
        return subscript(static_cast<const Self&>(*this), indices);
    }
    /// Selection by one index for each leading dimension, or by tensors of indices.
    template <class... At>
    constexpr auto operator()(const At&... at) const
        -> decltype(subscript_of(std::declval<const Self&>(), at...)) {
        return subscript(static_cast<const Self&>(*this), at...);
    }
    /// An argument of std::sqrt, or the value of a number.  Says what to write instead.
    constexpr operator double() const {
        static_assert(
            !sizeof(Self),
            "frisket: this is no number: write sqrt(x) for std::sqrt(x), eval(x).item() for its value");
        return 0;
    }
    /// The condition of an if, a while or a `?:`.  Says what to write instead.
    explicit constexpr operator bool() const {
        static_assert(
            !sizeof(Self),
            "frisket: tensors are no condition: write same(p, q), eval(all(x)).item(), where(c, a, b)");
        return false;
    }
};

}  // namespace frisket
