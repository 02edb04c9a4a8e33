// SPDX-License-Identifier: MIT
// Enumerates the bodies and passes that calls with arguments of given formats can run.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "planner.hpp"

/// The bodies and passes of all plans that calls of given formats can take, whatever their arguments store.
/// Nothing runs, and no tensor has memory.
namespace frisket::planning {

/// The form of a value that a graph reads.
struct ValueForm {
    Format format = {};
    std::optional<AnyTensor> view = {};  ///< view of a dense tensor, for its strides; no element may be read
};

/// The formats that a result can have.
using ResultFormats = std::vector<Format>;

/// Functions that take the parts of plans.
struct PlanTaker {
    /// A body over whole tensors with the extents of a call, and the form of each symbol.
    std::function<void(const Graph& body, std::span<const ValueForm> forms)> body;
    /// An elementwise step, and the format of each symbol.
    std::function<void(const Graph& pass, std::span<const Format> formats)> pass = {};
    /// A step over listed rows.
    std::function<void(const RowPlan& plan)> rows = {};
};

/// Gives `taker` the bodies of all plans of an expression: for each answer to each test, and where
/// coordinates decide an extent, for no, one, few and many of them.  `formats`: each symbol's.
/// `scope`: PlanScope::ahead, or a device's scope.
/// Returns the formats that each result can have.
/// Cost: doubles with each test that a plan asks.
std::vector<ResultFormats> enumerate_bodies(const Graph& graph, std::span<const Format> formats,
                                            PlanScope scope, const PlanTaker& taker);

/// Gives `taker` the bodies and the passes of a step with shapes.  `plan`: the step's.
void enumerate_step(const StepPlan& plan, std::span<const Format> formats, PlanScope scope,
                    const PlanTaker& taker);

}  // namespace frisket::planning
