// SPDX-License-Identifier: MIT
// Checks the types, dtypes and masks of expressions while a program is compiled.
#pragma once
#include "../ir/ops/op_info.hpp"
#include "../ir/ops/ops.hpp"
#include "../runtime/kernel/signature.hpp"
#include "../runtime/tensor/masked_tensor.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

/// Operands of operators.
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
/// Types that may be a constant of an expression, or bound to a Scalar.
template <class T>
concept Number = std::is_arithmetic_v<T> && !Character<T> && !std::same_as<T, bool>;

/// An expression over tensors, which no update writes.
template <class A>
concept ReadOnly = SomeExpression<A> && A::expr_type.has_tensors;
/// A tensor, or an expression over tensors: operators update neither.
template <class A>
concept NeverUpdated = SomeTensor<A> || ReadOnly<A>;
/// An expression over symbols that is none itself: a step updates symbols.
template <class A>
concept PartOfSymbol = SomeExpression<A> && !NamedSymbol<A> && !A::expr_type.has_tensors;

/// The operators are for operands of which one is ours; what is wrong with another is said in a sentence.
template <class A, class B = void, class C = void>
concept AnyOperand = SomeExpression<A> || SomeExpression<B> || SomeExpression<C> || SomeTensor<A> ||
                     SomeTensor<B> || SomeTensor<C>;

}  // namespace frisket

/// Type of an expression, as the type checker sees it, and rules for the type of an operation's result.
namespace frisket {

/// Faults of programs; the sentences are in diagnose.hpp.
enum class DiagnosticId : std::uint8_t {
    none,
    already_reported,
    // operands
    bool_constant,
    char_constant,
    tensor_operand,
    untyped_tensor,
    other_operand,
    pointer_operand,
    bool_arithmetic,
    number_as_condition,
    needs_floats,
    needs_whole_numbers,
    on_dense,
    to_dense_of_dense,
    fill_with_elements,
    over_not_masked,
    // operations on whole tensors
    number_for_tensor,
    needs_float_elements,
    index_of_floats,
    mask_of_numbers,
    cast_type,
    meeting_of_other,
    no_identity,
    needs_eval,
    // updates
    masked_updated,
    in_updated,
    scalar_updated,
    state_takes_masked,
    state_takes_elements,
    bool_takes_number,
    whole_takes_float,
    let_changed,
    let_of_tensor,
    // bindings
    bound_type,
    bound_read_only,
    bound_masked,
    bound_tensor,
    bound_float,
    // statements
    step_name,
    binding_in_step,
    not_a_statement,
    no_update,
    two_meanings,
    let_undefined,
    let_twice,
    dense_update,
    everywhere_masked,
    everywhere_other,
    over_not_first,
    mask_from_updated,
    gradient_after_update,
    rule_of_other,
    rule_for_other,
    rule_of_type,
    rule_over,
    divided_by_elements,
    power_of_elements,
    // calls
    not_a_binding,
    update_in_call,
    state_bound_to_value,
    unbound,
    bound_twice,
    unknown_name,
    other_symbol,
    eval_of_symbols,
};

enum class ExprCategory : std::uint8_t {
    scalar,  ///< a host scalar
    dense,
    masked,
    open,   ///< depends on a Let, whose value is known in its step only
    error,  ///< refused already
};

struct ExprType {
    ExprCategory category = ExprCategory::scalar;
    ElementType type{};
    std::string_view mask{};         ///< masked: the symbol that masks it, empty if `where` made the mask
    bool reads_updated = false;      ///< reads elements that the step updates
    bool mask_from_updated = false;  ///< its mask does
    bool has_symbols = false;        ///< it is to be part of a step
    bool has_tensors = false;        ///< it is to be evaluated
    bool has_structure = false;      ///< it holds operations on whole tensors: its graph needs shapes
    bool needs_eval = false;         ///< positions depend on values, which a step cannot know
    bool is_constant = false;        ///< a number of the source
    DiagnosticId fault = DiagnosticId::none;
    std::uint64_t reads = 0;           ///< symbols of a step that it reads, a bit each
    std::uint64_t differentiated = 0;  ///< those that the losses of its gradients read
    DiagnosticId in_steps =
        DiagnosticId::none;  ///< fault if it is part of a step, which cannot take back what it wrote when
                             ///< values are wrong
};

/// Operations that are the graph's own and no rows of the table.
namespace op {
struct On {};       ///< on(m, x): the operands in this order
struct ToDense {};  ///< to_dense(x, fill)
}  // namespace op

namespace type_rules {

constexpr ExprType refused(ExprType expr_type, DiagnosticId fault) {
    expr_type.fault = fault;
    expr_type.category = ExprCategory::error;
    return expr_type;
}

/// The result with the properties of its operands.
constexpr ExprType holding(ExprType result, std::initializer_list<ExprType> operands) {
    for (const ExprType& operand : operands) {
        result.has_symbols |= operand.has_symbols;
        result.has_tensors |= operand.has_tensors;
        result.has_structure |= operand.has_structure;
        result.needs_eval |= operand.needs_eval;
        result.reads |= operand.reads;
        result.differentiated |= operand.differentiated;
    }
    const bool mixed = result.has_symbols && result.has_tensors && result.category != ExprCategory::error;
    return mixed ? refused(result, DiagnosticId::tensor_operand) : result;
}

/// The mask of where(c, x, y): the mask of c and the mask of the branch that is taken.
constexpr void check_branches(ExprType& result, const ExprType& c, const ExprType& x, const ExprType& y) {
    const auto is_masked = [](const ExprType& j) { return j.category == ExprCategory::masked; };
    const auto agree = [](const ExprType& a, const ExprType& b) {
        return !a.mask.empty() && a.mask == b.mask;
    };
    const bool own_x = is_masked(x) && !agree(x, c), own_y = is_masked(y) && !agree(y, c);
    result.mask = own_x || own_y ? std::string_view{} : c.mask;
    if (own_x && own_y && agree(x, y)) {
        if (!is_masked(c)) result.mask = x.mask;
    } else if (own_x || own_y) {
        result.mask_from_updated |= c.reads_updated;
    }
}

constexpr DiagnosticId dtype_fault(const OpInfo& op, std::span<const ElementType> types) {
    const DType common = common_type(op.dtype, types).dtype;
    if (op.dtype == DTypeRule::branches && types[0].dtype != DType::boolean)
        return DiagnosticId::number_as_condition;
    if (accepts(op.accepts, common)) return DiagnosticId::none;
    if (common == DType::boolean) return DiagnosticId::bool_arithmetic;
    return info_of(common).is_float ? DiagnosticId::needs_whole_numbers : DiagnosticId::needs_floats;
}

/// Integers divided by operands that may be 0, or raised to exponents that may be negative.  Which constants
/// are fine, a graph says.
constexpr DiagnosticId value_fault(const OpInfo& op, const ExprType& result, const ExprType& second) {
    if (op.check == ValueCheck::none || result.type.is_host_scalar || info_of(result.type.dtype).is_float)
        return DiagnosticId::none;
    if (second.is_constant) return DiagnosticId::none;
    return op.check == ValueCheck::divisor ? DiagnosticId::divided_by_elements
                                           : DiagnosticId::power_of_elements;
}

constexpr ExprType check(const OpInfo& op, std::initializer_list<ExprType> operands) {
    ExprType result;
    std::array<ElementType, 3> types{};
    std::size_t count = 0;
    for (const ExprType& operand : operands) {
        types[count++] = operand.type;
        result.category = std::max(result.category, operand.category);
        result.reads_updated |= operand.reads_updated;
        result.mask_from_updated |= operand.mask_from_updated;
        if (result.mask.empty()) result.mask = operand.mask;
        if (result.in_steps == DiagnosticId::none) result.in_steps = operand.in_steps;
    }
    if (result.category >= ExprCategory::open) return result;
    const auto used = std::span<const ElementType>(types).first(count);
    if (op.mask == MaskRule::branch) {
        const ExprType* at = operands.begin();
        check_branches(result, at[0], at[1], at[2]);
    }
    result.type = result_type(op.dtype, used);
    if (count == 2 && result.in_steps == DiagnosticId::none)
        result.in_steps = value_fault(op, result, operands.begin()[1]);
    const DiagnosticId fault = dtype_fault(op, used);
    return fault == DiagnosticId::none ? result : refused(result, fault);
}

constexpr ExprType check_on(const ExprType& masked, const ExprType& value) {
    ExprType result = value;
    result.category = std::max({masked.category, value.category, ExprCategory::masked});
    result.mask = masked.mask;
    result.is_constant = false;
    result.mask_from_updated |= masked.mask_from_updated;
    return masked.category < ExprCategory::masked ? refused(result, DiagnosticId::on_dense) : result;
}

constexpr ExprType check_to_dense(const ExprType& value, const ExprType& fill) {
    ExprType result = value;
    result.mask = {};
    result.mask_from_updated = false;
    if (value.category < ExprCategory::masked) return refused(result, DiagnosticId::to_dense_of_dense);
    if (fill.category == ExprCategory::dense || fill.category == ExprCategory::masked)
        return refused(result, DiagnosticId::fill_with_elements);
    result.category = std::max(value.category, fill.category);
    if (result.category >= ExprCategory::open) return result;
    result.category = ExprCategory::dense;
    result.type = strong(value.type);
    return result;
}

/// The result of Op, of the table or the graph's own; an operand's fault is its fault.
template <class Op>
constexpr ExprType check_op(std::initializer_list<ExprType> operands) {
    for (const ExprType& operand : operands) {
        if (operand.fault != DiagnosticId::none) return operand;
    }
    if constexpr (std::is_same_v<Op, op::On>) {
        return holding(check_on(operands.begin()[0], operands.begin()[1]), operands);
    } else if constexpr (std::is_same_v<Op, op::ToDense>) {
        return holding(check_to_dense(operands.begin()[0], operands.begin()[1]), operands);
    } else {
        return holding(check(Op::info, operands), operands);
    }
}

/// Fault of an update of a symbol by a value, or none.
constexpr DiagnosticId check_update(SymbolKind target, DType dtype, const ExprType& value) {
    if (value.has_tensors) return DiagnosticId::tensor_operand;
    if (value.needs_eval) return DiagnosticId::needs_eval;
    if (target == SymbolKind::masked) return DiagnosticId::masked_updated;
    if (target == SymbolKind::in) return DiagnosticId::in_updated;
    if (target == SymbolKind::scalar) return DiagnosticId::scalar_updated;
    if (value.category >= ExprCategory::open) return DiagnosticId::none;
    if (target == SymbolKind::scalar_state) {
        if (value.category == ExprCategory::masked) return DiagnosticId::state_takes_masked;
        if (value.category == ExprCategory::dense) return DiagnosticId::state_takes_elements;
        return DiagnosticId::none;
    }
    if (dtype == DType::boolean && value.type.dtype != DType::boolean) return DiagnosticId::bool_takes_number;
    return !info_of(dtype).is_float && info_of(value.type.dtype).is_float ? DiagnosticId::whole_takes_float
                                                                          : DiagnosticId::none;
}

}  // namespace type_rules

}  // namespace frisket
