// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../interpreter/interpret.hpp"

#include <cstdint>

/// Positions that depend on values, of operations which are given them while a graph is made.
namespace frisket::ir {

/// Finds the row-major positions of the specified elements that are true.
/// Cost: linear in a list's entries, or in the elements of any other layout.
AnyTensor true_positions(const Result& condition);

/// Finds the position of the lower median of the specified elements in each slice along the last dimension.
/// A slice with a NaN has the position of the NaN, a slice without specified elements position 0.
/// Cost: as true_positions, and linear in the number of slices.  Errors: TargetError for a device's tensor.
Tensor<std::int64_t> median_positions(const Result& x);

}  // namespace frisket::ir
