// SPDX-License-Identifier: MIT
// Evaluates graphs with compiled loops or the interpreter, as the options specify.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "../../dsl/expression_key.hpp"
#include "../../ir/interpreter/interpret.hpp"
#include "../../ir/planner/executor/backend.hpp"
#include "jit.hpp"

namespace frisket::codegen {

/// Uses of a call besides its results.
struct CallUse {
    planning::RunEvents* events = nullptr;                ///< takes the events of the call
    std::span<const planning::ResultMemory> memory = {};  ///< memory of the results, or nothing
    const detail::ExpressionKey* key = nullptr;           ///< key under which the call is stored
};

/// Evaluates a graph under these options: by compiled loops, or by its plan with interpreted bodies.
std::vector<Result> evaluate_graph(const Graph& graph, std::span<const Argument> arguments,
                                   const EvalOptions& options, const CallUse& use);
/// As evaluate_graph(); shows the plan if FRISKET_SHOW asks for plans.
std::vector<Result> evaluate_shown(const Graph& graph, std::span<const Argument> arguments,
                                   const EvalOptions& options, CallUse use = {});

/// True if FRISKET_SHOW asks for plans.
bool shows_plans();
/// Number of the policy in force: each that is set has another.
std::uint64_t eval_policy_number();

}  // namespace frisket::codegen
