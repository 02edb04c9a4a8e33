// SPDX-License-Identifier: MIT
#pragma once
#include "observe.hpp"

#include <string>

namespace conformance {

/// How far values may lie apart: |got - want| <= atol + rtol * |want|.
struct Tolerance {
    double rtol = 0;
    double atol = 0;
};

/// What differs from the expected value of a case, with got and want; empty if nothing does.
/// Kind, dtype, shape and mask must be equal; NaN equals NaN; what is unspecified is not compared.
/// Errors: Skip for expected values of a kind or dtype that does not exist yet.
std::string difference(const Observed& got, const Json& want, Tolerance tolerance);

}  // namespace conformance
