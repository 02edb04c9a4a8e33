// SPDX-License-Identifier: MIT
#pragma once
#include "backend.hpp"
#include "compare.hpp"
#include "program.hpp"

#include <stdexcept>
#include <vector>

namespace conformance {

/// Forbidden behaviour of a run: it wrote beyond its target, depends on unspecified bytes, or left some out.
struct Fault : std::runtime_error { using std::runtime_error::runtime_error; };

/// Runs a step twice, on targets and unspecified inputs of two poisons: an element counts as written unless
/// both targets still hold theirs, and both runs must agree.
/// Errors: the library's; Fault.
std::vector<Got> observe(const Step& step, const std::vector<Input>& inputs, const Backend& backend);

}  // namespace conformance
