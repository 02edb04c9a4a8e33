// SPDX-License-Identifier: MIT
#pragma once
#include "../executor.hpp"

#include <optional>
#include <span>
#include <vector>

namespace frisket {

/// The results of an expression whose masked arguments are lists of places, from what is stored: the executor
/// is given an expression over the stored values, with dense arguments gathered at the places.  Where the
/// arguments specify the same places in one layout, results that are masked as they are have their layout and
/// share their lists; other masked results are coo.  Reductions along some dimensions, views and products are
/// made before what reads them (sparse_prologue.hpp). Nothing if the expression looks at more than the stored
/// places, or if nothing is listed.
/// Shape: the call has been checked, also that masks which meet are equal.
/// Cost: linear in what is stored, and in the graph.
/// Errors: those of the executor, and of the graph's checks.
std::optional<std::vector<Result>> coiterate(const Graph& graph, std::span<const Argument> arguments,
                                             const Executor& executor);

}  // namespace frisket
