// SPDX-License-Identifier: MIT
// Splits a step into values that are computed first and elementwise steps.
#pragma once
#include "stage.hpp"

#include <vector>

/// A step with reductions, views and the like, taken apart into parts that loops can do: values that are
/// computed first, and then elementwise steps.
namespace frisket::planning {

/// Parts of a step's call, in the order in which they run.
struct Partition {
    /// An expression: values that the steps need and that are no elementwise functions of their arguments,
    /// from the tensors as they are before the step, and all checks of values.
    Stage values;
    /// Expressions that follow: where the result of one, a bool of rank 0, is true, the step changes nothing.
    std::vector<Stage> skips;
    /// Steps without shapes: one for each shape of targets, in the order of their first updates.
    std::vector<Stage> steps;
};

/// Shape: `step` has shapes.  The steps keep the names and the order of the updates.
Partition partition(const Graph& step);

}  // namespace frisket::planning
