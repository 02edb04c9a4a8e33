// SPDX-License-Identifier: MIT
#pragma once
#include "node.hpp"
#include "step_judge.hpp"

#include <cstdint>
#include <string_view>
#include <type_traits>

/// What `=` and its kin make: statements of a step, and bindings of a call.
namespace frisket {

/// `target = value`, `target += value`, … of an InOut or ScalarState.
template <class Target, class Value>
struct [[nodiscard("an update does nothing until it is part of a step")]] Assignment {
    using Symbol = Target;
    static constexpr int leaves = Value::leaves + 1;
    static constexpr std::string_view target = Target::name;
    static constexpr void judge(StepJudge& step) { judge(step, false); }
    static constexpr void judge(StepJudge& step, bool everywhere) {
        step.meet(target, Target::symbol_kind, Target::dtype);
        step.update(target, Target::symbol_kind, Target::dtype, Value::judge(step), everywhere);
    }
    [[no_unique_address]] Value value;
};

/// An update of all elements, said on purpose.
template <class Said>
struct [[nodiscard("an update does nothing until it is part of a step")]] Everywhere {
    static constexpr int leaves = Said::leaves;
    static constexpr std::string_view target = Said::target;
    static constexpr void judge(StepJudge& step) { Said::judge(step, true); }
    [[no_unique_address]] Said update;
};

/// `let = value`.
template <class Target, class Value>
struct [[nodiscard("a definition does nothing until it is part of a step")]] Definition {
    using Symbol = Target;
    static constexpr int leaves = Value::leaves + 1;
    static constexpr std::string_view target{};
    static constexpr void judge(StepJudge& step) { step.define(Target::name, Value::judge(step)); }
    [[no_unique_address]] Value value;
};

/// Every update of the step is restricted to what `Masked` specifies.
template <class Masked>
struct [[nodiscard("over(m) does nothing until it is part of a step")]] Over {
    static constexpr int leaves = 1;
    static constexpr std::string_view target{};
    static constexpr void judge(StepJudge& step) { step.over(Masked::judge(step)); }
};

/// `symbol = tensor` or `scalar = number`: an argument of a call.  Refers to a tensor and to the number of a
/// ScalarState.
template <class Bound, class Value>
struct Binding {
    using Symbol = Bound;
    Value value;
};

/// What stands for a statement that was refused.
struct Refused {
    static constexpr int leaves = 0;
    static constexpr std::string_view target{};
    static constexpr void judge(StepJudge& step) { step.note(Fault::said); }
};

template <class T>
inline constexpr bool is_binding = false;
template <class Bound, class Value>
inline constexpr bool is_binding<Binding<Bound, Value>> = true;

template <class T>
inline constexpr bool is_tensor_update = false;
template <class Target, class Value>
inline constexpr bool is_tensor_update<Assignment<Target, Value>> = Target::symbol_kind == SymbolKind::in_out;

/// What was refused already, of any kind.
template <class T>
inline constexpr bool is_refused = std::is_same_v<T, Broken> || std::is_same_v<T, Refused>;
template <class Target>
inline constexpr bool is_refused<Assignment<Target, Broken>> = true;
template <class Bound>
inline constexpr bool is_refused<Binding<Bound, Broken>> = true;

template <class T>
inline constexpr bool is_statement = std::is_same_v<T, Refused>;
template <class Target, class Value>
inline constexpr bool is_statement<Assignment<Target, Value>> = true;
template <class Said>
inline constexpr bool is_statement<Everywhere<Said>> = true;
template <class Target, class Value>
inline constexpr bool is_statement<Definition<Target, Value>> = true;
template <class Masked>
inline constexpr bool is_statement<Over<Masked>> = true;

namespace detail {

/// The update `S = value`; after saying what is wrong with it, one of nothing.
template <class S, class Value>
constexpr auto update(const Value& value) {
    const auto x = operand(value);
    using Made = std::remove_const_t<decltype(x)>;
    constexpr Fault fault = rules::judge_update(S::symbol_kind, S::dtype, Made::judgement);
    if constexpr (fault == Fault::none) {
        return Assignment<S, Made>{x};
    } else {
        if constexpr (Made::judgement.standing != Standing::broken) refuse<fault, S>();
        return Assignment<S, Broken>{};
    }
}

/// The update `target = target op value`.
template <class Op, class S, class Value>
constexpr auto update_by(const S& target, const Value& value) {
    constexpr Fault fault = rules::judge_update(S::symbol_kind, S::dtype, Broken::judgement);
    if constexpr (S::symbol_kind == SymbolKind::let || fault != Fault::none) {
        refuse<S::symbol_kind == SymbolKind::let ? Fault::let_changed : fault, S>();
        return Assignment<S, Broken>{};
    } else {
        return update<S>(binary<Op>(target, value));
    }
}

/// What is wrong with a tensor bound to a symbol.
template <class S, class T>
consteval Fault tensor_fault() {
    if (S::symbol_kind == SymbolKind::scalar || S::symbol_kind == SymbolKind::scalar_state)
        return Fault::bound_tensor;
    if (!DenseTensor<T> && S::symbol_kind != SymbolKind::masked) return Fault::bound_masked;
    return Fault::none;
}
template <class S, class T, template <class> class Typed>
consteval Fault element_fault(const Typed<T>* /*typed*/) {
    if (dtype_of<T> != S::dtype) return Fault::bound_type;
    return std::is_const_v<T> && S::symbol_kind == SymbolKind::in_out ? Fault::bound_read_only : Fault::none;
}
/// An untyped tensor is checked by the call.
template <class S>
consteval Fault element_fault(const void* /*untyped*/) {
    return Fault::none;
}

template <class S, class Tensor>
constexpr auto bind_tensor(const Tensor& tensor) {
    constexpr Fault kind = tensor_fault<S, Tensor>();
    constexpr Fault fault =
        kind != Fault::none ? kind : element_fault<S>(static_cast<const Tensor*>(nullptr));
    if constexpr (fault != Fault::none) {
        refuse<fault, S>();
        return Binding<S, Broken>{};
    } else if constexpr (DenseTensor<Tensor>) {
        return Binding<S, const AnyTensor*>{&tensor};
    } else {
        return Binding<S, const AnyMasked*>{&tensor};
    }
}

template <class S, class Number>
constexpr auto bind_number(Number number) {
    if constexpr (S::dtype == DType::float64) {
        return Binding<S, double>{static_cast<double>(number)};
    } else if constexpr (std::is_integral_v<Number>) {
        return Binding<S, std::int64_t>{static_cast<std::int64_t>(number)};
    } else {
        refuse<Fault::bound_float, S>();
        return Binding<S, Broken>{};
    }
}

template <class S, class Value>
constexpr auto define(const Value& value) {
    if constexpr (SomeTensor<Value>) {
        refuse<Fault::let_of_tensor, S>();
        return Definition<S, Broken>{};
    } else {
        const auto x = operand(value);
        using Made = std::remove_const_t<decltype(x)>;
        if constexpr (Made::judgement.has_tensors || Made::judgement.needs_eval) {
            refuse<Made::judgement.has_tensors ? Fault::tensor_operand : Fault::needs_eval, S>();
            return Definition<S, Broken>{};
        } else {
            return Definition<S, Made>{x};
        }
    }
}

/// `S = value`: by the kind of S and the type of the value an update, a definition or a binding.
template <class S, class Value>
constexpr auto assign(Value&& value) {
    using Plain = std::remove_cvref_t<Value>;
    if constexpr (S::symbol_kind == SymbolKind::let) {
        return define<S>(value);
    } else if constexpr (SomeTensor<Plain>) {
        return bind_tensor<S>(value);
    } else if constexpr (S::symbol_kind == SymbolKind::scalar && Number<Plain>) {
        return bind_number<S>(value);
    } else if constexpr (S::symbol_kind == SymbolKind::scalar_state && std::is_same_v<Value, double&>) {
        return Binding<S, double*>{&value};
    } else {
        return update<S>(value);
    }
}

}  // namespace detail

}  // namespace frisket
