// SPDX-License-Identifier: MIT
// Evaluates a body with a backend, and splits long bodies into parts.
#pragma once
#include "backend.hpp"

#include <memory>
#include <span>
#include <vector>

namespace frisket::planning {

/// The results of a body: by its parts, if it is long.  `kept`: as for Backend::evaluate.
/// Errors: the errors of the graph's checks.
std::vector<Result> evaluate_body(const Backend& backend, const Graph& body,
                                  std::span<const Argument> arguments, RunEvents* events,
                                  std::span<const ResultMemory> memory, KeptCall* kept = nullptr);

}  // namespace frisket::planning
