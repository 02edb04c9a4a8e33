// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/interpreter/interpret.hpp"
#include "../../ir/passes/gradient/gradcheck.hpp"
#include "value.hpp"

#include <string>
#include <variant>
#include <vector>

namespace conformance {

struct Tolerance { double rtol = 0, atol = 0; };

/// A number read from a masked tensor, as a tensor of rank 0.
struct Scalar { frisket::AnyTensor value; };

/// Result of a case: values, perhaps with a mask; a masked tensor whose storage matters; a number; text; or
/// Jacobians.
using Got =
    std::variant<frisket::Result, frisket::AnyMasked, Scalar, std::string, frisket::ir::GradcheckReport>;

/// First difference from an expected value of a case; empty if all are equal.
std::string difference(const Got& got, const Json& want, Tolerance tolerance);

/// True if two results are equal to the bit, wherever they are specified.
bool same(const Got& a, const Got& b);

}  // namespace conformance
