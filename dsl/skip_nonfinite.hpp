// SPDX-License-Identifier: MIT
#pragma once
#include "statement.hpp"
#include "tensor_ops.hpp"

#include <array>
#include <string_view>
#include <type_traits>

/// Steps that change nothing if a gradient is not finite.
namespace frisket {

namespace type_rules {

/// The type of the operand of skip_nonfinite, or its fault.
constexpr ExprType check_skipped(const ExprType& value) {
    return check_whole({.name = "skip_nonfinite", .type = WholeType::floats}, {value});
}

}  // namespace type_rules

/// Statement: the step changes nothing if a specified element of the value is infinite or NaN.
template <class Value>
struct [[nodiscard("skip_nonfinite(e) does nothing until it is part of a step")]] SkipNonfinite {
    static constexpr bool is_statement = true;
    static constexpr int leaves = Value::leaves;
    static constexpr std::array<std::string_view, 0> targets{};
    /// Type-checks the statement.
    static constexpr void check(StepChecker& step) {
        step.skip(type_rules::check_skipped(Value::check(step)));
    }
    [[no_unique_address]] Value value;
};

namespace detail {

/// Fault of skip_nonfinite(value).
template <class Value>
consteval DiagnosticId skip_fault() {
    if constexpr (operand_fault<Value>() != DiagnosticId::none) {
        return operand_fault<Value>();
    } else {
        constexpr ExprType expr_type = Operand<Value>::expr_type;
        if (expr_type.has_tensors) return DiagnosticId::tensor_operand;
        if (expr_type.needs_eval) return DiagnosticId::needs_eval;
        return type_rules::check_skipped(expr_type).fault;
    }
}

template <class Value>
consteval auto skip_of() {
    constexpr DiagnosticId fault = skip_fault<Value>();
    if constexpr (fault == DiagnosticId::already_reported)
        return std::type_identity<ErrorExpr>{};
    else if constexpr (fault != DiagnosticId::none)
        return std::type_identity<Refused<fault, Value>>{};
    else
        return std::type_identity<SkipNonfinite<Operand<Value>>>{};
}
template <class Value>
using SkipOf = typename decltype(skip_of<Value>())::type;

}  // namespace detail

/// Statement of a step: if a specified element of `e` is infinite or NaN, the call changes no tensor and no
/// ScalarState.  A step may have several; each reads symbols as they are at its position.  A counter,
/// `steps += 1` of a ScalarState, tells the caller whether the step was done.
/// Cost: one pass before the step, over the values of a list, or over all elements of other layouts.
/// Errors: told by the compiler.
template <class E>
constexpr detail::SkipOf<E> skip_nonfinite(const E& e) {
    if constexpr (is_refused<detail::SkipOf<E>>)
        return ErrorExpr{};
    else
        return {detail::operand(e)};
}

}  // namespace frisket
