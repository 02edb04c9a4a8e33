// SPDX-License-Identifier: MIT
#pragma once
#include "judgement.hpp"

/// What the compiler says of a wrong program: one sentence a fault.  The line below it names where: the
/// expression, the symbol or the step.
namespace frisket {

namespace diagnose {

template <Fault F, class Where>
inline constexpr Fault found_in = F;

/// Of operations on whole tensors.
template <Fault F, class At>
constexpr void say_of_whole() {
    static_assert(found_in<F, At> != Fault::number_for_tensor,
                  "frisket: an operation on a whole tensor, and its operand is a number without a shape");
    static_assert(found_in<F, At> != Fault::needs_float_elements,
                  "frisket: this is defined for floats: write cast<float>(x)");
    static_assert(found_in<F, At> != Fault::index_of_floats,
                  "frisket: an index holds whole numbers: write cast<std::int64_t>(x)");
    static_assert(found_in<F, At> != Fault::mask_of_numbers,
                  "frisket: a mask is bool, and these are numbers: write a comparison, x != 0");
    static_assert(
        found_in<F, At> != Fault::meeting_of_other,
        "frisket: intersect(...) and unite(...) take one operation of two operands: intersect(a * b)");
    static_assert(found_in<F, At> != Fault::no_identity,
                  "frisket: unite(...) of an operation that has no identity: write to_dense(x, fill)");
    static_assert(
        found_in<F, At> != Fault::dims_type,
        "frisket: dimensions are integers: write sum(x, 1), sum(x, {0, -1}) or sum(x, {1}, keepdim)");
    static_assert(found_in<F, At> != Fault::needs_eval,
                  "frisket: median and x[condition] depend on values: eval(...) them before the step");
}

template <Fault F, class At>
constexpr void say_of_operands() {
    static_assert(found_in<F, At> != Fault::bool_constant,
                  "frisket: a bool is no number of an expression: write 1.0 or 0.0, or a comparison");
    static_assert(found_in<F, At> != Fault::char_constant,
                  "frisket: a char is no number of an expression: write an int or a float");
    static_assert(
        found_in<F, At> != Fault::tensor_operand,
        "frisket: a step holds symbols, not tensors: write a symbol and bind the tensor, or eval(...) it");
    static_assert(found_in<F, At> != Fault::untyped_tensor,
                  "frisket: an untyped tensor in an expression: give it a type, Tensor<float>(t)");
    static_assert(found_in<F, At> != Fault::other_operand,
                  "frisket: an operand is a symbol, an expression or a number, and this is none of them");
    static_assert(found_in<F, At> != Fault::bool_arithmetic,
                  "frisket: arithmetic of true and false: write where(condition, x, y), or && and ||");
    static_assert(found_in<F, At> != Fault::number_as_condition,
                  "frisket: the condition of where is a number: write a comparison, x != 0");
    static_assert(found_in<F, At> != Fault::needs_floats,
                  "frisket: this is a function of floats, and here are whole numbers: write 1.0 for 1");
    static_assert(found_in<F, At> != Fault::needs_whole_numbers,
                  "frisket: bits are those of whole numbers, and here are floats: declare the symbols so");
    static_assert(found_in<F, At> != Fault::on_dense,
                  "frisket: on(m, x) takes the mask of m, and m is dense: write what is masked first");
    static_assert(found_in<F, At> != Fault::to_dense_of_dense,
                  "frisket: to_dense(x, fill) of a dense x: there is nothing to fill, write x");
    static_assert(
        found_in<F, At> != Fault::fill_with_elements,
        "frisket: the fill of to_dense(x, fill) is one number: a constant, or an expression of scalars");
    static_assert(found_in<F, At> != Fault::over_not_masked, "frisket: over(m) takes a Masked symbol");
    say_of_whole<F, At>();
}

template <Fault F, class At>
constexpr void say_of_updates() {
    static_assert(found_in<F, At> != Fault::masked_updated,
                  "frisket: a Masked symbol is only read: a step updates InOut, a call binds a tensor");
    static_assert(found_in<F, At> != Fault::in_updated,
                  "frisket: an In symbol is only read: a step updates InOut, a call binds a tensor");
    static_assert(found_in<F, At> != Fault::scalar_updated,
                  "frisket: a Scalar is only read: a step updates ScalarState, a call binds a number");
    static_assert(
        found_in<F, At> != Fault::state_takes_masked,
        "frisket: a ScalarState is one number, and this value is masked: write an expression of scalars");
    static_assert(
        found_in<F, At> != Fault::state_takes_elements,
        "frisket: a ScalarState is one number, and this value has elements: write an expression of scalars");
    static_assert(
        found_in<F, At> != Fault::bool_takes_number,
        "frisket: the target's elements are bool, and this value is a number: write a comparison, x != 0");
    static_assert(
        found_in<F, At> != Fault::whole_takes_float,
        "frisket: the target's elements are whole numbers, and this value is a float: declare it a float");
    static_assert(found_in<F, At> != Fault::let_changed,
                  "frisket: a Let is defined once, with =: give the new value a Let of its own");
    static_assert(found_in<F, At> != Fault::let_of_tensor,
                  "frisket: a Let stands for an expression: write an In or Masked symbol for a tensor");
}

template <Fault F, class At>
constexpr void say_of_bindings() {
    static_assert(
        found_in<F, At> != Fault::bound_type,
        "frisket: the tensor has other elements than its symbol: convert it, or declare the symbol so");
    static_assert(
        found_in<F, At> != Fault::bound_read_only,
        "frisket: an InOut symbol is written, and this tensor is read-only: bind a Tensor of T, not const T");
    static_assert(
        found_in<F, At> != Fault::bound_masked,
        "frisket: a masked tensor is bound to a dense symbol: declare it Masked, or bind its to_dense(fill)");
    static_assert(found_in<F, At> != Fault::bound_tensor,
                  "frisket: a tensor is bound to a number: declare the symbol In or Masked");
    static_assert(found_in<F, At> != Fault::bound_float,
                  "frisket: a float is bound to an integer Scalar: bind an integer, or declare it a double");
}

template <Fault F, class At>
constexpr void say_of_steps() {
    static_assert(found_in<F, At> != Fault::binding_in_step,
                  "frisket: a binding belongs into a call of the kernel: a step holds updates of symbols");
    static_assert(found_in<F, At> != Fault::not_a_statement,
                  "frisket: a step holds updates: write target = expression, or target += expression");
    static_assert(
        found_in<F, At> != Fault::no_update,
        "frisket: nothing is updated in this step: write target = expression, or target += expression");
    static_assert(
        found_in<F, At> != Fault::two_meanings,
        "frisket: one name stands for two symbols, which differ in kind or type: give one another name");
    static_assert(found_in<F, At> != Fault::let_undefined,
                  "frisket: a Let is read before it is defined: write its definition above its use");
    static_assert(found_in<F, At> != Fault::let_twice,
                  "frisket: a Let is defined twice: give the second value a Let of its own");
    static_assert(
        found_in<F, At> != Fault::dense_update,
        "frisket: a dense update beside a masked one: write on(m, ...), or everywhere(target = ...)");
    static_assert(
        found_in<F, At> != Fault::everywhere_masked,
        "frisket: everywhere(...) writes all elements, and this value is masked: write to_dense(x, fill)");
    static_assert(found_in<F, At> != Fault::everywhere_other,
                  "frisket: everywhere(...) takes an update of an InOut symbol");
    static_assert(found_in<F, At> != Fault::over_not_first,
                  "frisket: over(m) holds for the whole step: write it once, before the updates");
    static_assert(
        found_in<F, At> != Fault::mask_from_updated,
        "frisket: this mask is made from what the step updates: write to_dense(x, fill), or two steps");
    static_assert(
        found_in<F, At> != Fault::divided_by_elements,
        "frisket: a step divides whole numbers by what may be 0: divide by a constant, or make one a float");
    static_assert(found_in<F, At> != Fault::power_of_elements,
                  "frisket: a step raises whole numbers to what may be negative: write a constant, or make "
                  "one a float");
}

template <Fault F, class At>
constexpr void say_of_calls() {
    static_assert(found_in<F, At> != Fault::not_a_binding,
                  "frisket: a call takes named arguments: write name = tensor, or name = number");
    static_assert(found_in<F, At> != Fault::update_in_call,
                  "frisket: an update belongs into a step: a call binds a tensor to each name");
    static_assert(found_in<F, At> != Fault::state_bound_to_value,
                  "frisket: a call updates a ScalarState in place: bind a variable of type double");
    static_assert(found_in<F, At> != Fault::unbound,
                  "frisket: the call leaves a name of the step without a value: add name = value");
    static_assert(found_in<F, At> != Fault::bound_twice, "frisket: the call gives one name two values");
    static_assert(found_in<F, At> != Fault::unknown_name,
                  "frisket: the call gives a value to a name that the step does not have");
    static_assert(
        found_in<F, At> != Fault::other_symbol,
        "frisket: the step's symbol of this name has another kind or type: bind the step's own symbol");
}

}  // namespace diagnose

/// Says what is wrong, once; `At` stands in the note.
template <Fault F, class At>
constexpr void refuse() {
    if constexpr (F == Fault::said)
        return;
    else if constexpr (F <= Fault::over_not_masked)
        diagnose::say_of_operands<F, At>();
    else if constexpr (F <= Fault::let_of_tensor)
        diagnose::say_of_updates<F, At>();
    else if constexpr (F <= Fault::bound_float)
        diagnose::say_of_bindings<F, At>();
    else if constexpr (F <= Fault::power_of_elements)
        diagnose::say_of_steps<F, At>();
    else
        diagnose::say_of_calls<F, At>();
}

}  // namespace frisket
