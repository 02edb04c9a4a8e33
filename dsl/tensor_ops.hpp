// SPDX-License-Identifier: MIT
// Defines the nodes of operations on whole tensors.
#pragma once
#include "dims.hpp"
#include "graph_emitter.hpp"
#include "node.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Operations on whole tensors as nodes: reductions, views, indexing, products.  Each is a type with a row
/// `info`, its attributes as members, and `lower`, which makes instructions of its operands.
namespace frisket {

/// The dtype of a result.
enum class WholeType : std::uint8_t {
    kept,      ///< operand 0's
    summed,    ///< floats: operand 0's; integers and bool: int64
    floats,    ///< operand 0's, which must be a float
    as_float,  ///< floats: operand 0's; integers and bool: float32
    int64,
    boolean,
    common,   ///< the operands' common dtype
    numbers,  ///< the operands' common dtype, which must not be bool
};

/// Kinds of the operands after the first.
enum class WholeOthers : std::uint8_t {
    tensors,
    indices,  ///< integers
    mask,     ///< bool
};

struct TensorOpInfo {
    std::string_view name;
    WholeType type = WholeType::kept;
    WholeOthers others = WholeOthers::tensors;
    /// Mask of the result: of all operands together, of the first operand, none, or the operation's own.
    enum class Mask : std::uint8_t { operands, first, none, own } mask = Mask::operands;
    bool needs_eval = false;  ///< positions depend on values
};

namespace type_rules {

constexpr ElementType whole_type(WholeType type, ElementType first, ElementType common) {
    const bool is_float = info_of(first.dtype).is_float;
    switch (type) {
        case WholeType::summed: return {.dtype = is_float ? first.dtype : DType::int64};
        case WholeType::as_float: return {.dtype = is_float ? first.dtype : DType::float32};
        case WholeType::int64: return {.dtype = DType::int64};
        case WholeType::boolean: return {.dtype = DType::boolean};
        case WholeType::common:
        case WholeType::numbers: return strong(common);
        default: return strong(first);
    }
}

constexpr DiagnosticId whole_fault(const TensorOpInfo& row, std::initializer_list<ExprType> operands,
                                   DType common) {
    const ExprType& first = *operands.begin();
    if (first.category == ExprCategory::scalar) return DiagnosticId::number_for_tensor;
    if (row.type == WholeType::floats && !info_of(first.type.dtype).is_float)
        return DiagnosticId::needs_float_elements;
    if (row.type == WholeType::numbers && common == DType::boolean) return DiagnosticId::bool_arithmetic;
    for (const ExprType* other = operands.begin() + 1; other < operands.end(); ++other) {
        const DType dtype = other->type.dtype;
        if (other->category == ExprCategory::scalar) return DiagnosticId::number_for_tensor;
        if (row.others == WholeOthers::mask && dtype != DType::boolean) return DiagnosticId::mask_of_numbers;
        if (row.others == WholeOthers::indices && (info_of(dtype).is_float || dtype == DType::boolean))
            return DiagnosticId::index_of_floats;
    }
    return DiagnosticId::none;
}

/// The result of an operation on whole tensors; an operand's fault is its fault.
constexpr ExprType check_whole(const TensorOpInfo& row, std::initializer_list<ExprType> operands) {
    ExprType result;
    ElementType common = operands.begin()->type;
    for (const ExprType& operand : operands) {
        if (operand.fault != DiagnosticId::none) return operand;
        result.category = std::max(result.category, operand.category);
        result.reads_updated |= operand.reads_updated;
        result.mask_from_updated |= operand.mask_from_updated;
        common = promote(common, operand.type);
    }
    result.has_structure = true;
    result.needs_eval = row.needs_eval;
    if (result.category >= ExprCategory::open) return holding(result, operands);
    const DiagnosticId fault = whole_fault(row, operands, common.dtype);
    if (fault != DiagnosticId::none) return refused(result, fault);
    result.type = whole_type(row.type, operands.begin()->type, common);
    if (row.mask == TensorOpInfo::Mask::first) {
        result.category = operands.begin()->category;
    } else if (row.mask == TensorOpInfo::Mask::none) {
        result.category = ExprCategory::dense;
        result.mask_from_updated = false;
    } else if (row.mask == TensorOpInfo::Mask::own) {
        result.category = ExprCategory::masked;
        result.mask_from_updated |= result.reads_updated;
    }
    return holding(result, operands);
}

}  // namespace type_rules

template <class Op, class... Operands>
struct WholeNode;

template <class Op, class A>
struct WholeNode<Op, A> : Selection<WholeNode<Op, A>> {
    using WholeOperation = Op;
    static constexpr int leaves = A::leaves;
    static constexpr ExprType expr_type = Op::check({A::expr_type});
    static constexpr ExprType check(StepChecker& step) { return Op::check({A::check(step)}); }
    constexpr WholeNode(const Op& attributes, A x) : op(attributes), a(std::move(x)) {}
    WholeNode(const WholeNode&) = default;
    WholeNode(WholeNode&&) = default;
    WholeNode& operator=(const WholeNode&) & = default;
    WholeNode& operator=(WholeNode&&) & = default;
    using Selection<WholeNode>::operator=;
    [[no_unique_address]] Op op;
    [[no_unique_address]] A a;
};

template <class Op, class A, class B>
struct WholeNode<Op, A, B> : Selection<WholeNode<Op, A, B>> {
    using WholeOperation = Op;
    static constexpr int leaves = A::leaves + B::leaves;
    static constexpr ExprType expr_type = Op::check({A::expr_type, B::expr_type});
    static constexpr ExprType check(StepChecker& step) { return Op::check({A::check(step), B::check(step)}); }
    constexpr WholeNode(const Op& attributes, A x, B y) : op(attributes), a(std::move(x)), b(std::move(y)) {}
    WholeNode(const WholeNode&) = default;
    WholeNode(WholeNode&&) = default;
    WholeNode& operator=(const WholeNode&) & = default;
    WholeNode& operator=(WholeNode&&) & = default;
    using Selection<WholeNode>::operator=;
    [[no_unique_address]] Op op;
    [[no_unique_address]] A a;
    [[no_unique_address]] B b;
};

/// An operand in a tuple, which asks whether its elements can be assigned: symbols answer with a sentence.
template <class A>
struct WholePart {
    constexpr explicit WholePart(const A& x) : a(x) {}
    constexpr WholePart(const WholePart&) = default;
    WholePart& operator=(const WholePart&) = delete;
    [[no_unique_address]] A a;
};

/// Any number of operands of any types.
template <class Op, class... Parts>
struct WholeOf : Selection<WholeOf<Op, Parts...>> {
    using WholeOperation = Op;
    static constexpr int leaves = (Parts::leaves + ...);
    static constexpr ExprType expr_type = Op::check({Parts::expr_type...});
    static constexpr ExprType check(StepChecker& step) { return Op::check({Parts::check(step)...}); }
    constexpr explicit WholeOf(const Op& attributes, const Parts&... operands)
        : op(attributes), parts(WholePart<Parts>(operands)...) {}
    WholeOf(const WholeOf&) = default;
    WholeOf& operator=(const WholeOf&) & = delete;
    using Selection<WholeOf>::operator=;
    [[no_unique_address]] Op op;
    std::tuple<WholePart<Parts>...> parts;
};

/// Any number of operands of one type.
template <class Op, class Part>
struct WholeOfMany : Subscripts<WholeOfMany<Op, Part>> {
    using WholeOperation = Op;
    static constexpr int leaves = Part::leaves;
    static constexpr ExprType expr_type = Op::check({Part::expr_type});
    static constexpr ExprType check(StepChecker& step) { return Op::check({Part::check(step)}); }
    WholeOfMany(const Op& attributes, std::vector<Part> operands)
        : op(attributes), parts(std::move(operands)) {}
    [[no_unique_address]] Op op;
    std::vector<Part> parts;
};

/// Base of most rows: the result follows from `Row::info`.  `Attributes`: the number of members.
template <class Row, int Attributes = 0>
struct TensorOp {
    static constexpr int attribute_count = Attributes;
    static constexpr ExprType check(std::initializer_list<ExprType> operands) {
        return type_rules::check_whole(Row::info, operands);
    }
};

namespace detail {

template <class Op, class... A>
using WholeNodeOf = typename CheckedNode<WholeNode<Op, Operand<A>...>, A...>::Type;
template <class Op, class... A>
using WholePartsOf = typename CheckedNode<WholeOf<Op, Operand<A>...>, A...>::Type;
template <class Op, class Part>
using WholeListOf = typename CheckedNode<WholeOfMany<Op, Operand<Part>>, Part>::Type;

template <class Op, class... A>
constexpr auto whole(const Op& op, const A&... a) {
    return checked(WholeNode<Op, Operand<A>...>(op, operand(a)...));
}
template <class Op, class... Parts>
constexpr auto whole_of(const Op& op, const Parts&... parts) {
    return checked(WholeOf<Op, Operand<Parts>...>(op, operand(parts)...));
}
template <class Op, class Part>
auto whole_of_many(const Op& op, std::span<const Part> parts) {
    if (parts.empty()) throw ValueError(std::string(Op::info.name) + " of no tensors: give one or more");
    std::vector<Operand<Part>> operands;
    for (const Part& part : parts) operands.push_back(operand(part));
    return checked(WholeOfMany<Op, Operand<Part>>(op, std::move(operands)));
}

}  // namespace detail

}  // namespace frisket
