// SPDX-License-Identifier: MIT
// Defines the interface of backends, which run the bodies of plans.
#pragma once
#include "../../../runtime/kernel/ready.hpp"
#include "../../interpreter/interpret.hpp"
#include "../plan_facts.hpp"
#include "../run_events.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace frisket::planning {

/// Memory for a result: its values, and the mask of one that is masked.  Contiguous, apart from every
/// argument.
struct ResultMemory {
    AnyTensor values;
    std::optional<AnyTensor> mask = {};
};

/// A body of a plan, and arguments of the forms that it will have: elements of a tensor that is not
/// made yet may not be read.
struct BodyCall {
    const Graph& body;
    std::vector<Argument> arguments;
};

/// A call of a body as a backend keeps it: to be run again with arguments of the same forms.
using KeptCall = std::shared_ptr<const void>;

/// Runs the bodies of plans: compiled loops, or the interpreter.
class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    /// The plans for which it has bodies.
    virtual PlanScope scope() const { return PlanScope::any; }
    /// Does the work that bodies need once, before the first of them is evaluated: compiles their loops at
    /// once.
    virtual void prepare(std::span<const BodyCall> /*bodies*/) const {}
    /// The results of an expression over whole tensors.  Adds a BodyEvent.
    /// `memory`: the results', or nothing; a backend may take other memory.
    /// `kept`: the stored call of this body, or none, and takes the call to be stored; null: none is.
    /// Errors: the errors of the graph's checks.
    virtual std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments,
                                         RunEvents* events, std::span<const ResultMemory> memory,
                                         KeptCall* kept) const = 0;
    /// An elementwise step, not yet run, which refers to its arguments and reads them when it runs.  Adds a
    /// PassEvent.
    /// Errors: the errors of a kernel's call.
    virtual kernel_calls::Ready ready(const Graph& step, std::span<const Argument> arguments,
                                      RunEvents* events) const = 0;
    /// A step by blocks of the rows that its masked arguments list, not yet run, which refers to the plan and
    /// the arguments.  Adds a RowsEvent.  Null if the lists differ, or the backend
    /// has no loops over rows: then the step runs in parts.
    virtual kernel_calls::Ready ready_rows(const RowPlan& /*plan*/, std::span<const Argument> /*arguments*/,
                                           RunEvents* /*events*/) const {
        return {};
    }
};

}  // namespace frisket::planning
