// SPDX-License-Identifier: MIT
// Describes single stages of a plan for reports.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../run_events.hpp"
#include "plan_report.hpp"

namespace frisket::planning {

/// Calls of an expression that a report shows; deeper calls are "...".
inline constexpr int body_depth = 6;
/// The results of an expression, or the updates of a step: "param takes sub(param, mul(lr, grad))".
std::string body_text(const Graph& graph);
/// Coordinates of a stage, or specified elements: known where it has run.
using Count = std::optional<std::int64_t>;
/// The list of a node's values as a report shows it.  `run`: the run of its stage; null: it has not run.
TensorReport list_report(const Node& node, Layout planned, const StageEvent* run);

/// A body over whole tensors.
StageReport report_of_whole(const Graph& body);
/// A body that makes the dense factor of a product.
StageReport report_of_dense(const Graph& body, const RuleInfo* rule);
/// A body whose results are those at the specified elements of a masked tensor.
/// `count`: elements that it specifies.
StageReport report_of_sampled(const SampledResults& sampled, Count count);
/// Formats of results: at the specified elements of a masked tensor, and of a rule's at the coordinates.
std::string sampled_format(const SampledResults& sampled, Layout layout);
std::string placed_format(const RuleInfo* rule);
/// A body over the coordinates of a planned graph's lists.
StageReport report_at(const Graph& planned, const BodyStage& body, const IterationSpace& space, Count count,
                      const RuleInfo* rule);
/// Reports each operand of a body, unless that is known.  `formats`: formats by the values' numbers.
void add_reads(StageReport& report, const Graph& body, std::span<const BodyOperand> operands,
               std::span<const Format> formats);
/// Bytes of the results of a stage.
std::int64_t made_bytes(const StageReport& stage);
/// Bytes of the operands of a body that are brought together.
std::int64_t gathered_bytes(const Graph& body, std::span<const BodyOperand> operands);

/// The report of a list kernel that makes a node of the planned graph.  `count`: entries that it reads.
StageReport report_of_kernel(const PlanStage& stage, const Graph& planned, Count count, TensorReport made);
/// The report of a result of the planned graph that is made by scatters.
StageReport report_of_scatters(const ScatteredResults::Scatters& scatters, const Graph& planned,
                               NodeId result, TensorReport made);

/// One pass over a step whose updates are elementwise.
StageReport report_of_pass(const PassEvent& pass);
/// A stage over the listed rows of the masked arguments.
StageReport report_of_rows(const Stage& part, int kernels);

}  // namespace frisket::planning
