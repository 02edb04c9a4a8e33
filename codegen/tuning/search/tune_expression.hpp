// SPDX-License-Identifier: MIT
// Searches for the fastest schedule of an expression.
#pragma once
#include "tune.hpp"

namespace frisket::codegen {

/// Parts of an expression's loops that schedules change.
struct LoopParts {
    bool are_parallel = false, have_products = false, have_views = false;
    bool have_shared_values = false;  ///< elementwise values with several readers
    bool have_row_stages = false;     ///< stages along rows, fused by default
};
/// The schedules that loops of such parts can have, first those that differ from the default in one knob.
SchedulesToTry schedules_of_expression(const LoopParts& parts, int lanes);

/// Looks for the schedule with which an expression is evaluated fastest: one schedule for all bodies of its
/// plan.
TuneResult tune_expression(const Graph& graph, std::span<const Argument> arguments,
                           const TuneOptions& options);

}  // namespace frisket::codegen
