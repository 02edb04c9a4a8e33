// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../ir/planner/executor/backend.hpp"
#include "loop_provider.hpp"
#include "schedule.hpp"

namespace frisket::codegen {

class CompiledExpression;
class Expressions;
class RowLoops;

/// Choice of the loops of bodies.
struct LoopChoice {
    std::optional<Schedule> schedule = {};        ///< nothing: a body's tuned schedule, or the default
    std::shared_ptr<Expressions> in_memory = {};  ///< loops that are stored only here; null: the process's
    /// Takes the bodies that are evaluated, as loops are made for them.
    std::function<void(const Graph& body, const Pattern& pattern, const Specialization& form)> met = {};
    /// Takes each body with results and each pass before it is evaluated or made ready; false: it takes the
    /// place of the pass.
    std::function<bool(const Graph& part, std::span<const Argument> arguments)> visit = {};
};

/// A set of loops that are stored only in memory.
std::shared_ptr<Expressions> loops_in_memory();

/// The loops of a pattern, of those that this process has; `part`: as of CompiledExpression.
std::shared_ptr<CompiledExpression> loops_of(Pattern pattern, Specialization form, const LoopProvider& source,
                                             std::string part);

/// Bodies by the loops of a source, which is referred to; bodies for which it has none are interpreted.
class CompiledBodies final : public planning::Backend {
public:
    /// `rows`: the loops of a step over listed rows, which are referred to.
    explicit CompiledBodies(const LoopProvider& source, std::span<const std::shared_ptr<RowLoops>> rows = {},
                            LoopChoice loops = {})
        : source_(source), rows_(rows), loops_(std::move(loops)) {}

    planning::PlanScope scope() const override;
    void prepare(std::span<const planning::BodyCall> bodies) const override;
    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments,
                                 planning::RunEvents* events, std::span<const planning::ResultMemory> memory,
                                 planning::KeptCall* kept) const override;
    kernel_calls::Ready ready(const Graph& step, std::span<const Argument> arguments,
                              planning::RunEvents* events) const override;
    kernel_calls::Ready ready_rows(const planning::RowPlan& plan, std::span<const Argument> arguments,
                                   planning::RunEvents* events) const override;

private:
    const LoopProvider& source_;
    const std::span<const std::shared_ptr<RowLoops>> rows_;
    const LoopChoice loops_;
};

}  // namespace frisket::codegen
