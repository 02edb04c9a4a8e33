// SPDX-License-Identifier: MIT
#pragma once
#include "backend.hpp"
#include "compare.hpp"
#include "program.hpp"

#include <vector>

namespace conformance {

/// The results of a case as an expression over whole tensors; `split` returns all its parts.
/// Errors: the library's; Skip for operations that expressions cannot do yet.
std::vector<Got> run_expression(const Json& test, const std::vector<Input>& inputs, const Backend& backend);

}  // namespace conformance
