// SPDX-License-Identifier: MIT
// Splits a step whose gradients are lists into the gradients and the steps that read them.
#pragma once
#include "stage.hpp"

#include <optional>
#include <vector>

namespace frisket::planning {

/// A step with gradients that are lists: they are values that are computed first, which steps read as masked
/// tensors.
struct GradientParts {
    Stage first;  ///< an expression: the gradients, other values computed with them, and all checks
    std::vector<Stage> skips;  ///< as Partition's
    /// Steps with shapes, none of which reads the targets of another, in the order of their first updates.
    std::vector<Stage> steps;
};

/// Nothing if the step has no such gradient.
/// Shape: `step` has shapes.
std::optional<GradientParts> split_gradients(const Graph& step);

}  // namespace frisket::planning
