// SPDX-License-Identifier: MIT
#pragma once
#include "../support/case_program.hpp"
#include "backend.hpp"
#include "value.hpp"

#include <optional>
#include <string>

namespace conformance {

using frisket::testing::Outcome;
using frisket::testing::Verdict;

struct Options {
    Backend backend;
    std::optional<frisket::Layout> layout;  ///< give masked inputs in this layout instead of the case's
};

/// Runs one case.  A program with several results runs once for each of them, and once more as a single step.
Verdict run_case(const Json& test, const Options& options);
/// Runs one case in one way only: only by the runtime where that is enough, else as an expression.
Verdict run_meaning(const Json& test, const Options& options);

}  // namespace conformance
