// SPDX-License-Identifier: MIT
// Holds the messages of the compiler about wrong programs.
#pragma once
#include "../runtime/tensor/masked_tensor.hpp"
#include "expr_type.hpp"

#include <array>
#include <string_view>
#include <type_traits>

/// Messages of the compiler about a wrong program: one sentence a fault.  The line below it names where: the
/// expression, the symbol or the step.
namespace frisket {

/// Stands for an expression or a statement that was refused, so that one mistake causes one error.
struct ErrorExpr {
    static constexpr int leaves = 0;
    static constexpr std::array<std::string_view, 0> targets{};
    static constexpr ExprType expr_type{.category = ExprCategory::error};
    template <class Checker>
    static constexpr ExprType check(Checker& step) {
        step.note(DiagnosticId::already_reported);
        return expr_type;
    }
    constexpr operator double() const { return 0; }
    template <class... Arguments>
    constexpr ErrorExpr operator()(const Arguments&... /*arguments*/) const {
        return {};
    }
    template <class At>
    constexpr ErrorExpr operator[](const At& /*at*/) const {
        return {};
    }
};

/// Results in place of what is refused, a class a kind of fault.  Functions declare them as their result, and
/// give the `Instead` that they hold: the destructor, which says what is wrong, is then first needed where
/// the user wrote the expression, and both compilers name that place alone.
namespace diagnose {

template <DiagnosticId F, DiagnosticId Other>
inline constexpr bool is = F == Other;

template <DiagnosticId F, class At, class Instead>
struct RefusedOperand : Instead {
    constexpr RefusedOperand(const Instead& instead) : Instead(instead) {}
    constexpr ~RefusedOperand() {
        static_assert(!is<F, DiagnosticId::bool_constant>,
                      "frisket: a bool is no number of an expression: write 1.0 or 0.0, or a comparison");
        static_assert(!is<F, DiagnosticId::char_constant>,
                      "frisket: a char is no number of an expression: write an int or a float");
        static_assert(!is<F, DiagnosticId::tensor_operand>,
                      "frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or "
                      "eval(...) it");
        static_assert(!is<F, DiagnosticId::untyped_tensor>,
                      "frisket: an untyped tensor in an expression: give it a type, Tensor<float>(t)");
        static_assert(!is<F, DiagnosticId::other_operand>,
                      "frisket: an operand is a symbol, an expression or a number, and this is none of them");
        static_assert(!is<F, DiagnosticId::pointer_operand>,
                      "frisket: this is a pointer to a tensor, and no tensor: write *p");
        static_assert(!is<F, DiagnosticId::bool_arithmetic>,
                      "frisket: arithmetic of true and false: write where(condition, x, y), or && and ||");
        static_assert(!is<F, DiagnosticId::number_as_condition>,
                      "frisket: the condition of where is a number: write a comparison, x != 0");
        static_assert(!is<F, DiagnosticId::needs_floats>,
                      "frisket: this is a function of floats, and here are whole numbers: write 1.0 for 1");
        static_assert(
            !is<F, DiagnosticId::needs_whole_numbers>,
            "frisket: bits are those of whole numbers, and here are floats: declare the symbols so");
        static_assert(!is<F, DiagnosticId::on_dense>,
                      "frisket: on(m, x) takes the mask of m, and m is dense: write what is masked first");
        static_assert(!is<F, DiagnosticId::to_dense_of_dense>,
                      "frisket: to_dense(x, fill) of a dense x: there is nothing to fill, write x");
        static_assert(
            !is<F, DiagnosticId::fill_with_elements>,
            "frisket: the fill of to_dense(x, fill) is one number: a constant, or an expression of scalars");
        static_assert(!is<F, DiagnosticId::over_not_masked>, "frisket: over(m) takes a Masked symbol");
    }
};

template <DiagnosticId F, class At, class Instead>
struct RefusedTensorOp : Instead {
    constexpr RefusedTensorOp(const Instead& instead) : Instead(instead) {}
    constexpr ~RefusedTensorOp() {
        static_assert(!is<F, DiagnosticId::number_for_tensor>,
                      "frisket: an operation on a whole tensor, and its operand is a number without a shape");
        static_assert(!is<F, DiagnosticId::needs_float_elements>,
                      "frisket: this is defined for floats: write cast<float>(x)");
        static_assert(!is<F, DiagnosticId::index_of_floats>,
                      "frisket: an index holds whole numbers: write cast<std::int64_t>(x)");
        static_assert(!is<F, DiagnosticId::mask_of_numbers>,
                      "frisket: a mask is bool, and these are numbers: write a comparison, x != 0");
        static_assert(
            !is<F, DiagnosticId::cast_type>,
            "frisket: elements are float, double, float16, bfloat16, bool, std::uint8_t, int32_t or int64_t");
        static_assert(
            !is<F, DiagnosticId::meeting_of_other>,
            "frisket: intersect(...) and unite(...) take one operation of two operands: intersect(a * b)");
        static_assert(!is<F, DiagnosticId::no_identity>,
                      "frisket: unite(...) of an operation that has no identity: write to_dense(x, fill)");
        static_assert(!is<F, DiagnosticId::needs_eval>,
                      "frisket: median and x[condition] depend on values: eval(...) them before the step");
    }
};

template <DiagnosticId F, class At, class Instead>
struct RefusedUpdate : Instead {
    constexpr RefusedUpdate(const Instead& instead) : Instead(instead) {}
    constexpr ~RefusedUpdate() {
        static_assert(!is<F, DiagnosticId::masked_updated>,
                      "frisket: a Masked symbol is only read: a step updates InOut, a call binds a tensor");
        static_assert(!is<F, DiagnosticId::in_updated>,
                      "frisket: an In symbol is only read: a step updates InOut, a call binds a tensor");
        static_assert(!is<F, DiagnosticId::scalar_updated>,
                      "frisket: a Scalar is only read: a step updates ScalarState, a call binds a number");
        static_assert(
            !is<F, DiagnosticId::state_takes_masked>,
            "frisket: a ScalarState is one number, and this value is masked: write an expression of scalars");
        static_assert(!is<F, DiagnosticId::state_takes_elements>,
                      "frisket: a ScalarState is one number, and this value has elements: write an "
                      "expression of scalars");
        static_assert(!is<F, DiagnosticId::bool_takes_number>,
                      "frisket: the target's elements are bool, and this value is a number: write a "
                      "comparison, x != 0");
        static_assert(!is<F, DiagnosticId::whole_takes_float>,
                      "frisket: the target's elements are whole numbers, and this value is a float: declare "
                      "it a float");
        static_assert(!is<F, DiagnosticId::let_changed>,
                      "frisket: a Let is defined once, with =: give the new value a Let of its own");
        static_assert(!is<F, DiagnosticId::let_of_tensor>,
                      "frisket: a Let stands for an expression: write an In or Masked symbol for a tensor");
    }
};

template <DiagnosticId F, class At, class Instead>
struct RefusedBinding : Instead {
    constexpr RefusedBinding(const Instead& instead) : Instead(instead) {}
    constexpr ~RefusedBinding() {
        static_assert(
            !is<F, DiagnosticId::bound_type>,
            "frisket: the tensor has other elements than its symbol: convert it, or declare the symbol so");
        static_assert(!is<F, DiagnosticId::bound_read_only>,
                      "frisket: an InOut symbol is written, and this tensor is read-only: bind a Tensor of "
                      "T, not const T");
        static_assert(!is<F, DiagnosticId::bound_masked>,
                      "frisket: a masked tensor is bound to a dense symbol: declare it Masked, or bind its "
                      "to_dense(fill)");
        static_assert(!is<F, DiagnosticId::bound_tensor>,
                      "frisket: a tensor is bound to a number: declare the symbol In or Masked");
        static_assert(
            !is<F, DiagnosticId::bound_float>,
            "frisket: a float is bound to an integer Scalar: bind an integer, or declare it a double");
    }
};

template <DiagnosticId F, class At, class Instead>
struct RefusedStep : Instead {
    constexpr RefusedStep(const Instead& instead) : Instead(instead) {}
    constexpr ~RefusedStep() {
        static_assert(!is<F, DiagnosticId::step_name>,
                      "frisket: a name is made of letters, digits and _, and does not start with a digit");
        static_assert(
            !is<F, DiagnosticId::binding_in_step>,
            "frisket: a binding belongs into a call of the kernel: a step holds updates of symbols");
        static_assert(!is<F, DiagnosticId::not_a_statement>,
                      "frisket: a step holds updates: write target = expression, or target += expression");
        static_assert(
            !is<F, DiagnosticId::no_update>,
            "frisket: nothing is updated in this step: write target = expression, or target += expression");
        static_assert(
            !is<F, DiagnosticId::two_meanings>,
            "frisket: one name stands for two symbols, which differ in kind or type: give one another name");
        static_assert(!is<F, DiagnosticId::let_undefined>,
                      "frisket: a Let is read before it is defined: write its definition above its use");
        static_assert(!is<F, DiagnosticId::let_twice>,
                      "frisket: a Let is defined twice: give the second value a Let of its own");
        static_assert(
            !is<F, DiagnosticId::dense_update>,
            "frisket: a dense update beside a masked one: write on(m, ...), or everywhere(target = ...)");
        static_assert(!is<F, DiagnosticId::everywhere_masked>,
                      "frisket: everywhere(...) writes all elements, and this value is masked: write "
                      "to_dense(x, fill)");
        static_assert(!is<F, DiagnosticId::everywhere_other>,
                      "frisket: everywhere(...) takes an update of an InOut symbol");
        static_assert(!is<F, DiagnosticId::over_not_first>,
                      "frisket: over(m) holds for the whole step: write it once, before the updates");
        static_assert(
            !is<F, DiagnosticId::mask_from_updated>,
            "frisket: this mask is made from what the step updates: write to_dense(x, fill), or two steps");
        static_assert(!is<F, DiagnosticId::gradient_after_update>,
                      "frisket: a gradient after an update of what its loss reads: write it first, as a Let "
                      "above the update");
        static_assert(!is<F, DiagnosticId::rule_of_other>,
                      "frisket: update(rule, w, gradient) takes a step with InOut param and Masked grad");
        static_assert(!is<F, DiagnosticId::rule_for_other>,
                      "frisket: update(rule, w, gradient) updates an InOut symbol, and w is none");
        static_assert(!is<F, DiagnosticId::rule_of_type>,
                      "frisket: this rule is for parameters of another type: write RULE_step<double>() for "
                      "those of double");
        static_assert(!is<F, DiagnosticId::rule_over>,
                      "frisket: over(m) restricts this step, and a rule has updates of its own: write two "
                      "steps");
        static_assert(!is<F, DiagnosticId::divided_by_elements>,
                      "frisket: a step divides whole numbers by what may be 0: divide by a constant, or make "
                      "one a float");
        static_assert(!is<F, DiagnosticId::power_of_elements>,
                      "frisket: a step raises whole numbers to what may be negative: write a constant, or "
                      "make one a float");
    }
};

template <DiagnosticId F, class At, class Instead>
struct RefusedCall : Instead {
    constexpr RefusedCall(const Instead& instead) : Instead(instead) {}
    constexpr ~RefusedCall() {
        static_assert(!is<F, DiagnosticId::not_a_binding>,
                      "frisket: a call takes named arguments: write name = tensor, or name = number");
        static_assert(!is<F, DiagnosticId::update_in_call>,
                      "frisket: an update belongs into a step: a call binds a tensor to each name");
        static_assert(!is<F, DiagnosticId::state_bound_to_value>,
                      "frisket: a call updates a ScalarState in place: bind a variable of type double");
        static_assert(!is<F, DiagnosticId::unbound>,
                      "frisket: the call leaves a name of the step without a value: add name = value");
        static_assert(!is<F, DiagnosticId::bound_twice>, "frisket: the call gives one name two values");
        static_assert(!is<F, DiagnosticId::unknown_name>,
                      "frisket: the call gives a value to a name that the step does not have");
        static_assert(
            !is<F, DiagnosticId::other_symbol>,
            "frisket: the step's symbol of this name has another kind or type: bind the step's own symbol");
        static_assert(
            !is<F, DiagnosticId::eval_of_symbols>,
            "frisket: eval(...) of symbols: they stand for tensors of a step's call, write tensors");
    }
};

template <DiagnosticId F, class At, class Instead>
consteval auto refused_as() {
    if constexpr (F <= DiagnosticId::over_not_masked)
        return std::type_identity<RefusedOperand<F, At, Instead>>{};
    else if constexpr (F <= DiagnosticId::needs_eval)
        return std::type_identity<RefusedTensorOp<F, At, Instead>>{};
    else if constexpr (F <= DiagnosticId::let_of_tensor)
        return std::type_identity<RefusedUpdate<F, At, Instead>>{};
    else if constexpr (F <= DiagnosticId::bound_float)
        return std::type_identity<RefusedBinding<F, At, Instead>>{};
    else if constexpr (F <= DiagnosticId::power_of_elements)
        return std::type_identity<RefusedStep<F, At, Instead>>{};
    else
        return std::type_identity<RefusedCall<F, At, Instead>>{};
}

}  // namespace diagnose

/// `Instead`, with the sentence of F; `At` appears in the note.
template <DiagnosticId F, class At, class Instead = ErrorExpr>
using Refused = typename decltype(diagnose::refused_as<F, At, Instead>())::type;

/// True for a type that was diagnosed.
template <class T>
inline constexpr bool is_refused = std::is_base_of_v<ErrorExpr, T>;

namespace diagnose {

template <class A>
inline constexpr bool is_tensor = SomeTensor<A>;
template <class A>
inline constexpr bool is_expression = !SomeTensor<A>;
/// True for an operand that was diagnosed before.
template <class E>
inline constexpr bool is_quiet = is_refused<E>;
template <class...>
inline constexpr bool is_no_step = false;
template <class A, class... More>
inline constexpr bool is_one_type = (std::is_same_v<A, More> && ...);

}  // namespace diagnose

/// Result of an operator that is always wrong, and is declared alone: the compiler completes the class where
/// the operator is called, so that its one note is that place.
template <class A>
struct IllegalUpdate {
    static_assert(
        diagnose::is_expression<A>,
        "frisket: a tensor is updated by a step(...), or made anew: write p = eval(p + q) for p += q");
    static_assert(
        diagnose::is_tensor<A>,
        "frisket: an expression is only read: write p.at({i, j}) = 3, or copy(q, p.slice(0, 2, 5))");
};

template <class Symbol>
struct ReversedBinding : ErrorExpr {
    static_assert(!sizeof(Symbol), "frisket: in a call the symbol stands first: write symbol = tensor");
};

/// `x[…]`, which is only read: `x[…] = value` says what to write instead.
template <class Self>
struct Selection : Subscripts<Self> {
    template <class Value>
        requires ReadOnly<Self>
    IllegalUpdate<Self> operator=(const Value& value) &&;
    template <class Value>
        requires PartOfSymbol<Self>
    constexpr ErrorExpr operator=(const Value& /*value*/) && {
        static_assert(
            diagnose::is_quiet<Self>,
            "frisket: a step updates symbols, not parts: bind a part in the call, param = p.slice(0, 2, 5)");
        return {};
    }
};

/// The target of `param[0] -= …` in a step.
struct PartTarget {
    template <PartOfSymbol A>
    constexpr PartTarget(const A& /*target*/) {
        static_assert(
            diagnose::is_quiet<A>,
            "frisket: a step updates symbols, not parts: bind a part in the call, param = p.slice(0, 2, 5)");
    }
};

/// A list in braces of operands of several types.
struct MixedList {
    template <class A, class... More>
        requires(AnyOperand<A> || ... || AnyOperand<More>) && (!diagnose::is_one_type<A, More...>)
    constexpr MixedList(const A& /*a*/, const More&... /*more*/) {
        static_assert(diagnose::is_one_type<A, More...>,
                      "frisket: a list in braces is of one type: write stack(std::tuple(a, 2 * b), 0)");
    }
};

// Constructors of tensors from expressions: declared beside the tensors, said here.
template <SomeExpression E>
AnyTensor::AnyTensor(const E& /*expression*/) {
    static_assert(diagnose::is_quiet<E>, "frisket: an expression is no tensor yet: write eval(x)");
}
template <class T>
template <SomeExpression E>
Tensor<T>::Tensor(const E& /*expression*/) {
    static_assert(diagnose::is_quiet<E>, "frisket: an expression is no tensor yet: write eval(x)");
}
template <SomeExpression E>
AnyMasked::AnyMasked(const E& /*expression*/) {
    static_assert(diagnose::is_quiet<E>, "frisket: an expression is no masked tensor yet: write eval(x)");
}
template <class T>
template <SomeExpression E>
MaskedTensor<T>::MaskedTensor(const E& /*expression*/) {
    static_assert(diagnose::is_quiet<E>, "frisket: an expression is no masked tensor yet: write eval(x)");
}

}  // namespace frisket
