// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../interpreter/interpret.hpp"
#include "../plan.hpp"
#include "../plan_facts.hpp"
#include "plan_report.hpp"

namespace frisket::planning {

/// Calls of an expression that a report shows; deeper ones are "...".
inline constexpr int body_depth = 6;
/// The results of an expression, or the updates of a step: "param takes sub(param, mul(lr, grad))".
std::string body_text(const Graph& graph);
/// Coordinates of a stage, or specified elements: known where it has run.
using Count = std::optional<std::int64_t>;
/// A masked tensor as a report shows it: its layout and how much it stores.
TensorReport tensor_report(std::string name, const AnyMasked& made);
/// A tensor as a report shows it.
TensorReport tensor_report(std::string name, const AnyTensor& made);

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
/// `count`: elements that it specifies.
BodyReport report_of_sampled(const SampledResults& sampled, Layout layout, const Shape& shape, Count count);
/// Reports of the results of a graph that are scatters, but for what they make.
std::deque<StageReport> reports_of_scatters(const ScatteredResults& scattered, const Graph& planned);
/// A body over the coordinates of a planned graph's lists.
BodyReport report_at(const Graph& planned, const BodyStage& body, const IterationSpace& space, Count count,
                     const RuleInfo* rule);
/// The operands of a body, where `known` does not say it.
/// `formats`: of the operands.
std::vector<OperandReport> reads_of(const Graph& body, std::span<const Format> formats,
                                    const std::vector<OperandReport>& known);
/// The report of a body that has run.
StageReport finished(BodyReport report, std::span<const Result> results);

/// Bytes of the results of a stage.
std::int64_t made_bytes(const StageReport& stage);
/// Bytes of the operands of a body that are brought together.
std::int64_t gathered_bytes(const Graph& body, std::span<const BodyOperand> operands);

/// The report of a list kernel that makes a node of the planned graph from elements at coordinates.
StageReport report_of_kernel(const PlanStage& stage, const Graph& planned, bool by_rows, Count count,
                             TensorReport made);
/// The report of a GatheredSumStage.
StageReport report_of_sums(const PlanStage& stage, const Graph& planned, TensorReport made);

}  // namespace frisket::planning
