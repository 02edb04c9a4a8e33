// SPDX-License-Identifier: MIT
#include "planned_report.hpp"

#include "../../at.hpp"
#include "../memory_need.hpp"
#include "../stage_values.hpp"
#include "stage_report.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

bool is_symbolic(const Shape& shape) { return std::ranges::find(shape, coordinate_extent) != shape.end(); }

/// A result of a body as it is kept.
TensorReport result_report(const Graph& body, NodeId id, const BodyResult* kept) {
    const Node& node = body[id];
    TensorReport made{.name = "", .dtype = node.result_dtype(), .shape = node.shape};
    const bool is_masked = node.mask != no_node && (kept == nullptr || kept->form == ResultForm::as_made);
    if (is_masked) made.format = "values and a mask";
    if (kept != nullptr && kept->form == ResultForm::placed) made.shape = kept->shape;
    if (is_symbolic(node.shape)) return made;
    made.bytes = element_count(node.shape) * (bytes_of(made.dtype) + (is_masked ? 1 : 0));
    return made;
}

/// Writes the stages of plans that have not run.
class PlannedReport {
public:
    PlannedReport(PlanReport& report, std::vector<Format> formats)
        : report_(report), formats_(std::move(formats)) {}

    void add(const Graph& graph, std::span<const ValueId> operands, const Plan* plan) {
        if (plan == nullptr) return add_whole(graph, operands);
        add_formats(formats_, *plan);
        space_ = nullptr;
        for (const PlanStage& stage : plan->stages)
            std::visit([&](const auto& action) { add_stage(graph, stage, action); }, stage.action);
        if (plan->rest) add_rest(*plan);
        if (plan->scattered) add_scatters(*plan->scattered, graph);
    }

private:
    void add_rest(const Plan& plan) {
        const SampledResults* const outer = sampled_;
        if (plan.sampled) sampled_ = &*plan.sampled;
        add_rest(*plan.rest);
        sampled_ = outer;
    }

    void add_rest(const RestOfPlan& rest) {
        if (rest.branches.empty())
            return add(rest.graph, rest.operands, rest.plan.empty() ? nullptr : rest.plan.data());
        const std::string outer = when_;
        const std::vector<Format> formats = formats_;
        for (std::size_t i = 0; i < rest.branches.size(); ++i) {
            formats_ = formats;
            when_ = (outer.empty() ? "" : outer + ", ") + condition(rest, i == 0);
            add_rest(rest.branches[i]);
        }
        when_ = outer;
    }

    static std::string condition(const RestOfPlan& rest, bool yes) {
        const PlanTest& test = *rest.test;
        const std::string& name = rest.graph.symbols[at(test.symbol)].name;
        const std::string limit = std::to_string(test.limit);
        switch (test.kind) {
            case PlanTest::Kind::same_pattern:
                return name + " and " + rest.graph.symbols[at(test.other)].name +
                       (yes ? " store the same places" : " store different places");
            case PlanTest::Kind::stores_above:
                return name + " stores " + (yes ? "more than " : "at most ") + limit;
            case PlanTest::Kind::specifies_above:
                return name + " specifies " + (yes ? "more than " : "at most ") + limit;
        }
        return "";
    }

    void add_whole(const Graph& graph, std::span<const ValueId> operands) {
        BodyReport report = report_of_whole(graph);
        if (sampled_ != nullptr) {
            const Format& domain = formats_[at(sampled_->domain)];
            report = report_of_sampled(*sampled_, domain.layout, sampled_->shape, {});
        }
        std::vector<BodyOperand> read;
        for (const ValueId operand : operands) read.push_back({.value = operand});
        add_body(std::move(report), graph, read, {});
    }

    void add_body(BodyReport body, const Graph& graph, std::span<const BodyOperand> operands,
                  std::span<const BodyResult> kept) {
        std::vector<Format> formats;
        for (const BodyOperand& operand : operands) formats.push_back(formats_[at(operand.value)]);
        StageReport& stage = body.stage;
        stage.body = body_text(graph);
        stage.reads = reads_of(graph, formats, stage.reads);
        for (std::size_t i = 0; i < graph.results.size(); ++i) {
            TensorReport made = result_report(graph, graph.results[i], kept.empty() ? nullptr : &kept[i]);
            if (i < body.formats.size() && !body.formats[i].empty()) made.format = body.formats[i];
            if (sampled_ != nullptr && is_symbolic(made.shape)) made.shape = sampled_->shape;
            made.is_in_line = is_symbolic(made.shape);
            stage.makes.push_back(std::move(made));
        }
        push(std::move(stage));
    }

    void add_stage(const Graph& graph, const PlanStage& stage, const BodyStage& body) {
        BodyReport report = body.coordinates == no_value ? report_of_dense(body.graph, stage.rule)
                                                         : report_at(graph, body, *space_, {}, stage.rule);
        add_body(std::move(report), body.graph, body.operands, body.results);
    }
    void add_stage(const Graph& /*graph*/, const PlanStage& /*stage*/, const CoordinatesStage& coordinates) {
        space_ = &coordinates.space;
    }
    void add_stage(const Graph& /*graph*/, const PlanStage& /*stage*/, const SlicedStage& slices) {
        std::vector<Format> formats;
        for (const ValueId operand : slices.operands) formats.push_back(formats_[at(operand)]);
        const std::vector<ValueId> operands = argument_values(formats.size());
        const PlanFacts facts(formats, [](const PlanTest& test) -> bool { throw UnknownFact{test}; });
        const PlanRequest request{slices.graph, facts, operands, static_cast<ValueId>(operands.size())};
        PlanReport slice;
        report_plan(slice, request, plan_whole_call(request));
        for (StageReport& one : slice.stages) {
            one.why = "for " + count_text(slices.items, "index", "indices") +
                      " of dimension 0 at a time, of " + std::to_string(slices.items * slices.count);
            push(std::move(one));
        }
    }
    void add_stage(const Graph& graph, const PlanStage& stage, const GatheredSumStage& sums) {
        TensorReport made{.name = stage.name, .dtype = sums.dtype, .shape = sums.shape};
        made.bytes = tensor_bytes(sums.dtype, sums.shape);
        push(report_of_sums(stage, graph, std::move(made)));
    }
    /// Adds a list kernel, if it makes a node.
    void add_stage(const Graph& graph, const PlanStage& stage, const auto& kernel) {
        if (stage.node == no_node) return;
        const Format& format = formats_[at(kernel.made)];
        push(report_of_kernel(stage, graph, space_ != nullptr && space_->by_rows, {},
                              {.name = stage.name,
                               .dtype = graph[stage.node].dtype,
                               .shape = graph[stage.node].shape,
                               .format = std::string(name_of(format.layout))}));
    }

    void add_scatters(const ScatteredResults& scattered, const Graph& graph) {
        std::deque<StageReport> reports = reports_of_scatters(scattered, graph);
        for (std::size_t i = 0; i < scattered.results.size(); ++i) {
            const auto* const scatters = std::get_if<ScatteredResults::Scatters>(&scattered.results[i]);
            if (scatters == nullptr) continue;
            const Node& result = graph[graph.results[i]];
            const bool is_rows = std::ranges::all_of(
                *scatters, [](const ListedScatter& one) { return one.layout == Layout::rows; });
            reports.front().makes = {{.name = "",
                                      .dtype = result.result_dtype(),
                                      .shape = result.shape,
                                      .format = is_rows ? "rows" : "coo"}};
            push(std::move(reports.front()));
            reports.pop_front();
        }
    }

    void push(StageReport stage) {
        stage.when = when_;
        report_.stages.push_back(std::move(stage));
    }

    PlanReport& report_;
    std::vector<Format> formats_;              // formats of values by their numbers
    const IterationSpace* space_ = nullptr;    // where the last kernels read
    const SampledResults* sampled_ = nullptr;  // form of the results
    std::string when_;                         // condition under which stages run
};

}  // namespace

void report_plan(PlanReport& report, const PlanRequest& request, const std::optional<Plan>& plan) {
    std::vector<Format> formats(at(request.value_count));
    for (std::size_t i = 0; i < request.operands.size(); ++i)
        formats[at(request.operands[i])] = request.facts.formats()[i];
    PlannedReport(report, std::move(formats)).add(request.graph, request.operands, plan ? &*plan : nullptr);
}

}  // namespace frisket::planning
