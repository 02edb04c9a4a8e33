// SPDX-License-Identifier: MIT
#pragma once
#include "../interpreter/interpret.hpp"
#include "plan.hpp"

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace frisket {

/// Runs graphs by the rules of the planner: each rule runs its list kernels and gives what is left back, and
/// what no rule changes is one stage of a backend.
class Executor {
public:
    /// Evaluates a graph as it is, by the interpreter or by compiled loops.  With a stage of a plan, adds the
    /// tensors that are stored in between.
    using Backend =
        std::function<std::vector<Result>(const Graph&, std::span<const Argument>, PlanStage* stage)>;

    /// Writes the stages to `plan`, if there is one.  Both outlive the executor.
    explicit Executor(const Backend& backend, Plan* plan = nullptr) : backend_(backend), plan_(plan) {}

    /// The results of an expression whose call has been checked.
    /// Errors: those of the backend, and of the graph's checks.
    std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments) const;

    /// The description that a rule gives of the stage that is left: its space, and its reads there.
    struct Within {
        PlanStage stage;
        std::vector<std::string> formats =
            {};  ///< of each result, once the rule has placed it; empty: as it is
    };
    /// An executor of the stage that a rule leaves, with its description.
    template <std::invocable Describe>
    Executor within(Describe&& describe) const {
        Executor inner = *this;
        if (plan_ != nullptr) inner.within_ = std::forward<Describe>(describe)();
        return inner;
    }
    /// Writes down a stage that a rule has run itself.
    template <std::invocable Describe>
    void note(Describe&& describe) const {
        if (plan_ != nullptr) plan_->stages.push_back(std::forward<Describe>(describe)());
    }

private:
    std::vector<Result> run_stage(const Graph& graph, std::span<const Argument> arguments) const;

    const Backend& backend_;
    Plan* plan_;
    std::optional<Within> within_;
};

/// A masked tensor as a plan shows it: its layout and how much it stores.
StageTensor stage_tensor(std::string name, const AnyMasked& made);

}  // namespace frisket
