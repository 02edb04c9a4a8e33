// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace frisket {

class IndexSpec;  // dsl/tensor_ops/indexing.hpp

/// A symbol, or a node over symbols or tensors (dsl/), which eval(...) makes a tensor of.
template <class E>
concept SomeExpression = requires { E::expr_type; };

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

/// Extents of a tensor, outermost first; empty for a 0-d tensor of one element.
using Shape = std::vector<std::int64_t>;
/// Distance between neighbours along each dimension, in elements; may be 0 or negative.
using Strides = std::vector<std::int64_t>;

/// Number of elements: the product of the extents, 1 for a 0-d shape.
/// Errors: ShapeError if an extent is negative or the product does not fit 63 bits.
std::int64_t element_count(std::span<const std::int64_t> shape);

/// Strides of a row-major tensor without gaps.
Strides contiguous_strides(std::span<const std::int64_t> shape);

/// True if elements lie row-major without gaps; dimensions of extent 1 and empty tensors do not matter.
bool is_contiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

/// True if `from` broadcasts to `to` as in NumPy: aligned at the right, equal or 1.
bool broadcasts_to(std::span<const std::int64_t> from, std::span<const std::int64_t> to);

/// The common shape of two operands as in NumPy.
/// Errors: ShapeError naming both shapes.
Shape broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Strides that make a tensor of shape `from` look like one of shape `to`: 0 where it is repeated.
/// Shape: `from` broadcasts to `to` (not checked).
Strides broadcast_strides(std::span<const std::int64_t> from, std::span<const std::int64_t> strides,
                          std::span<const std::int64_t> to);

/// "[2, 4]"
std::string to_string(std::span<const std::int64_t> shape);

/// The multi-index of a row-major position: `position` of shape [2, 4] = 6 gives [1, 2].
Shape unravel(std::int64_t position, std::span<const std::int64_t> shape);

}  // namespace frisket
