// SPDX-License-Identifier: MIT
#include "report_writer.hpp"

#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../at.hpp"
#include "../../graph_text.hpp"
#include "../memory_need.hpp"
#include "../planner.hpp"
#include "../scattered_results.hpp"
#include "../stage_values.hpp"
#include "stage_report.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

bool is_symbolic(const Shape& shape) { return std::ranges::find(shape, coordinate_extent) != shape.end(); }

/// The events of a body; none of a body that has not run.
struct BodyRun {
    std::vector<const BodyEvent*> calls = {};
    const StageEvent* stage = nullptr;
};

/// Adds the tensors that loops store and read again: reductions, and values with many readers.
void add_temporaries(StageReport& report, const BodyEvent& call) {
    constexpr int depth = 2;
    for (const StoredNode& one : call.stored) {
        if (std::ranges::find(call.graph.results, one.id) != call.graph.results.end()) continue;
        const Shape& shape = call.graph[one.id].shape;
        report.makes.push_back({.name = ir::expression_text(call.graph, one.id, depth),
                                .dtype = one.dtype,
                                .shape = shape,
                                .bytes = one.is_in_rows ? 0 : tensor_bytes(one.dtype, shape),
                                .lifetime = one.is_in_rows ? Lifetime::rows : Lifetime::stage});
    }
}

/// Adds the report of backends on a body; returns the bytes that they hold at most.
std::int64_t add_evaluation(StageReport& report, const std::vector<const BodyEvent*>& calls) {
    std::int64_t parts = 0, held_bytes = 0;
    for (const BodyEvent* const call : calls) {
        add_temporaries(report, *call);
        std::ranges::copy_if(call->loops, std::back_inserter(report.loops), [&](std::string_view loops) {
            return std::ranges::find(report.loops, loops) == report.loops.end();
        });
        report.kernels += call->kernels;
        if (!call->schedule.empty())
            report.schedule = call->schedule + (call->is_tuned ? ", as tuning found" : "");
        parts += call->is_part ? 1 : 0;
        held_bytes = std::max(held_bytes, call->held_bytes);
    }
    if (parts > 0)
        report.why += (report.why.empty() ? "" : "; ") + std::string("in ") +
                      count_text(parts, "part", "parts") + ", as it is long";
    return held_bytes;
}

/// Writes the stages of plans: for calls that have run, from their events.
class ReportWriter {
public:
    /// Reads events from `next` on, which moves behind them.
    ReportWriter(PlanReport& report, const RunEvents& events, std::size_t& next)
        : report_(report), events_(events), next_(next) {}

    /// Adds the stages of the next call.
    void add_call() {
        const RunEvent& event = events_[next_];
        if (const auto* const plan = std::get_if<PlanEvent>(&event)) {
            formats_.resize(plan->formats.size());
            has_run_ = plan->has_run;
            return add_next_plan(argument_values(plan->formats.size()));
        }
        ++next_;
        if (const auto* const pass = std::get_if<PassEvent>(&event)) push(report_of_pass(*pass));
        if (const auto* const rows = std::get_if<RowsEvent>(&event)) add_rows(*rows);
        if (const auto* const body = std::get_if<BodyEvent>(&event)) kernels_ += body->kernels;
    }

private:
    void add_rows(const RowsEvent& rows) {
        if (!rows.plan.values.graph.results.empty()) push(report_of_rows(rows.plan.values, rows.kernels[0]));
        for (std::size_t i = 0; i < rows.plan.steps.size(); ++i)
            push(report_of_rows(rows.plan.steps[i].stage, rows.kernels[i + 1]));
    }

    template <class Event>
    const Event& take() {
        return std::get<Event>(events_[next_++]);
    }
    /// The event of a stage; null if it has not run.
    const StageEvent* take_stage() { return has_run_ ? &take<StageEvent>() : nullptr; }
    static Count count_of(const StageEvent* run) { return run == nullptr ? Count() : run->count; }
    BodyRun take_body() {
        BodyRun run;
        if (!has_run_) return run;
        while (std::holds_alternative<BodyEvent>(events_[next_])) run.calls.push_back(&take<BodyEvent>());
        run.stage = take_stage();
        return run;
    }

    void add_next_plan(std::span<const ValueId> operands) {
        const auto& event = take<PlanEvent>();
        for (std::size_t i = 0; i < operands.size(); ++i) formats_[at(operands[i])] = event.formats[i];
        add(event.graph, operands, event.plan ? &*event.plan : nullptr);
    }

    void add(const Graph& given, std::span<const ValueId> operands, const Plan* plan) {
        if (plan == nullptr) return add_whole(given, operands);
        const Graph& graph = plan->form ? *plan->form : given;
        add_formats(formats_, *plan);
        space_ = nullptr;
        for (const PlanStage& stage : plan->stages)
            std::visit([&](const auto& action) { add_stage(graph, stage, action); }, stage.action);
        if (plan->rest) add_rest(*plan);
        if (plan->scattered) add_scatters(*plan->scattered, graph);
    }

    void add_rest(const Plan& plan) {
        const SampledResults* const outer = sampled_;
        if (plan.sampled) sampled_ = &*plan.sampled;
        if (has_run_)
            add_next_plan(plan.rest->operands);
        else
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
        if (test.kind == PlanTest::Kind::same_pattern)
            return name + " and " + rest.graph.symbols[at(test.other)].name +
                   (yes ? " store the same places" : " store different places");
        return name + (test.kind == PlanTest::Kind::stores_above ? " stores " : " specifies ") +
               (yes ? "more than " : "at most ") + std::to_string(test.limit);
    }

    void add_whole(const Graph& graph, std::span<const ValueId> operands) {
        const BodyRun run = take_body();
        std::vector<BodyOperand> read;
        for (const ValueId operand : operands) read.push_back({.value = operand});
        if (sampled_ == nullptr) return add_body(report_of_whole(graph), graph, read, {}, "", run);
        const Layout layout = formats_[at(sampled_->domain)].layout;
        add_body(report_of_sampled(*sampled_, count_of(run.stage)), graph, read, {},
                 sampled_format(*sampled_, layout), run);
    }
    void add_stage(const Graph& graph, const PlanStage& stage, const BodyStage& body) {
        const BodyRun run = take_body();
        add_body(body.coordinates == no_value
                     ? report_of_dense(body.graph, stage.rule)
                     : report_at(graph, body, *space_, count_of(run.stage), stage.rule),
                 body.graph, body.operands, body.results, placed_format(stage.rule), run);
    }

    /// `planned`: the graph of a body that has not run.  `kept`: forms of its results; empty: as they are
    /// made.  `format`: the layout into which results are put; empty: none.
    void add_body(StageReport stage, const Graph& planned, std::span<const BodyOperand> operands,
                  std::span<const BodyResult> kept, const std::string& format, const BodyRun& run) {
        const Graph& graph = has_run_ ? run.stage->body : planned;
        stage.body = body_text(graph);
        add_reads(stage, graph, operands, formats_);
        const std::int64_t held = add_evaluation(stage, run.calls);
        for (std::size_t i = 0; i < graph.results.size(); ++i) {
            const BodyResult* const form = kept.empty() ? nullptr : &kept[i];
            TensorReport made = result_report(graph[graph.results[i]], form);
            if (!format.empty() && (form == nullptr || form->form == ResultForm::placed))
                made.format = format;
            stage.makes.push_back(std::move(made));
        }
        const std::int64_t made = kept.empty() ? made_bytes(stage) : 0;
        if (!has_run_ && kept.empty() && report_.misfit.empty()) note_misfit(graph, operands);
        push(std::move(stage));
        if (has_run_)
            note_peak({report_.stages.size(), run.stage->before, made + run.stage->made,
                       gathered_bytes(graph, operands) + held});
    }

    /// Notes a body over whole tensors, which has not run, if it does not fit.  Its results are known, and
    /// lists that are made dense.
    void note_misfit(const Graph& graph, std::span<const BodyOperand> operands) {
        MemoryNeed need;
        for (const NodeId result : graph.results)
            if (!is_symbolic(graph[result].shape)) need.add_result(graph, result);
        std::vector<Format> formats;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Format& format = formats.emplace_back(formats_[at(operands[i].value)]);
            const Symbol& symbol = graph.symbols[i];
            if (!format.is_masked() || !runtime::is_list(format.layout) || is_symbolic(symbol.shape))
                continue;
            need.add_dense_copy(symbol, tensor_bytes(symbol.dtype, symbol.shape));
            need.add(tensor_bytes(DType::boolean, symbol.shape));
        }
        const std::string misfit = need.misfit([&] { return dense_cause(graph, formats); });
        if (!misfit.empty())
            report_.misfit = "stage " + std::to_string(report_.stages.size() + 1) + ": " + misfit;
    }

    /// A result of a body as it is stored.
    TensorReport result_report(const Node& node, const BodyResult* kept) const {
        TensorReport made{.name = "", .dtype = node.result_dtype(), .shape = node.shape};
        const bool is_masked = node.mask != no_node;
        if (is_masked) made.format = "values and a mask";
        if (!is_symbolic(node.shape)) {
            made.bytes = element_count(node.shape) * (bytes_of(made.dtype) + (is_masked ? 1 : 0));
            return made;
        }
        if (kept != nullptr && kept->form == ResultForm::placed) made.shape = kept->shape;
        if (sampled_ != nullptr && is_symbolic(made.shape)) made.shape = sampled_->shape;
        made.is_in_line = is_symbolic(made.shape);
        return made;
    }

    void add_stage(const Graph& /*graph*/, const PlanStage& /*stage*/, const CoordinatesStage& coordinates) {
        space_ = &coordinates.space;
        note_peak(take_stage());
    }
    /// Adds the stages of the first slice, and the memory of all slices.
    void add_stage(const Graph& /*graph*/, const PlanStage& /*stage*/, const SlicedStage& slices) {
        PlanReport slice;
        if (has_run_)
            ReportWriter(slice, events_, next_).add_call();
        else
            slice = report_of("", {{planned_slice(slices)}});
        for (StageReport& one : slice.stages)
            one.why = "for " + count_text(slices.items, "index", "indices") +
                      " of dimension 0 at a time, of " + std::to_string(slices.items * slices.count);
        const std::size_t before = report_.stages.size();
        std::ranges::for_each(slice.stages, [&](StageReport& one) { push(std::move(one)); });
        if (const StageEvent* const run = take_stage())
            note_peak({slice.peak.stage + before, slice.peak.before + run->before + run->made,
                       slice.peak.made, slice.peak.held});
    }
    PlanEvent planned_slice(const SlicedStage& slices) const {
        std::vector<Format> formats;
        for (const ValueId operand : slices.operands) formats.push_back(formats_[at(operand)]);
        const std::vector<ValueId> operands = argument_values(formats.size());
        const PlanFacts facts(formats, [](const PlanTest& test) -> bool { throw UnknownFact{test}; });
        return {slices.graph,
                plan_whole_call({slices.graph, facts, operands, static_cast<ValueId>(operands.size())}),
                std::move(formats), false};
    }
    /// Adds a list kernel, if it makes a node.
    void add_stage(const Graph& graph, const PlanStage& stage, const auto& kernel) {
        const StageEvent* const run = take_stage();
        if (stage.node != no_node)
            push(report_of_kernel(stage, graph, count_of(run),
                                  list_report(graph[stage.node], formats_[at(kernel.made)].layout, run)));
        note_peak(run);
    }

    void add_scatters(const ScatteredResults& scattered, const Graph& graph) {
        for (std::size_t i = 0; i < scattered.results.size(); ++i) {
            const auto* const scatters = std::get_if<ScatteredResults::Scatters>(&scattered.results[i]);
            if (scatters == nullptr) continue;
            const StageEvent* const run = take_stage();
            push(report_of_scatters(*scatters, graph, graph.results[i],
                                    list_report(graph[graph.results[i]], layout_of(*scatters), run)));
        }
    }

    void push(StageReport stage) {
        stage.when = when_;
        stage.kernels += std::exchange(kernels_, 0);
        report_.stages.push_back(std::move(stage));
    }

    void note_peak(const StageEvent* run) {
        if (run != nullptr) note_peak({report_.stages.size(), run->before, run->made});
    }
    void note_peak(const MemoryPeak& now) {
        if (now.bytes() > report_.peak.bytes()) report_.peak = now;
    }

    PlanReport& report_;
    const RunEvents& events_;
    std::size_t& next_;  // event to be read
    bool has_run_ = true;
    std::vector<Format> formats_;              // formats of values by their numbers
    const IterationSpace* space_ = nullptr;    // where the last kernels read
    const SampledResults* sampled_ = nullptr;  // form of the results
    std::string when_;                         // condition under which stages run
    int kernels_ = 0;                          // kernels that were started for the stage that comes next
};

}  // namespace

PlanReport report_of(std::string title, const RunEvents& events) {
    PlanReport report{std::move(title)};
    std::size_t next = 0;
    for (ReportWriter writer(report, events, next); next < events.size();) writer.add_call();
    return report;
}

}  // namespace frisket::planning
