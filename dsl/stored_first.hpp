// SPDX-License-Identifier: MIT
#pragma once
#include "stored.hpp"
#include "stored_graph.hpp"

#include <optional>
#include <span>
#include <vector>

namespace frisket {

/// The results of an expression over lists that reduces along some dimensions what is listed, moves it, or
/// multiplies it as a matrix: these instructions are made first, from what is stored; then `run` is given the
/// expression over what they give, which are lists.
/// Nothing if there is no such instruction.
/// Cost: linear in what is stored, that of sorting where places change their order, and that of `run`.
std::optional<std::vector<Result>> run_lists_first(const Graph& graph, std::span<const Argument> arguments,
                                                   const Listing& listing, const RunGraph& run);

}  // namespace frisket
