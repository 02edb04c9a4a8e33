// SPDX-License-Identifier: MIT
// Rewrites graphs to the form that rules for lists match.
#pragma once
#include "planner.hpp"

#include <optional>

namespace frisket::planning {

/// True if a tensor has no elements: such graphs have no form of their own.
bool has_empty_tensors(const Graph& graph);

/// The graph of a call with the same results, bit for bit, in the form that rules for lists look for: views
/// of views are one view; a sum of products has a mask of terms only if terms of one element differ in it; a
/// product of lists has the mask that is true where it has a term; values that are read without their mask
/// are the values before the mask.  Nothing: the graph has this form.
/// Shape: `request.graph` has shapes, no updates and no empty tensors.
/// Cost: linear in the graph.
std::optional<Graph> list_form(const PlanRequest& request);

}  // namespace frisket::planning
