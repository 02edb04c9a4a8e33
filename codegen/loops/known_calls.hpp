// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../../dsl/expression_key.hpp"
#include "../../ir/interpreter/interpret.hpp"
#include "../../ir/planner/executor/backend.hpp"
#include "../../ir/planner/shaped_step.hpp"

namespace frisket::codegen {

class PreparedCall;

/// The results of a call of eval or of a function which has this key, run without a graph and not planned
/// again; nothing if no such call is known, or if these tensors need another: masks that meet differ, a check
/// of values fails, or a test on which the plan depends has another answer.  `memory`: of the results, or
/// nothing; they may have other memory.
/// Threads: any number.
std::optional<std::vector<Result>> run_known_call(const detail::ExpressionKey& key,
                                                  std::span<const planning::ResultMemory> memory = {});

/// True if a call with this key was made shortly before: it is worth keeping.  Numbers that change with each
/// call fill nothing so.
bool is_met_again(const detail::ExpressionKey& key) noexcept;
/// Keeps a call that was run.  The calls that were used last are kept.  `arguments`: those that the key
/// stands for.
void keep_call(const detail::ExpressionKey& key, std::span<const Argument> arguments,
               std::shared_ptr<PreparedCall> call);

/// Evaluates a graph; gives the call if somebody asks for it.
using EvaluatePrepared = std::function<std::vector<Result>(const Graph&, std::span<const Argument>,
                                                           std::shared_ptr<PreparedCall>*)>;
/// Calls a function, as before if such a call is known.  `key`: begun with what tells the function from
/// others, and what decides its loops beside its arguments.
std::vector<Result> call_function(detail::ExpressionKey& key, planning::ShapedFunction& function,
                                  std::span<const Argument> arguments, const EvaluatePrepared& evaluate);

/// A number for a function that no other of this process has.
std::uint64_t next_function() noexcept;

/// Number of calls that were found, by any thread.
std::size_t known_calls_found() noexcept;

}  // namespace frisket::codegen
