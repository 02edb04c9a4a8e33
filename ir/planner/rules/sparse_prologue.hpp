// SPDX-License-Identifier: MIT
#pragma once
#include "../iteration_space.hpp"
#include "coiterate.hpp"

#include <optional>
#include <span>
#include <vector>

namespace frisket {

/// The results of an expression over lists that reduces along some dimensions what is listed, moves it, or
/// multiplies it as a matrix: these instructions are made first, from what is stored; then the executor is
/// given the expression over what they give, which are lists. Nothing if there is no such instruction.
/// Cost: linear in what is stored, that of sorting where places change their order, and that of what is left.
std::optional<std::vector<Result>> run_sparse_prologue(const Graph& graph,
                                                       std::span<const Argument> arguments,
                                                       const IterationSpace& space, const Executor& executor);

}  // namespace frisket
