// SPDX-License-Identifier: MIT
#pragma once
#include "dims.hpp"
#include "lowering.hpp"
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
    summed,    ///< floats: operand 0's; whole numbers and bool: int64
    floats,    ///< operand 0's, which must be a float
    as_float,  ///< floats: operand 0's; whole numbers and bool: float32
    int64,
    boolean,
    common,   ///< the operands' common dtype
    numbers,  ///< the same, and it must not be bool
};

/// What operands after the first are.
enum class WholeOthers : std::uint8_t {
    tensors,
    indices,  ///< whole numbers
    mask,     ///< bool
};

struct WholeInfo {
    std::string_view name;
    WholeType type = WholeType::kept;
    WholeOthers others = WholeOthers::tensors;
    /// Whether the result is masked: as its operands together, as the first, never, or always.
    enum class Mask : std::uint8_t { operands, first, none, own } mask = Mask::operands;
    bool needs_eval = false;  ///< positions depend on values
};

namespace rules {

constexpr ElementType whole_type(WholeType type, ElementType first, ElementType common) {
    const bool is_float = info(first.dtype).is_float;
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

constexpr Fault whole_fault(const WholeInfo& row, std::initializer_list<Judgement> operands, DType common) {
    const Judgement& first = *operands.begin();
    if (first.standing == Standing::scalar) return Fault::number_for_tensor;
    if (row.type == WholeType::floats && !info(first.type.dtype).is_float) return Fault::needs_float_elements;
    if (row.type == WholeType::numbers && common == DType::boolean) return Fault::bool_arithmetic;
    for (const Judgement* other = operands.begin() + 1; other < operands.end(); ++other) {
        const DType dtype = other->type.dtype;
        if (other->standing == Standing::scalar) return Fault::number_for_tensor;
        if (row.others == WholeOthers::mask && dtype != DType::boolean) return Fault::mask_of_numbers;
        if (row.others == WholeOthers::indices && (info(dtype).is_float || dtype == DType::boolean))
            return Fault::index_of_floats;
    }
    return Fault::none;
}

/// The result of an operation on whole tensors; an operand's fault is its fault.
constexpr Judgement judge_whole(const WholeInfo& row, std::initializer_list<Judgement> operands) {
    Judgement result;
    ElementType common = operands.begin()->type;
    for (const Judgement& operand : operands) {
        if (operand.fault != Fault::none) return operand;
        result.standing = std::max(result.standing, operand.standing);
        result.reads_updated |= operand.reads_updated;
        result.mask_from_updated |= operand.mask_from_updated;
        common = promote(common, operand.type);
    }
    result.has_structure = true;
    result.needs_eval = row.needs_eval;
    if (result.standing >= Standing::open) return holding(result, operands);
    const Fault fault = whole_fault(row, operands, common.dtype);
    if (fault != Fault::none) return refused(result, fault);
    result.type = whole_type(row.type, operands.begin()->type, common);
    if (row.mask == WholeInfo::Mask::first) {
        result.standing = operands.begin()->standing;
    } else if (row.mask == WholeInfo::Mask::none) {
        result.standing = Standing::dense;
        result.mask_from_updated = false;
    } else if (row.mask == WholeInfo::Mask::own) {
        result.standing = Standing::masked;
        result.mask_from_updated |= result.reads_updated;
    }
    return holding(result, operands);
}

}  // namespace rules

template <class Op, class... Operands>
struct WholeNode;

template <class Op, class A>
struct WholeNode<Op, A> : Subscripts<WholeNode<Op, A>> {
    using WholeOperation = Op;
    static constexpr int leaves = A::leaves;
    static constexpr Judgement judgement = Op::judge({A::judgement});
    static constexpr Judgement judge(StepJudge& step) { return Op::judge({A::judge(step)}); }
    constexpr WholeNode(const Op& attributes, const A& x) : op(attributes), a(x) {}
    [[no_unique_address]] Op op;
    [[no_unique_address]] A a;
};

template <class Op, class A, class B>
struct WholeNode<Op, A, B> : Subscripts<WholeNode<Op, A, B>> {
    using WholeOperation = Op;
    static constexpr int leaves = A::leaves + B::leaves;
    static constexpr Judgement judgement = Op::judge({A::judgement, B::judgement});
    static constexpr Judgement judge(StepJudge& step) { return Op::judge({A::judge(step), B::judge(step)}); }
    constexpr WholeNode(const Op& attributes, const A& x, const B& y) : op(attributes), a(x), b(y) {}
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
struct WholeOf : Subscripts<WholeOf<Op, Parts...>> {
    using WholeOperation = Op;
    static constexpr int leaves = (Parts::leaves + ...);
    static constexpr Judgement judgement = Op::judge({Parts::judgement...});
    static constexpr Judgement judge(StepJudge& step) { return Op::judge({Parts::judge(step)...}); }
    constexpr explicit WholeOf(const Op& attributes, const Parts&... operands)
        : op(attributes), parts(WholePart<Parts>(operands)...) {}
    [[no_unique_address]] Op op;
    std::tuple<WholePart<Parts>...> parts;
};

/// Any number of operands of one type.
template <class Op, class Part>
struct WholeOfMany : Subscripts<WholeOfMany<Op, Part>> {
    using WholeOperation = Op;
    static constexpr int leaves = Part::leaves;
    static constexpr Judgement judgement = Op::judge({Part::judgement});
    static constexpr Judgement judge(StepJudge& step) { return Op::judge({Part::judge(step)}); }
    WholeOfMany(const Op& attributes, std::vector<Part> operands)
        : op(attributes), parts(std::move(operands)) {}
    [[no_unique_address]] Op op;
    std::vector<Part> parts;
};

/// What most rows derive from: the result follows from `Row::info`.
template <class Row>
struct WholeOp {
    static constexpr Judgement judge(std::initializer_list<Judgement> operands) {
        return rules::judge_whole(Row::info, operands);
    }
};

namespace detail {

template <class T>
using Operand = std::remove_cvref_t<decltype(operand(std::declval<const T&>()))>;

template <class Op, class A>
constexpr auto whole(const Op& op, const A& a) {
    return checked(WholeNode<Op, Operand<A>>(op, operand(a)));
}
template <class Op, class A, class B>
constexpr auto whole(const Op& op, const A& a, const B& b) {
    return checked(WholeNode<Op, Operand<A>, Operand<B>>(op, operand(a), operand(b)));
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
