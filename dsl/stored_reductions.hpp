// SPDX-License-Identifier: MIT
#pragma once
#include "stored.hpp"
#include "stored_graph.hpp"

#include <optional>
#include <span>
#include <vector>

namespace frisket {

/// The results of an expression over lists that reduces what is listed along some dimensions: these
/// reductions are made first, for the slices in which something is listed, each in row-major order; then
/// `run` is given the expression over what they give, which is a list (coo) of such slices.
/// Nothing if there is no such reduction.
/// Cost: linear in what is stored, and that of `run`.
std::optional<std::vector<Result>> run_reductions_first(const Graph& graph,
                                                        std::span<const Argument> arguments,
                                                        const Listing& listing, const RunGraph& run);

}  // namespace frisket
