// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "../../ir/planner/backend.hpp"
#include "../strategies/schedule.hpp"

namespace frisket::codegen {

class RowLoops;

/// Bodies by compiled loops: expressions on the host, elementwise steps on the target, which is referred to.
class CompiledBodies final : public plan::Backend {
public:
    /// `rows`: the loops of a step over listed rows, or none.
    explicit CompiledBodies(const TargetName& target, std::shared_ptr<RowLoops> rows = nullptr);

    void prepare(std::span<const plan::BodyCall> bodies) const override;
    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments,
                                 plan::StageReport* report,
                                 std::span<const plan::ResultMemory> memory) const override;
    std::unique_ptr<kernel::Ready> ready(const Graph& step, std::span<const Argument> arguments,
                                         plan::StageReport* report) const override;
    std::unique_ptr<kernel::Ready> ready_rows(const plan::RowPlan& plan,
                                              std::span<const Argument> arguments) const override;

private:
    const TargetName& target_;
    const std::shared_ptr<RowLoops> rows_;
    const struct TargetRow& host_;
};

/// The results of an expression by compiled loops: one pipeline for all of them, kept for later calls with
/// tensors of the same ranks in which the same extents are 1.  Adds the stages that were run to `plan`, if
/// there is one.  `memory`: of the results, or nothing; results may have other memory.
/// Shape: the arguments have those that the graph was made for.
/// Cost: a first call compiles (about 0.1 s); a later one some microseconds.
/// Errors: MaskMismatch and what the graph's checks say, and nothing is given; ShapeError for extents of 2^31
/// or more; TargetError for targets that are no CPU.
std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target = {}, plan::PlanReport* plan = nullptr,
                                 std::span<const plan::ResultMemory> memory = {});

}  // namespace frisket::codegen
