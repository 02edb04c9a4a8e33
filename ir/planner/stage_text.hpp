// SPDX-License-Identifier: MIT
#pragma once
#include "coordinate_set.hpp"
#include "executor.hpp"
#include "iteration_space.hpp"

namespace frisket {

/// Calls of an expression that a plan shows; deeper ones are "...".
inline constexpr int body_depth = 6;
/// The results of an expression, or the updates of a step: "param takes sub(param, mul(lr, grad))".
std::string body_text(const Graph& graph);
/// "5 positions", "2 rows": the coordinates of a set, counted.
std::string places_text(const CoordinateSet& places);
/// Reads of the operands of a graph that is evaluated at the coordinates of a set.
std::vector<StageOperand> reads_at(const Graph& graph, const IterationSpaceAnalysis& nodes,
                                   const CoordinateSet& places, Rule rule);
/// The stage over the coordinates of an expression's lists.
Executor::Within stage_at(const Graph& graph, const IterationSpaceAnalysis& nodes,
                          const CoordinateSet& places, Rule rule);

}  // namespace frisket
