// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "../../ir/planner/backend.hpp"
#include "../strategies/schedule.hpp"

namespace frisket {

/// Bodies by compiled loops: expressions on the host, elementwise steps on the target, which is referred to.
class CompiledBodies final : public Backend {
public:
    explicit CompiledBodies(const TargetName& target);

    std::vector<Result> evaluate(const Graph& body, std::span<const Argument> arguments,
                                 StageReport* report) const override;
    std::unique_ptr<Ready> ready(const Graph& step, std::span<const Argument> arguments,
                                 StageReport* report) const override;

private:
    const TargetName& target_;
    const struct TargetRow& host_;
};

/// The results of an expression by compiled loops: one pipeline for all of them, kept for later calls with
/// tensors of the same ranks in which the same extents are 1.  Adds the stages that were run to `plan`, if
/// there is one.
/// Shape: the arguments have those that the graph was made for.
/// Cost: a first call compiles (about 0.1 s); a later one some microseconds.
/// Errors: MaskMismatch and what the graph's checks say, and nothing is given; ShapeError for extents of 2^31
/// or more; TargetError for targets that are no CPU.
std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target = {}, PlanReport* plan = nullptr);

}  // namespace frisket
