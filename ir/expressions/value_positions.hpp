// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../interpreter/interpret.hpp"

#include <cstdint>

/// Positions that depend on values, of operations which are given them while a graph is made.
namespace frisket::ir {

/// The row-major positions of what is true and specified.
/// Cost: linear in a list's entries, or in the elements of any other layout.
AnyTensor true_positions(const Result& condition);

/// The positions of the lower medians of what is specified, of NaN if there is one, in all slices along the
/// last dimension; 0 where nothing is.
/// Cost: as true_positions, and linear in the number of slices.  Errors: TargetError for a device's tensor.
Tensor<std::int64_t> median_positions(const Result& x);

}  // namespace frisket::ir
