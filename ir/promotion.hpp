// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/tensor/dtype.hpp"
#include "ops/ops.hpp"

#include <algorithm>
#include <span>

/// Promotion, for the type checker and for graphs alike: bool < host int < int32 < int64 < host float <
/// float32 < float64.
namespace frisket {

/// A dtype, and whether it is that of a host number, which takes the dtype of what it meets.
struct ElementType {
    DType dtype = DType::float32;
    bool is_host_scalar = false;
    bool operator==(const ElementType&) const = default;
};

/// The type that holds both.
constexpr ElementType promote(ElementType a, ElementType b) {
    if (a.is_host_scalar == b.is_host_scalar)
        return {.dtype = std::max(a.dtype, b.dtype), .is_host_scalar = a.is_host_scalar};
    const ElementType elements = a.is_host_scalar ? b : a, number = a.is_host_scalar ? a : b;
    if (number.dtype == DType::boolean || info(elements.dtype).is_float) return elements;
    if (info(number.dtype).is_float) return {.dtype = DType::float32};
    return {.dtype = elements.dtype == DType::boolean ? DType::int64 : elements.dtype};
}

/// A host number made into elements with nothing to meet: float32 for a float.
constexpr ElementType strong(ElementType type) {
    if (type.is_host_scalar && type.dtype == DType::float64) return {.dtype = DType::float32};
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
            return {.dtype = common.is_host_scalar ? DType::float64 : DType::float32,
                    .is_host_scalar = common.is_host_scalar};
        case DTypeRule::boolean:
        case DTypeRule::logical: return {.dtype = DType::boolean, .is_host_scalar = common.is_host_scalar};
        case DTypeRule::branches: break;
    }
    return operands[0].is_host_scalar ? common : strong(common);
}

}  // namespace frisket
