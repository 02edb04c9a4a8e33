// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../ir/planner/backend.hpp"
#include "../../runtime/kernel/workload_class.hpp"
#include "../strategies/schedule.hpp"

namespace frisket::codegen {

class BoundCall;
class RowLoops;

/// Compiled loops of expressions.
class LoopSet {
public:
    LoopSet() = default;
    LoopSet(const LoopSet&) = delete;
    LoopSet& operator=(const LoopSet&) = delete;
    virtual ~LoopSet() = default;
};

/// A body as loops are made for it, in a call.
struct MetBody {
    Graph graph;
    std::string text;    ///< the text under which tuning keeps its schedule
    WorkloadClass call;  ///< the class of calls, for people
    bool is_parallel;
    bool has_row_stages;  ///< its stages along rows are fused unless a schedule says otherwise
};

/// Choice of the loops of expressions.
struct LoopChoice {
    std::optional<Schedule> schedule = {};    ///< nothing: what tuning found for a body, or the default
    std::shared_ptr<LoopSet> in_memory = {};  ///< loops that are kept nowhere else; null: the process's
    std::shared_ptr<std::vector<MetBody>> met = {};  ///< takes the bodies that are evaluated, each once
};

/// A set of loops that are kept in memory, and of no others.
std::shared_ptr<LoopSet> loops_in_memory();

/// A graph that is one body over whole tensors, and its call, if it was run and reads the arguments' memory.
struct WholeCall {
    const Graph* graph;
    std::shared_ptr<const BoundCall> bound = {};
};

/// The loops of a plan over listed rows.
struct RowLoopsOfPlan {
    const plan::RowPlan* plan;
    std::shared_ptr<RowLoops> loops;
};

/// Bodies by compiled loops: expressions on the host, elementwise steps on the target, which is referred to.
class CompiledBodies final : public plan::Backend {
public:
    /// `rows`: the loops of a step over listed rows, which are referred to.  `whole`: takes the call of its
    /// graph, or nothing.
    explicit CompiledBodies(const TargetName& target, std::span<const RowLoopsOfPlan> rows = {},
                            LoopChoice loops = {}, WholeCall* whole = nullptr);

    void prepare(std::span<const plan::BodyCall> bodies) const override;
    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments,
                                 plan::StageReport* report,
                                 std::span<const plan::ResultMemory> memory) const override;
    std::unique_ptr<kernel::Ready> ready(const Graph& step, std::span<const Argument> arguments,
                                         plan::StageReport* report) const override;
    std::unique_ptr<kernel::Ready> ready_rows(const plan::RowPlan& plan, std::span<const Argument> arguments,
                                              plan::PlanReport* report) const override;

private:
    const TargetName& target_;
    const std::span<const RowLoopsOfPlan> rows_;
    const LoopChoice loops_;
    WholeCall* const whole_;
    const struct TargetRow& host_;
};

/// Uses of an evaluation besides its results.
struct JitUse {
    plan::PlanReport* plan = nullptr;                 ///< takes the stages that were run
    std::span<const plan::ResultMemory> memory = {};  ///< memory of the results, which may have other
    /// Takes the call of a graph that is one body over the memory of the arguments; else null.
    std::shared_ptr<const BoundCall>* bound = nullptr;
    LoopChoice loops = {};
};

/// The results of an expression by compiled loops: one pipeline for all of them, kept for later calls with
/// tensors of the same ranks in which the same extents are 1.
/// Shape: the arguments have those that the graph was made for.
/// Cost: a first call compiles (about 0.1 s); a later one some microseconds.
/// Errors: MaskMismatch and what the graph's checks say, and nothing is given; ShapeError for extents of 2^31
/// or more; TargetError for targets that are no CPU; ScheduleError for schedules of steps.
std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target = {}, const JitUse& use = {});

}  // namespace frisket::codegen
