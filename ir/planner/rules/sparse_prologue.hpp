// SPDX-License-Identifier: MIT
#pragma once
#include "../planner.hpp"

#include <optional>

namespace frisket::plan {

/// The plan of an expression over lists that reduces listed elements along some dimensions, moves them, or
/// multiplies lists as matrices: list kernels make these nodes from what is stored, and the rest of the graph
/// reads what they make, which are lists.  Nothing if there is no such node.
/// Cost: linear in the graph.
std::optional<Plan> sparse_prologue(const PlanRequest& request);

namespace rules {

extern const Rule segmented_reduce, permutation, spmm, dense_operand;

}  // namespace rules

}  // namespace frisket::plan
