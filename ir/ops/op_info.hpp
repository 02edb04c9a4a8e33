// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/tensor/dtype.hpp"

#include <cstdint>
#include <string_view>

/// The columns of the table of operations.
namespace frisket {

/// Which elements of a result are specified.
enum class MaskRule : std::uint8_t {
    operands,  ///< those of the masked operands, which must specify the same ones
    branch,    ///< where(c, x, y): those of the condition, and of the branch taken
};

/// The dtype of a result; operands are converted to their common dtype first.
enum class DTypeRule : std::uint8_t {
    common,    ///< the operands' common dtype
    floating,  ///< the same if it is a float, else float32
    boolean,   ///< bool
    logical,   ///< bool, and the operands are converted to bool first: whether they differ from 0
    branches,  ///< the common dtype of operands 1 and 2; operand 0 is bool
};

/// The common dtypes that an operation is defined for.
enum class Accepts : std::uint8_t {
    any,
    numbers,  ///< not bool
    floats,
    bits,   ///< whole numbers and bool
    whole,  ///< whole numbers
};

/// What whole numbers must be checked for before the operation is used; what it gives otherwise is some
/// number: nothing traps, so that unspecified elements do no harm.
enum class ValueCheck : std::uint8_t {
    none,
    divisor,   ///< operand 1 must not be 0
    exponent,  ///< operand 1 must not be negative
};

/// How a result follows its operands.
enum class Gradient : std::uint8_t {
    formula,  ///< the row's `derivative`
    zero,     ///< in steps: 0 wherever there is a derivative
    none,     ///< the result is no float, or has no derivative here
};

/// Where loops of a device (GPU) have the operation; loops of a CPU have all.
enum class Device : std::uint8_t {
    all,
    whole,  ///< for whole numbers and bool alone
    none,   ///< needs a function of the C library
};

/// A row of the table of operations.
struct OpInfo {
    std::string_view name;
    int arity = 1;
    DTypeRule dtype = DTypeRule::common;
    MaskRule mask = MaskRule::operands;
    Accepts accepts = Accepts::any;
    bool unites = false;  ///< has an identity: where one operand alone is specified, a union has that one
    ValueCheck check = ValueCheck::none;
    Gradient gradient = Gradient::formula;
    Device device = Device::all;

    /// True if gradients can pass.
    constexpr bool differentiable() const { return gradient != Gradient::none; }
};

/// Whether an operation is defined for operands of this common dtype.
constexpr bool accepts(Accepts accepted, DType common) {
    const bool is_bool = common == DType::boolean, is_float = info(common).is_float;
    switch (accepted) {
        case Accepts::any: return true;
        case Accepts::numbers: return !is_bool;
        case Accepts::floats: return is_float;
        case Accepts::bits: return !is_float;
        case Accepts::whole: break;
    }
    return !is_float && !is_bool;
}

/// Whether operands are of this dtype once they are converted (of `where`: the branches).
constexpr bool computes_in(const OpInfo& op, DType dtype) {
    if (op.dtype == DTypeRule::logical) return dtype == DType::boolean;
    if (op.dtype == DTypeRule::floating) return info(dtype).is_float;
    return accepts(op.accepts, dtype);
}

/// Whether loops of a device have the operation for operands of this dtype.
constexpr bool on_device(const OpInfo& op, DType dtype) {
    return op.device == Device::all || (op.device == Device::whole && !info(dtype).is_float);
}

}  // namespace frisket
