// SPDX-License-Identifier: MIT
// Computes the types of the values of expressions.
#pragma once
#include "../ir/interpreter/interpret.hpp"
#include "../runtime/tensor/masked_tensor.hpp"
#include "describe.hpp"

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Types of the values of expressions.
namespace frisket::detail {

/// The value of a dense expression, in memory of its own, row-major: it may be a view of a tensor of the
/// user's.
AnyTensor dense_value(Result&& result);
/// The value of a masked expression in this layout, or else lists as they are, the rest in memory of its own.
/// Errors: LayoutError if the layout cannot hold it.
AnyMasked masked_value(Result&& result, std::optional<Layout> layout = {});

template <DType Type>
struct ElementOf;
template <> struct ElementOf<DType::boolean> { using Type = bool; };
template <> struct ElementOf<DType::int32> { using Type = std::int32_t; };
template <> struct ElementOf<DType::int64> { using Type = std::int64_t; };
template <> struct ElementOf<DType::float32> { using Type = float; };
template <> struct ElementOf<DType::float64> { using Type = double; };

/// The elements of an expression's result: as they are computed, or as a cast at the end stores
/// them.
template <class E>
struct ElementOfExpression {
    using Type = typename ElementOf<strong(E::expr_type.type).dtype>::Type;
};
template <class E>
    requires requires { typename E::WholeOperation::Element; }
struct ElementOfExpression<E> {
    using Type = typename E::WholeOperation::Element;
};

/// Result of an expression: a Tensor, or a MaskedTensor if its type is masked.
template <class E>
struct Evaluation {
    static constexpr ExprType expr_type = E::expr_type;
    static constexpr bool is_masked = expr_type.category == ExprCategory::masked;
    using Element = typename ElementOfExpression<E>::Type;
    using Type = std::conditional_t<is_masked, MaskedTensor<Element>, Tensor<Element>>;

    static Type typed(Result&& result, [[maybe_unused]] std::optional<Layout> layout = {}) {
        if constexpr (is_masked)
            return Type(masked_value(std::move(result), layout));
        else
            return Type(dense_value(std::move(result)));
    }
};

/// An instruction, or its cast to elements of this dtype.
ir::Value with_elements(GraphEmitter& lowering, NodeId made, DType wanted);

/// The instruction of an expression, of the elements that its type says.
template <class E>
ir::Value lowered(GraphEmitter& lowering, const E& expression) {
    constexpr DType wanted = dtype_of<typename Evaluation<Operand<E>>::Element>;
    if constexpr (SomeExpression<E>)
        return with_elements(lowering, emit(lowering, expression), wanted);
    else
        return with_elements(lowering, emit(lowering, operand(expression)), wanted);
}

template <class E>
consteval auto evaluated() {
    if constexpr (is_refused<E>)
        return std::type_identity<E>{};
    else if constexpr (Operand<E>::expr_type.has_symbols)
        return std::type_identity<Refused<DiagnosticId::eval_of_symbols, E>>{};
    else
        return std::type_identity<typename Evaluation<Operand<E>>::Type>{};
}
template <class E>
using EvaluatedOne = typename decltype(evaluated<E>())::type;

template <class T>
inline constexpr bool is_evaluated = AnyOperand<T> || SomeStep<T>;

template <class E>
consteval auto evaluated_parts() {
    if constexpr (is_refused<EvaluatedOne<E>>)
        return std::type_identity<EvaluatedOne<E>>{};
    else
        return std::type_identity<std::vector<EvaluatedOne<E>>>{};
}
template <class E>
using EvaluatedParts = typename decltype(evaluated_parts<E>())::type;

/// The value of an expression, or the values of a list of expressions.
template <class E>
struct EvaluatedOf {
    using Type = EvaluatedOne<E>;
};
template <class E>
struct EvaluatedOf<std::vector<E>> {
    using Type = EvaluatedParts<E>;
};
template <class E>
using Evaluated = typename EvaluatedOf<E>::Type;
/// True for an expression with a mask, and of a list of such expressions.
template <class E>
inline constexpr bool is_masked = Evaluation<Operand<E>>::is_masked;
template <class E>
inline constexpr bool is_masked<std::vector<E>> = is_masked<E>;

template <class T>
inline constexpr bool is_list = false;
template <class E>
inline constexpr bool is_list<std::vector<E>> = AnyOperand<E>;
template <class T>
concept OursOrList = AnyOperand<T> || is_list<T>;

/// A tuple of values, or the first that is refused.
template <class... Values>
struct TupleOf {
    using Type = std::tuple<Values...>;
};
template <class First, class... Rest>
    requires is_refused<First>
struct TupleOf<First, Rest...> {
    using Type = First;
};
template <class First, class... Rest>
    requires(!is_refused<First> && (is_refused<Rest> || ...))
struct TupleOf<First, Rest...> : TupleOf<Rest...> {};
/// The values of a tuple of expressions.
template <class Expressions>
struct EvaluatedTupleOf;
template <class... E>
struct EvaluatedTupleOf<std::tuple<E...>> : TupleOf<Evaluated<E>...> {};
template <class Expressions>
using EvaluatedTuple = typename EvaluatedTupleOf<Expressions>::Type;

}  // namespace frisket::detail
