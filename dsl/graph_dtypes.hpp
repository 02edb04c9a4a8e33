// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/dtype.hpp"
#include "ops.hpp"

#include <algorithm>
#include <span>

/// Promotion, for the type checker and for graphs alike: bool < weak int < int32 < int64 < weak float <
/// float32 < float64.
namespace frisket {

/// A dtype, and whether it is that of a host number, which takes the dtype of what it meets.
struct ElementType {
    DType dtype = DType::float32;
    bool weak = false;
    bool operator==(const ElementType&) const = default;
};

/// The type that holds both.
constexpr ElementType promote(ElementType a, ElementType b) {
    if (a.weak == b.weak) return {.dtype = std::max(a.dtype, b.dtype), .weak = a.weak};
    const ElementType elements = a.weak ? b : a, number = a.weak ? a : b;
    if (number.dtype == DType::boolean || info(elements.dtype).is_float) return elements;
    if (info(number.dtype).is_float) return {.dtype = DType::float32};
    return {.dtype = elements.dtype == DType::boolean ? DType::int64 : elements.dtype};
}

/// A host number made into elements with nothing to meet: float32 for a float.
constexpr ElementType strong(ElementType type) {
    if (type.weak && type.dtype == DType::float64) return {.dtype = DType::float32};
    return {.dtype = type.dtype};
}

/// The common type of the operands that are converted to it (of `where`: the branches).
constexpr ElementType common_type(DTypeRule rule, std::span<const ElementType> operands) {
    if (rule == DTypeRule::branches) operands = operands.subspan(1);
    ElementType common = operands[0];
    for (ElementType operand : operands.subspan(1)) common = promote(common, operand);
    return common;
}

/// The type of an operation's result.
constexpr ElementType result_type(DTypeRule rule, std::span<const ElementType> operands) {
    const ElementType common = common_type(rule, operands);
    switch (rule) {
        case DTypeRule::common: return common;
        case DTypeRule::floating:
            if (info(common.dtype).is_float) return common;
            return {.dtype = common.weak ? DType::float64 : DType::float32, .weak = common.weak};
        case DTypeRule::boolean:
        case DTypeRule::logical: return {.dtype = DType::boolean, .weak = common.weak};
        case DTypeRule::branches: break;
    }
    return operands[0].weak ? common : strong(common);
}

}  // namespace frisket
