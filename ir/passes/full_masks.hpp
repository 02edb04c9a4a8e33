// SPDX-License-Identifier: MIT
// Removes masks that are true everywhere from steps.
#pragma once
#include "../graph.hpp"

namespace frisket::ir {

/// The step without masks that are true everywhere, as masks of gradients are for tensors that are read
/// whole: values under them are dense, and updates under them are of all elements.
/// Shape: `step` has shapes.
Graph without_full_masks(const Graph& step);

}  // namespace frisket::ir
