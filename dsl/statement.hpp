// SPDX-License-Identifier: MIT
// Defines the statements of steps: updates, definitions and restrictions.
#pragma once
#include "expr_type.hpp"
#include "node.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace frisket {

/// A symbol of a step, as the type checker meets it.
struct StepSymbol {
    std::string_view name{};
    SymbolKind kind = SymbolKind::in;
    DType dtype = DType::float32;
    bool is_updated = false;
    bool is_defined = false;  ///< Let
    ExprType value{};         ///< Let: what it was defined as
};

/// Goes through the statements of a step in order, at compile time: notes its symbols and the first fault.
class StepChecker {
public:
    constexpr explicit StepChecker(std::span<StepSymbol> room) : room_(room) {}

    constexpr DiagnosticId fault() const { return fault_; }
    constexpr std::string_view culprit() const { return culprit_; }  ///< the symbol at fault, or empty
    /// True if a statement is or holds an operation on whole tensors.
    constexpr bool has_structure() const { return has_structure_; }
    constexpr std::span<const StepSymbol> symbols() const { return room_.first(count_); }

    /// Notes a fault; the first one stays.
    constexpr void note(DiagnosticId fault, std::string_view culprit = {}) {
        if (fault_ != DiagnosticId::none || fault == DiagnosticId::none) return;
        fault_ = fault;
        culprit_ = culprit;
    }
    /// The symbol of this name, new or known.
    constexpr StepSymbol& meet(std::string_view name, SymbolKind kind, DType dtype) {
        name = renamed(rule_.names, name);
        StepSymbol* known = std::ranges::find(room_.data(), room_.data() + count_, name, &StepSymbol::name);
        if (known == room_.data() + count_) {
            *known = {.name = name, .kind = kind, .dtype = dtype};
            ++count_;
        } else if (known->kind != kind || known->dtype != dtype) {
            note(DiagnosticId::two_meanings, name);
        }
        return *known;
    }

    /// The type of a symbol where it is read; `expr_type` is the type that its kind specifies.
    constexpr ExprType read(std::string_view name, SymbolKind kind, DType dtype, ExprType expr_type) {
        if (kind == SymbolKind::masked && is_in_rule_ && name == rule_symbol::grad)
            return type_rules::holding(expr_type, {rule_.gradient});
        const StepSymbol& symbol = meet(name, kind, dtype);
        if (kind == SymbolKind::let) {
            if (!symbol.is_defined) note(DiagnosticId::let_undefined, name);
            if (!symbol.is_defined) return {.category = ExprCategory::error};
            ExprType value = symbol.value;
            value.differentiated = 0;  // judged where it was defined
            return value;
        }
        expr_type.reads = bit_of(symbol);
        expr_type.reads_updated =
            kind == SymbolKind::in_out && std::ranges::find(targets_, symbol.name) != targets_.end();
        return expr_type;
    }

    constexpr void define(std::string_view name, const ExprType& value) {
        note(value.fault != DiagnosticId::none ? value.fault : value.in_steps, name);
        check_gradients(value);
        StepSymbol& let = meet(name, SymbolKind::let, DType::float32);
        if (let.is_defined) note(DiagnosticId::let_twice, name);
        let.is_defined = true;
        let.value = value;
        has_structure_ |= value.has_structure;
    }

    constexpr void over(const ExprType& masked) {
        if (updates_ > 0 || is_over_) note(DiagnosticId::over_not_first, masked.mask);
        is_over_ = true;
    }

    /// `value`: the operand of skip_nonfinite.
    constexpr void skip(const ExprType& value) {
        note(value.fault != DiagnosticId::none ? value.fault : value.in_steps);
        check_gradients(value);
        has_structure_ = true;
    }

    constexpr void update(std::string_view name, SymbolKind kind, DType dtype, const ExprType& value,
                          bool everywhere) {
        ++updates_;
        has_structure_ |= value.has_structure;
        check_gradients(value);
        updated_ |= bit_of(meet(name, kind, dtype));
        note(value.fault, name);
        if (value.category == ExprCategory::error) return;
        note(value.in_steps, name);
        note(type_rules::check_update(kind, dtype, value), name);
        if (kind != SymbolKind::in_out) return;
        const bool is_masked = value.category == ExprCategory::masked;
        if (is_masked && value.mask_from_updated) note(DiagnosticId::mask_from_updated, name);
        if (is_masked && everywhere) note(DiagnosticId::everywhere_masked, name);
        if (is_masked || is_over_)
            has_masked_ = true;
        else if (!everywhere && dense_.empty())
            dense_ = name;
    }

    /// A step as statements of this one.
    struct Rule {
        std::span<const RenamedSymbol> names{};
        ExprType gradient{};  ///< type of its gradient here
    };
    /// Goes through the statements of a rule, which are judged by themselves, as `check` does.
    constexpr void check_inlined(const Rule& rule, std::string_view param, const auto& check) {
        const ExprType& gradient = rule.gradient;
        note(gradient.fault != DiagnosticId::none ? gradient.fault : gradient.in_steps, param);
        check_gradients(gradient);
        if (is_over_) note(DiagnosticId::rule_over, param);
        if (gradient.category == ExprCategory::scalar) note(DiagnosticId::number_for_tensor, param);
        StepChecker inner = *this;
        inner.rule_ = rule;
        inner.is_in_rule_ = true;
        inner.updates_ = 0;
        inner.has_masked_ = inner.is_over_ = false;
        inner.dense_ = {};
        check(inner);
        inner.finish();
        note(inner.fault_, inner.culprit_);
        count_ = inner.count_;
        updated_ = inner.updated_;
        has_structure_ |= inner.has_structure_ || gradient.has_structure;
        ++updates_;
    }

    /// Notes faults that show only after the last statement.
    constexpr void finish() {
        if (updates_ == 0) note(DiagnosticId::no_update);
        if (has_masked_ && !dense_.empty()) note(DiagnosticId::dense_update, dense_);
    }

    /// Names of the symbols that the step updates, known before the first statement is judged.
    constexpr void set_targets(std::span<const std::string_view> targets) { targets_ = targets; }

private:
    /// The bit of a symbol of the step; those after the 63rd share one.
    constexpr std::uint64_t bit_of(const StepSymbol& symbol) const {
        return std::uint64_t{1} << std::min<std::ptrdiff_t>(&symbol - room_.data(), 63);
    }
    /// Notes gradients of losses that read symbols updated before.
    constexpr void check_gradients(const ExprType& value) {
        if ((value.differentiated & updated_) == 0) return;
        for (const StepSymbol& symbol : symbols())
            if ((value.differentiated & updated_ & bit_of(symbol)) != 0)
                note(DiagnosticId::gradient_after_update, symbol.name);
    }

    std::span<StepSymbol> room_;
    std::size_t count_ = 0;
    std::uint64_t updated_ = 0;  // symbols that statements so far update
    std::span<const std::string_view> targets_{};
    DiagnosticId fault_ = DiagnosticId::none;
    std::string_view culprit_{};
    std::string_view dense_{};  // the first target of a dense update that does not say everywhere
    int updates_ = 0;
    bool has_masked_ = false;
    bool has_structure_ = false;
    bool is_over_ = false;
    Rule rule_{};
    bool is_in_rule_ = false;
};

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

/// An update of all elements, requested explicitly.
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
inline constexpr bool is_statement = requires { T::is_statement; };
template <class Target, class Value>
inline constexpr bool is_statement<Assignment<Target, Value>> = true;
template <class Said>
inline constexpr bool is_statement<Everywhere<Said>> = true;
template <class Target, class Value>
inline constexpr bool is_statement<Definition<Target, Value>> = true;

namespace detail {

/// Fault of the update `S = value`.
template <class S, class Value>
consteval DiagnosticId update_fault() {
    if (operand_fault<Value>() != DiagnosticId::none) return operand_fault<Value>();
    return type_rules::check_update(S::symbol_kind, S::dtype, Operand<Value>::expr_type);
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
    constexpr DiagnosticId fault = type_rules::check_update(Kind, DType::float32, ExprType{});
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
    constexpr DiagnosticId fault = type_rules::check_update(S::symbol_kind, S::dtype, ErrorExpr::expr_type);
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
