// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/signature.hpp"
#include "graph_dtypes.hpp"
#include "ops.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

/// What the type checker knows of an expression, and how an operation's result follows from its operands.
namespace frisket {

/// What can be wrong; the sentences are in diagnose.hpp.
enum class Fault : std::uint8_t {
    none,
    said,  ///< already
    // operands
    bool_constant,
    char_constant,
    tensor_operand,
    untyped_tensor,
    other_operand,
    number_for_tensor,
    needs_float_elements,
    index_of_floats,
    mask_of_numbers,
    meeting_of_other,
    no_identity,
    dims_type,
    needs_eval,
    bool_arithmetic,
    number_as_condition,
    needs_floats,
    needs_whole_numbers,
    on_dense,
    to_dense_of_dense,
    fill_with_elements,
    over_not_masked,
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
};

enum class Standing : std::uint8_t {
    scalar,  ///< a number of the host
    dense,
    masked,
    open,    ///< depends on a Let, whose value is known in its step only
    broken,  ///< refused already
};

struct Judgement {
    Standing standing = Standing::scalar;
    ElementType type{};
    std::string_view mask{};         ///< masked: the symbol that masks it, empty if `where` made the mask
    bool reads_updated = false;      ///< reads elements that the step updates
    bool mask_from_updated = false;  ///< its mask does
    bool has_symbols = false;        ///< it is to be part of a step
    bool has_tensors = false;        ///< it is to be evaluated
    bool has_structure = false;      ///< it holds operations on whole tensors: its graph needs shapes
    bool needs_eval = false;         ///< positions depend on values, which a step cannot know
    bool is_constant = false;        ///< a number of the source
    Fault fault = Fault::none;
    Fault in_steps = Fault::none;  ///< of what depends on values: a step cannot take back what it wrote
};

/// Operations that are the graph's own and no rows of the table.
namespace op {
struct On {};       ///< on(m, x): the operands in this order
struct ToDense {};  ///< to_dense(x, fill)
}  // namespace op

namespace rules {

constexpr Judgement refused(Judgement judgement, Fault fault) {
    judgement.fault = fault;
    judgement.standing = Standing::broken;
    return judgement;
}

/// The result with what its operands hold.
constexpr Judgement holding(Judgement result, std::initializer_list<Judgement> operands) {
    for (const Judgement& operand : operands) {
        result.has_symbols |= operand.has_symbols;
        result.has_tensors |= operand.has_tensors;
        result.has_structure |= operand.has_structure;
        result.needs_eval |= operand.needs_eval;
    }
    const bool mixed = result.has_symbols && result.has_tensors && result.standing != Standing::broken;
    return mixed ? refused(result, Fault::tensor_operand) : result;
}

/// The mask of where(c, x, y): that of c, and of the branch that is taken.
constexpr void judge_branches(Judgement& result, const Judgement& c, const Judgement& x, const Judgement& y) {
    const auto is_masked = [](const Judgement& j) { return j.standing == Standing::masked; };
    const auto agree = [](const Judgement& a, const Judgement& b) {
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

constexpr Fault dtype_fault(const OpInfo& op, std::span<const ElementType> types) {
    const DType common = common_type(op.dtype, types).dtype;
    if (op.dtype == DTypeRule::branches && types[0].dtype != DType::boolean)
        return Fault::number_as_condition;
    if (accepts(op.accepts, common)) return Fault::none;
    if (common == DType::boolean) return Fault::bool_arithmetic;
    return info(common).is_float ? Fault::needs_whole_numbers : Fault::needs_floats;
}

/// Whole numbers divided by what may be 0, or raised to what may be negative.  Which constants are fine, a
/// graph says.
constexpr Fault value_fault(const OpInfo& op, const Judgement& result, const Judgement& second) {
    if (op.check == ValueCheck::none || result.type.weak || info(result.type.dtype).is_float)
        return Fault::none;
    if (second.is_constant) return Fault::none;
    return op.check == ValueCheck::divisor ? Fault::divided_by_elements : Fault::power_of_elements;
}

constexpr Judgement judge(const OpInfo& op, std::initializer_list<Judgement> operands) {
    Judgement result;
    std::array<ElementType, 3> types{};
    std::size_t count = 0;
    for (const Judgement& operand : operands) {
        types[count++] = operand.type;
        result.standing = std::max(result.standing, operand.standing);
        result.reads_updated |= operand.reads_updated;
        result.mask_from_updated |= operand.mask_from_updated;
        if (result.mask.empty()) result.mask = operand.mask;
        if (result.in_steps == Fault::none) result.in_steps = operand.in_steps;
    }
    if (result.standing >= Standing::open) return result;
    const auto used = std::span<const ElementType>(types).first(count);
    if (op.mask == MaskRule::branch) {
        const Judgement* at = operands.begin();
        judge_branches(result, at[0], at[1], at[2]);
    }
    result.type = result_type(op.dtype, used);
    if (count == 2 && result.in_steps == Fault::none)
        result.in_steps = value_fault(op, result, operands.begin()[1]);
    const Fault fault = dtype_fault(op, used);
    return fault == Fault::none ? result : refused(result, fault);
}

constexpr Judgement judge_on(const Judgement& masked, const Judgement& value) {
    Judgement result = value;
    result.standing = std::max({masked.standing, value.standing, Standing::masked});
    result.mask = masked.mask;
    result.is_constant = false;
    result.mask_from_updated |= masked.mask_from_updated;
    return masked.standing < Standing::masked ? refused(result, Fault::on_dense) : result;
}

constexpr Judgement judge_to_dense(const Judgement& value, const Judgement& fill) {
    Judgement result = value;
    result.mask = {};
    result.mask_from_updated = false;
    if (value.standing < Standing::masked) return refused(result, Fault::to_dense_of_dense);
    if (fill.standing == Standing::dense || fill.standing == Standing::masked)
        return refused(result, Fault::fill_with_elements);
    result.standing = std::max(value.standing, fill.standing);
    if (result.standing >= Standing::open) return result;
    result.standing = Standing::dense;
    result.type = strong(value.type);
    return result;
}

/// The result of Op, of the table or the graph's own; an operand's fault is its fault.
template <class Op>
constexpr Judgement judge_op(std::initializer_list<Judgement> operands) {
    for (const Judgement& operand : operands) {
        if (operand.fault != Fault::none) return operand;
    }
    if constexpr (std::is_same_v<Op, op::On>) {
        return holding(judge_on(operands.begin()[0], operands.begin()[1]), operands);
    } else if constexpr (std::is_same_v<Op, op::ToDense>) {
        return holding(judge_to_dense(operands.begin()[0], operands.begin()[1]), operands);
    } else {
        return holding(judge(Op::info, operands), operands);
    }
}

/// Whether a symbol takes a value.
constexpr Fault judge_update(SymbolKind target, DType dtype, const Judgement& value) {
    if (value.has_tensors) return Fault::tensor_operand;
    if (value.needs_eval) return Fault::needs_eval;
    if (target == SymbolKind::masked) return Fault::masked_updated;
    if (target == SymbolKind::in) return Fault::in_updated;
    if (target == SymbolKind::scalar) return Fault::scalar_updated;
    if (value.standing >= Standing::open) return Fault::none;
    if (target == SymbolKind::scalar_state) {
        if (value.standing == Standing::masked) return Fault::state_takes_masked;
        if (value.standing == Standing::dense) return Fault::state_takes_elements;
        return Fault::none;
    }
    if (dtype == DType::boolean && value.type.dtype != DType::boolean) return Fault::bool_takes_number;
    return !info(dtype).is_float && info(value.type.dtype).is_float ? Fault::whole_takes_float : Fault::none;
}

}  // namespace rules

}  // namespace frisket
