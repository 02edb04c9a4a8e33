// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "../../dsl/expression_key.hpp"
#include "../../ir/interpreter/interpret.hpp"

namespace frisket::codegen {

class BoundCall;

/// The results of a call of eval or of a function which has this key, run without a graph; nothing if no such
/// call is known, or if these tensors need another way: masks differ, a check of values fails, or so little
/// is specified that the planner has parts computed.
/// Threads: any number.
std::optional<std::vector<Result>> run_known_call(const detail::ExpressionKey& key);

/// Keeps a call that was run, if one with this key was run shortly before: numbers that change with each call
/// fill nothing.  The calls that were used last are kept.  `graph`, `arguments`: those that the key stands
/// for.
void keep_call(const detail::ExpressionKey& key, const Graph& graph, std::span<const Argument> arguments,
               std::shared_ptr<const BoundCall> call);

/// Number of calls that were found, by any thread.
std::size_t known_calls_found() noexcept;

}  // namespace frisket::codegen
