// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/expressions/expression_context.hpp"
#include "../../ir/graph.hpp"

#include <frisket/runtime.hpp>

#include <functional>
#include <span>
#include <string>

namespace conformance {

/// Functions that carry out graphs.
struct Backend {
    /// Runs a step on arguments in the order of its symbols.
    std::function<void(const frisket::Graph&, std::span<const frisket::Argument>)> step;
    /// Gives the results of an expression; empty where expressions cannot be run yet.
    frisket::ir::ExpressionContext::Evaluate evaluate;
};

/// The interpreter, or kernels compiled just in time: "interpret", "jit", or the name of a target.
/// Errors: TargetError for a target that is unknown or absent.
Backend backend_of(const std::string& via);

}  // namespace conformance
