// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "../../dsl/expression_key.hpp"
#include "../../ir/interpreter/interpret.hpp"
#include "../../ir/planner/executor/backend.hpp"
#include "../../ir/planner/shaped_step.hpp"

namespace frisket::codegen {

class LoopProvider;
class PreparedCall;

/// The results of a call of eval or of a function which has this key, run without a graph and not planned
/// again; nothing if no such call is known, or if these tensors need another: masks that meet differ, a check
/// of values fails, or a test on which the plan depends has another answer.  `memory`: memory for the
/// results, or nothing; results may use other memory.
/// Threads: any number.
std::optional<std::vector<Result>> run_known_call(const detail::ExpressionKey& key,
                                                  std::span<const planning::ResultMemory> memory = {});

/// True if a call with this key was made shortly before: it is worth keeping.  Numbers that change with each
/// call fill nothing so.
bool is_met_again(const detail::ExpressionKey& key) noexcept;
/// Stores a call that was run, and drops the least recently used calls.  `arguments`: the arguments that the
/// key describes.
void keep_call(const detail::ExpressionKey& key, std::span<const Argument> arguments,
               std::shared_ptr<PreparedCall> call);

/// A function whose calls run as before if they are known, else by the loops that `loops` finds.
/// `tuning_number`: returns a number that changes when these may have other schedules.
std::shared_ptr<planning::ShapedFunction> known_function(std::vector<std::string_view> parameters,
                                                         planning::ShapedGraph::Describe describe,
                                                         std::function<const LoopProvider&()> loops,
                                                         std::uint64_t (*tuning_number)() noexcept);

/// Number of calls that were found, by any thread.
std::size_t known_calls_found() noexcept;

}  // namespace frisket::codegen
