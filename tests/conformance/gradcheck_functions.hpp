// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/passes/gradient/gradcheck.hpp"

#include <string>

/// The functions that cases of `gradcheck` name.
namespace conformance {

/// A function of one matrix; those that restrict it do so to the pattern that this matrix has.
/// Errors: ValueError if no function has that name.
frisket::ir::Differentiable gradcheck_function(const std::string& name, const frisket::AnyMasked& x);

}  // namespace conformance
