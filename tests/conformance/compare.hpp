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

/// What a case gave: values, perhaps with a mask; a masked tensor whose storage matters; a number; text; or
/// Jacobians.
using Got =
    std::variant<frisket::Result, frisket::AnyMasked, Scalar, std::string, frisket::build::GradcheckReport>;

/// What differs from an expected value of a case, the first of it; empty if nothing does.
std::string difference(const Got& got, const Json& want, Tolerance tolerance);

/// Whether two results are the same to the bit, wherever they are specified.
bool same(const Got& a, const Got& b);

}  // namespace conformance
