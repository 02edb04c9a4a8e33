// SPDX-License-Identifier: MIT
#pragma once
#include "../ir/promotion.hpp"
#include "../runtime/tensor/masked_tensor.hpp"

#include <concepts>
#include <type_traits>

/// What stands on either side of an operator.
namespace frisket {

template <class T>
concept NamedSymbol = requires { T::symbol_kind; };

template <class T>
concept DenseTensor = std::is_base_of_v<AnyTensor, T>;
template <class T>
concept SomeTensor = DenseTensor<T> || std::is_base_of_v<AnyMasked, T>;

/// A tensor whose elements have a type.
template <class T>
concept TypedTensor = SomeTensor<T> && requires { typename T::Element; };

template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
/// What may be a constant of an expression, or bound to a Scalar.
template <class T>
concept Number = std::is_arithmetic_v<T> && !Character<T> && !std::same_as<T, bool>;

/// An expression over tensors, which no update writes.
template <class A>
concept ReadOnly = Expression<A> && A::expr_type.has_tensors;
/// A tensor, or an expression over tensors: operators update neither.
template <class A>
concept NeverUpdated = SomeTensor<A> || ReadOnly<A>;
/// An expression over symbols that is none itself: a step updates symbols.
template <class A>
concept PartOfSymbol = Expression<A> && !NamedSymbol<A> && !A::expr_type.has_tensors;

/// The operators are for operands of which one is ours; what is wrong with another is said in a sentence.
template <class A, class B = void, class C = void>
concept OneOfOurs =
    Expression<A> || Expression<B> || Expression<C> || SomeTensor<A> || SomeTensor<B> || SomeTensor<C>;

}  // namespace frisket
