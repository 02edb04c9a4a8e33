// SPDX-License-Identifier: MIT
#pragma once
#include "case.hpp"

namespace goldens {

/// Every rule, meaning of unspecified elements, and layout: docs/optimizers.md.
struct SupportTable {
    std::string text;
    std::vector<std::string> failures;
};

/// Runs each optimizer with every set of options that the cases have, three steps for each layout of the
/// gradient, by the interpreter and by compiled loops, and compares with the interpreter over the layout
/// `strided`: to the bit, or, where a step holds reductions or rows catch up, within 1e-6.
SupportTable support_table(const std::vector<Json>& cases);

}  // namespace goldens
