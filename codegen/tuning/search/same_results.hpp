// SPDX-License-Identifier: MIT
// Compares the results of two evaluations bit by bit.
#pragma once
#include <span>

#include "../../../ir/interpreter/interpret.hpp"

namespace frisket::codegen {

/// True if two evaluations have the same results: equal shapes, dtypes, layouts, lists and masks, and the
/// same bits in each specified element, where all NaN are equal.
bool are_same(std::span<const Result> a, std::span<const Result> b);

}  // namespace frisket::codegen
