// SPDX-License-Identifier: MIT
#pragma once
#include "expr_type.hpp"
#include "node.hpp"
#include "step_checker.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

/// Results of `=` and its kin: statements of a step, and bindings of a call.
namespace frisket {

/// `target = value`, `target += value`, … of an InOut or ScalarState.
template <class Target, class Value>
struct [[nodiscard("an update does nothing until it is part of a step")]] Assignment {
    using Symbol = Target;
    static constexpr int leaves = Value::leaves + 1;
    static constexpr std::array<std::string_view, 1> targets{Target::name};
    static constexpr void check(StepChecker& step) { check(step, false); }
    static constexpr void check(StepChecker& step, bool everywhere) {
        step.meet(Target::name, Target::symbol_kind, Target::dtype);
        step.update(Target::name, Target::symbol_kind, Target::dtype, Value::check(step), everywhere);
    }
    [[no_unique_address]] Value value;
};

/// An update of all elements, said on purpose.
template <class Said>
struct [[nodiscard("an update does nothing until it is part of a step")]] Everywhere {
    static constexpr int leaves = Said::leaves;
    static constexpr auto targets = Said::targets;
    static constexpr void check(StepChecker& step) { Said::check(step, true); }
    [[no_unique_address]] Said update;
};

/// `let = value`.
template <class Target, class Value>
struct [[nodiscard("a definition does nothing until it is part of a step")]] Definition {
    using Symbol = Target;
    static constexpr int leaves = Value::leaves + 1;
    static constexpr std::array<std::string_view, 0> targets{};
    static constexpr void check(StepChecker& step) { step.define(Target::name, Value::check(step)); }
    [[no_unique_address]] Value value;
};

/// Every update of the step is restricted to what `Masked` specifies.
template <class Masked>
struct [[nodiscard("over(m) does nothing until it is part of a step")]] Over {
    static constexpr int leaves = 1;
    static constexpr std::array<std::string_view, 0> targets{};
    static constexpr void check(StepChecker& step) { step.over(Masked::check(step)); }
};

/// `symbol = tensor` or `scalar = number`: an argument of a call.  Refers to a tensor and to the number of a
/// ScalarState.
template <class Bound, class Value>
struct [[nodiscard("a binding does nothing until it is an argument of a call")]] Binding {
    using Symbol = Bound;
    Value value;
};

template <class T>
inline constexpr bool is_binding = false;
template <class Bound, class Value>
inline constexpr bool is_binding<Binding<Bound, Value>> = true;

template <class T>
inline constexpr bool is_tensor_update = false;
template <class Target, class Value>
inline constexpr bool is_tensor_update<Assignment<Target, Value>> = Target::symbol_kind == SymbolKind::in_out;

template <class T>
inline constexpr bool is_statement = false;
template <class Target, class Value>
inline constexpr bool is_statement<Assignment<Target, Value>> = true;
template <class Said>
inline constexpr bool is_statement<Everywhere<Said>> = true;
template <class Target, class Value>
inline constexpr bool is_statement<Definition<Target, Value>> = true;
template <class Masked>
inline constexpr bool is_statement<Over<Masked>> = true;

namespace detail {

/// Fault of the update `S = value`.
template <class S, class Value>
consteval DiagnosticId update_fault() {
    if (operand_fault<Value>() != DiagnosticId::none) return operand_fault<Value>();
    return rules::check_update(S::symbol_kind, S::dtype, Operand<Value>::expr_type);
}

/// Fault of binding a tensor to a symbol, or none.
template <class S, class T>
consteval DiagnosticId tensor_fault() {
    if (S::symbol_kind == SymbolKind::scalar || S::symbol_kind == SymbolKind::scalar_state)
        return DiagnosticId::bound_tensor;
    if (!DenseTensor<T> && S::symbol_kind != SymbolKind::masked) return DiagnosticId::bound_masked;
    return DiagnosticId::none;
}
template <class S, class T, template <class> class Typed>
consteval DiagnosticId element_fault(const Typed<T>* /*typed*/) {
    if (dtype_of<T> != S::dtype) return DiagnosticId::bound_type;
    return std::is_const_v<T> && S::symbol_kind == SymbolKind::in_out ? DiagnosticId::bound_read_only
                                                                      : DiagnosticId::none;
}
/// An untyped tensor is checked by the call.
template <class S>
consteval DiagnosticId element_fault(const void* /*untyped*/) {
    return DiagnosticId::none;
}

template <class S, class Value>
consteval DiagnosticId binding_fault() {
    if constexpr (Number<Value>) {
        const bool fits = S::dtype == DType::float64 || std::is_integral_v<Value>;
        return fits ? DiagnosticId::none : DiagnosticId::bound_float;
    } else {
        constexpr DiagnosticId fault = tensor_fault<S, Value>();
        return fault != DiagnosticId::none ? fault : element_fault<S>(static_cast<const Value*>(nullptr));
    }
}

template <class S, class Value>
consteval DiagnosticId definition_fault() {
    if (SomeTensor<Value>) return DiagnosticId::let_of_tensor;
    if (operand_fault<Value>() != DiagnosticId::none) return operand_fault<Value>();
    constexpr ExprType expr_type = Operand<Value>::expr_type;
    if (expr_type.has_tensors) return DiagnosticId::tensor_operand;
    return expr_type.needs_eval ? DiagnosticId::needs_eval : DiagnosticId::none;
}

/// Tells whether `S = value` is an argument of a call; Value is a reference for what can be changed.
template <class S, class Value>
consteval bool binds() {
    using Plain = std::remove_cvref_t<Value>;
    if (SomeTensor<Plain>) return true;
    return S::symbol_kind == SymbolKind::scalar && Number<Plain>;
}

/// Fault of `S = value`.
template <class S, class Value>
consteval DiagnosticId assign_fault() {
    using Plain = std::remove_cvref_t<Value>;
    if constexpr (S::symbol_kind == SymbolKind::let)
        return definition_fault<S, Plain>();
    else if constexpr (binds<S, Value>())
        return binding_fault<S, Plain>();
    else if constexpr (S::symbol_kind == SymbolKind::scalar_state && std::is_same_v<Value, double&>)
        return DiagnosticId::none;
    else
        return update_fault<S, Plain>();
}

/// The result of `S = value`, by the kind of S and the type of the value: an update, a definition, a binding.
template <class S, class Value>
consteval auto assigned() {
    using Plain = std::remove_cvref_t<Value>;
    constexpr DiagnosticId fault = assign_fault<S, Value>();
    if constexpr (fault == DiagnosticId::already_reported) {
        return std::type_identity<Plain>{};
    } else if constexpr (fault != DiagnosticId::none) {
        using At = std::conditional_t<fault == operand_fault<Plain>(), Plain, S>;
        return std::type_identity<Refused<fault, At>>{};
    } else if constexpr (S::symbol_kind == SymbolKind::let) {
        return std::type_identity<Definition<S, Operand<Plain>>>{};
    } else if constexpr (SomeTensor<Plain>) {
        using Untyped = std::conditional_t<DenseTensor<Plain>, AnyTensor, AnyMasked>;
        return std::type_identity<Binding<S, const Untyped*>>{};
    } else if constexpr (binds<S, Value>()) {
        using Held = std::conditional_t<S::dtype == DType::float64, double, std::int64_t>;
        return std::type_identity<Binding<S, Held>>{};
    } else if constexpr (S::symbol_kind == SymbolKind::scalar_state && std::is_same_v<Value, double&>) {
        return std::type_identity<Binding<S, double*>>{};
    } else {
        return std::type_identity<Assignment<S, Operand<Plain>>>{};
    }
}
template <class S, class Value>
using Assigned = typename decltype(assigned<S, Value>())::type;

template <class S, class Value>
constexpr auto assign(Value&& value) {
    using Made = Assigned<S, Value>;
    if constexpr (is_refused<Made>)
        return ErrorExpr{};
    else if constexpr (!is_binding<Made>)
        return Made{operand(value)};
    else if constexpr (std::is_pointer_v<decltype(Made::value)>)
        return Made{&value};
    else
        return Made{static_cast<decltype(Made::value)>(value)};
}

/// The result of `S = S`, which the class itself declares.
template <class S, SymbolKind Kind>
consteval auto assigned_self() {
    constexpr DiagnosticId fault = rules::check_update(Kind, DType::float32, ExprType{});
    if constexpr (Kind == SymbolKind::let)
        return std::type_identity<Definition<S, S>>{};
    else if constexpr (fault != DiagnosticId::none)
        return std::type_identity<Refused<fault, S>>{};
    else
        return std::type_identity<Assignment<S, S>>{};
}
template <class S, SymbolKind Kind>
using AssignedSelf = typename decltype(assigned_self<S, Kind>())::type;

/// The result of `target op= value`.
template <class Op, class S, class Value>
consteval auto updated() {
    constexpr DiagnosticId fault = rules::check_update(S::symbol_kind, S::dtype, ErrorExpr::expr_type);
    if constexpr (S::symbol_kind == SymbolKind::let)
        return std::type_identity<Refused<DiagnosticId::let_changed, S>>{};
    else if constexpr (fault != DiagnosticId::none)
        return std::type_identity<Refused<fault, S>>{};
    else
        return std::type_identity<Assigned<S, BinaryOf<Op, S, Value>>>{};
}
template <class Op, class S, class Value>
struct UpdatedOf {};
template <class Op, NamedSymbol S, class Value>
struct UpdatedOf<Op, S, Value> {
    using Type = typename decltype(updated<Op, S, Value>())::type;
};
template <class Op, class S, class Value>
using Updated = typename UpdatedOf<Op, S, Value>::Type;

/// The update `target = target op value`.
template <class Op, class S, class Value>
constexpr auto update_by(const S& target, const Value& value) {
    if constexpr (is_refused<Updated<Op, S, Value>>)
        return ErrorExpr{};
    else
        return assign<S>(binary<Op>(target, value));
}

}  // namespace detail

}  // namespace frisket
