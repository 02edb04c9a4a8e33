// SPDX-License-Identifier: MIT
// Stores results over the specified elements of a masked tensor in the layout of that tensor.
#pragma once
#include "plan_values.hpp"

namespace frisket::planning {

/// A result over the specified elements of a masked tensor, in its layout.  `positions`: the result has an
/// element for each; null: for each of the whole tensor.  `has_own_mask`: it is specified at some of them.
Result in_layout_of(const AnyMasked& domain, const SampledPositions* positions, const Result& made,
                    bool has_own_mask);

}  // namespace frisket::planning
