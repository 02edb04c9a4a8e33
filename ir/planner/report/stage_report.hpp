// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "../../../runtime/list_kernels/coordinate_set.hpp"
#include "../plan.hpp"
#include "plan_report.hpp"

namespace frisket::planning {

/// Calls of an expression that a report shows; deeper ones are "...".
inline constexpr int body_depth = 6;
/// The results of an expression, or the updates of a step: "param takes sub(param, mul(lr, grad))".
std::string body_text(const Graph& graph);
/// A masked tensor as a report shows it: its layout and how much it stores.
TensorReport tensor_report(std::string name, const AnyMasked& made);

/// The report of a body before it runs, and the formats in which its results are kept; empty: as they are
/// made.
struct BodyReport {
    StageReport stage;
    std::vector<std::string> formats = {};
};
/// A body over whole tensors.
BodyReport report_of_whole(const Graph& body);
/// A body that makes the dense factor of a product.
BodyReport report_of_dense(const Graph& body, const RuleInfo* rule);
/// A body whose results are those at the specified elements of a masked tensor.
BodyReport report_of_sampled(const SampledResults& sampled, const AnyMasked& domain);
/// Reports of the results of a graph that are scatters, but for what they make.
std::deque<StageReport> reports_of_scatters(const ScatteredResults& scattered, const Graph& planned);
/// A body over the coordinates of a planned graph's lists.
BodyReport report_at(const Graph& planned, const BodyStage& body,
                     const list_kernels::CoordinateSet& coordinates, const RuleInfo* rule);
/// The operands of a body, where `known` does not say it.
std::vector<OperandReport> reads_of(const Graph& body, std::span<const Argument> arguments,
                                    const std::vector<OperandReport>& known);
/// The report of a body that has run.
StageReport finished(BodyReport report, std::span<const Result> results);

/// Bytes of the results of a stage.
std::int64_t made_bytes(const StageReport& stage);
/// Bytes of the operands of a body that are brought together.
std::int64_t gathered_bytes(const Graph& body, std::span<const BodyOperand> operands);

/// The report of a list kernel that has made a node of the planned graph.
StageReport report_of_kernel(const PlanStage& stage, const Graph& planned,
                             const list_kernels::CoordinateSet& coordinates, const AnyMasked& made);
/// The report of a GatheredSumStage that has run.
StageReport report_of_sums(const PlanStage& stage, const Graph& planned, const AnyTensor& made);

}  // namespace frisket::planning
