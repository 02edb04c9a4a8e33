// SPDX-License-Identifier: MIT
// Defines the columns of the table of operations, and the promotion of dtypes.
#pragma once
#include "../../runtime/tensor/dtype.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

/// The columns of the table of operations, and promotion, for both the type checker and graphs:
/// bool < host int < int32 < int64 < host float < float32 < float64.
namespace frisket {

/// Rule for the specified elements of a result.
enum class MaskRule : std::uint8_t {
    operands,  ///< elements that the masked operands specify, which must be equal sets
    branch,    ///< where(c, x, y): elements that the condition and the branch taken specify
};

/// The dtype of a result; operands are converted to their common dtype first.
enum class DTypeRule : std::uint8_t {
    common,    ///< the operands' common dtype
    floating,  ///< the operands' common dtype if it is a float, else float32
    boolean,   ///< bool
    logical,   ///< bool, and the operands are converted to bool first: whether they differ from 0
    branches,  ///< the common dtype of operands 1 and 2; operand 0 is bool
};

/// The common dtypes that an operation is defined for.
enum class Accepts : std::uint8_t {
    any,
    numbers,  ///< not bool
    floats,
    bits,   ///< integers and bool
    whole,  ///< integers
};

/// Check of integers before the operation is used; without it the result is some number: nothing traps,
/// so that unspecified elements do no harm.
enum class ValueCheck : std::uint8_t {
    none,
    divisor,   ///< operand 1 must not be 0
    exponent,  ///< operand 1 must not be negative
};

/// Kind of derivative of a result by its operands.
enum class Gradient : std::uint8_t {
    formula,  ///< the row's `derivative`
    zero,     ///< in steps: 0 wherever there is a derivative
    none,     ///< the result is no float, or has no derivative here
};

/// A row of the table of operations.
struct OpInfo {
    std::string_view name;
    int arity = 1;
    DTypeRule dtype = DTypeRule::common;
    MaskRule mask = MaskRule::operands;
    Accepts accepts = Accepts::any;
    bool unites = false;  ///< has an identity: where only one operand is specified, a union has that operand
    ValueCheck check = ValueCheck::none;
    Gradient gradient = Gradient::formula;
    int parameters = 0;  ///< operands before the first that gradients reach: conditions, orders

    /// True if gradients can pass.
    constexpr bool differentiable() const { return gradient != Gradient::none; }
};

/// True if an operation is defined for operands of this common dtype.
constexpr bool accepts(Accepts accepted, DType common) {
    const bool is_bool = common == DType::boolean, is_float = info_of(common).is_float;
    switch (accepted) {
        case Accepts::any: return true;
        case Accepts::numbers: return !is_bool;
        case Accepts::floats: return is_float;
        case Accepts::bits: return !is_float;
        case Accepts::whole: break;
    }
    return !is_float && !is_bool;
}

/// True if operands (of `where`: the branches) are of this dtype once they are converted.
constexpr bool computes_in(const OpInfo& op, DType dtype) {
    if (op.dtype == DTypeRule::logical) return dtype == DType::boolean;
    if (op.dtype == DTypeRule::floating) return info_of(dtype).is_float;
    return accepts(op.accepts, dtype);
}

/// A dtype, and whether it is a host number's, which takes the dtype of the other operand.
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
    if (number.dtype == DType::boolean || info_of(elements.dtype).is_float) return elements;
    if (info_of(number.dtype).is_float) return {.dtype = DType::float32};
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
            if (info_of(common.dtype).is_float) return common;
            return {.dtype = common.is_host_scalar ? DType::float64 : DType::float32,
                    .is_host_scalar = common.is_host_scalar};
        case DTypeRule::boolean:
        case DTypeRule::logical: return {.dtype = DType::boolean, .is_host_scalar = common.is_host_scalar};
        case DTypeRule::branches: break;
    }
    return operands[0].is_host_scalar ? common : strong(common);
}

}  // namespace frisket

/// Rows of the table of operations that only derivatives use.  With them, formulas of derivatives have
/// derivatives themselves, without a choice by value.
namespace frisket::op {

/// 0, whose gradient is 0: the part of a formula that does not depend on its operand.
struct Zero { static constexpr OpInfo info{.name = "zero", .gradient = Gradient::zero}; };
/// 1 / cosh(x).
struct Sech { static constexpr OpInfo info{.name = "sech", .dtype = DTypeRule::floating}; };
/// a / hypot(a, b).
struct Direction {
    static constexpr OpInfo info{.name = "direction", .arity = 2, .dtype = DTypeRule::floating};
};
/// The sum of 1 / (x + k)^n over k >= 0, for whole n from 2 to 63.
struct Zeta {
    static constexpr OpInfo info{.name = "zeta", .arity = 2, .dtype = DTypeRule::floating, .parameters = 1};
};
/// The spherical Bessel function of order n, at pi x; NaN for n > 12.
struct SphericalBessel {
    static constexpr OpInfo info{
        .name = "spherical_bessel", .arity = 2, .dtype = DTypeRule::floating, .parameters = 1};
};
/// The modified Bessel function of the first kind, of order n; NaN for n > 12.
struct BesselI {
    static constexpr OpInfo info{
        .name = "bessel_i", .arity = 2, .dtype = DTypeRule::floating, .parameters = 1};
};

}  // namespace frisket::op
