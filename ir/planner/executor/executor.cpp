// SPDX-License-Identifier: MIT
#include "executor.hpp"

#include "../../../runtime/kernel/exception_collector.hpp"
#include "../../../runtime/support/parallel.hpp"
#include "../../../runtime/tensor/result_memory.hpp"
#include "../../at.hpp"
#include "../body_stage.hpp"
#include "../memory_need.hpp"
#include "../report/check_report.hpp"
#include "../report/stage_report.hpp"
#include "../sampled_results.hpp"
#include "../scattered_results.hpp"
#include "../stage_values.hpp"
#include "body_parts.hpp"
#include "list_stages.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>

namespace frisket::planning {

namespace {

/// A call in progress.
class PlanRun {
public:
    PlanRun(const Backend& backend, PlanReport* report, std::span<const Argument> arguments)
        : backend_(backend),
          report_(report),
          argument_count_(static_cast<ValueId>(arguments.size())),
          values_(arguments) {}

    std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments,
                            std::span<const ResultMemory> memory) {
        memory_ = memory;
        if (memory.empty()) check_dense_results(graph);
        const std::vector<ValueId> operands = argument_values(arguments.size());
        arguments_ = arguments;
        const PlanRequest request{graph, PlanFacts(arguments), operands, values_.count()};
        auto results = run_next(request, plan_whole_call(request, backend_.reads_lists()));
        while (!results) {
            RestOfPlan rest = std::move(*rest_);
            memory_ = {};  // it may overlap what stages have made of the arguments, or be no result's
            read_.clear();
            for (const ValueId operand : rest.operands) read_.push_back(values_.argument(operand));
            arguments_ = read_;
            const PlanRequest next{rest.graph, PlanFacts(read_), rest.operands, values_.count()};
            results = run_next(next, plan_of(rest, next));
        }
        return placed(std::move(*results));
    }

private:
    /// The plan of a rest, made now if what stages have made decides it.
    std::optional<Plan> plan_of(RestOfPlan& rest, const PlanRequest& request) const {
        if (rest.needs != RestOfPlan::Needs::nothing) return plan_whole_call(request, backend_.reads_lists());
        return rest.plan.empty() ? std::nullopt : std::optional(std::move(rest.plan.front()));
    }

    /// Runs the next stages.  The results; nothing if there is a rest.
    std::optional<std::vector<Result>> run_next(const PlanRequest& request, std::optional<Plan> plan) {
        if (!plan) return run_whole(request);
        values_.resize(plan->value_count);
        if (report_ != nullptr) find_space_of_kernels(*plan, request);
        const std::vector<ValueId> operands(request.operands.begin(), request.operands.end());
        const auto given_up = values_given_up(*plan, operands, argument_count_);
        ListStages kernels(values_, run_tasks);
        prepare(*plan, request);
        for (std::size_t i = 0; i < plan->stages.size(); ++i) {
            const std::int64_t before = report_ == nullptr ? 0 : values_.bytes();
            run_stage(plan->stages[i], kernels, request);
            if (report_ != nullptr) note_peak(before, values_.bytes() - before);
            for (const ValueId value : given_up[i]) release(value, kernels, operands);
        }
        if (plan->sampled) note_sampled(std::move(*plan->sampled), plan->rest->graph);
        if (plan->scattered) note_scatters(std::move(*plan->scattered), request.graph);
        rest_ = std::move(plan->rest);
        if (!rest_) return values_.take_results(plan->results);
        if (!plan->results.empty()) forms_.emplace_back(values_.take_results(plan->results));
        return {};
    }

    /// Tells the backend of the bodies over whole tensors, if there are several.
    void prepare(const Plan& plan, const PlanRequest& request) const {
        std::vector<BodyCall> bodies;
        for (const PlanStage& stage : plan.stages) {
            const auto* const body = std::get_if<BodyStage>(&stage.action);
            if (body == nullptr || body->coordinates != no_value) continue;
            BodyCall& call = bodies.emplace_back(BodyCall{body->graph, {}});
            for (std::size_t i = 0; i < body->operands.size(); ++i) {
                const ValueId operand = body->operands[i].value;
                const Symbol& symbol = body->graph.symbols[i];
                call.arguments.push_back(operand < request.value_count ? values_.argument(operand)
                                                                       : Argument(unmade(symbol)));
            }
        }
        if (bodies.size() > 1) backend_.prepare(bodies);
    }

    /// Runs tasks of a list kernel, those of small ones on this thread.
    static void run_tasks(int count, const std::function<void(int)>& task) {
        if (count == 1) return task(0);
        kernel_calls::ExceptionCollector failures;
        runtime::parallel_tasks(count, [&](int i) { failures.guard([&] { task(i); }, i); });
        failures.rethrow();
    }

    void run_stage(PlanStage& stage, ListStages& kernels, const PlanRequest& request) {
        held_ = 0;
        std::visit(
            [&]<class Action>(Action& action) {
                if constexpr (std::is_same_v<Action, CoordinatesStage>) {
                    find_coordinates(action);
                } else if constexpr (std::is_same_v<Action, BodyStage>) {
                    run_body(stage.rule, action, request);
                } else if constexpr (std::is_same_v<Action, SlicedStage>) {
                    run_slices(action);
                } else {
                    kernels.run(action);
                    report_kernel(stage, action.made, request);
                }
            },
            stage.action);
    }

    /// Gives up a value, and the argument of the planned graph that it is.
    void release(ValueId value, ListStages& kernels, const std::vector<ValueId>& operands) {
        values_.release(value);
        for (std::size_t i = 0; i < std::min(operands.size(), read_.size()); ++i)
            if (operands[i] == value) read_[i] = Argument();
        kernels.release();
    }

    /// Compares what is held now with what was held before.
    void note_peak(std::int64_t before, std::int64_t made) {
        const MemoryPeak now{report_->stages.size(), before, made, held_};
        if (now.bytes() > report_->peak.bytes()) report_->peak = now;
    }

    void find_coordinates(const CoordinatesStage& stage) {
        const auto make = stage.kind == MergeKind::same_pattern ? list_kernels::CoordinateSet::same_pattern
                          : stage.kind == MergeKind::intersection_of
                              ? list_kernels::CoordinateSet::intersection_of
                              : list_kernels::CoordinateSet::union_of;
        const auto found = std::make_shared<const list_kernels::CoordinateSet>(make(stage.space, arguments_));
        values_.set(stage.made, found);
        if (report_ != nullptr) space_of_kernels_ = found;
    }

    std::vector<Result> run_whole(const PlanRequest& request) {
        held_ = 0;
        std::vector<Result> results = evaluate(request.graph, arguments_, memory_, [&] {
            const auto* const sampled =
                forms_.empty() ? nullptr : std::get_if<SampledResults>(&forms_.back());
            return sampled == nullptr ? report_of_whole(request.graph)
                                      : report_of_sampled(*sampled, domain_of(*sampled).layout(),
                                                          domain_of(*sampled).shape(),
                                                          domain_of(*sampled).specified_count());
        });
        if (report_ != nullptr) note_peak(values_.bytes(), made_bytes(report_->stages.back()));
        return results;
    }

    void run_body(const RuleInfo* rule, BodyStage& stage, const PlanRequest& request) {
        const list_kernels::CoordinateSet* const places =
            stage.coordinates == no_value ? nullptr : &values_.coordinates(stage.coordinates);
        const Graph graph = with_extent(std::move(stage.graph), places == nullptr ? 0 : places->count());
        const std::vector<Argument> arguments = values_.operands(graph, stage.operands, places);
        if (report_ != nullptr) held_ += gathered_bytes(graph, stage.operands);
        try {
            keep(stage, places, evaluate(graph, arguments, {}, [&] {
                     return places == nullptr
                                ? report_of_dense(graph, rule)
                                : report_at(request.graph, stage, places->space(), places->count(), rule);
                 }));
        } catch (const Error&) {
            if (places != nullptr && !graph.checks.empty())
                report_checks_at(request.graph, *places, arguments_);
            throw;
        }
    }

    /// Reports the first slice, and what all of them hold.
    void run_slices(const SlicedStage& stage) {
        std::vector<ResultMemory> whole;
        for (const NodeId id : stage.graph.results) whole.push_back(memory_of(stage, id));
        for (std::int64_t slice = 0; slice < stage.count; ++slice) {
            const std::int64_t first = slice * stage.items, end = first + stage.items;
            std::vector<Argument> arguments;
            for (std::size_t i = 0; i < stage.operands.size(); ++i) {
                const Argument& operand = values_.argument(stage.operands[i]);
                arguments.push_back(stage.is_sliced[i] ? sliced(operand, first, end) : operand);
            }
            PlanReport* const report = slice == 0 ? report_ : nullptr;
            const std::size_t reported = report == nullptr ? 0 : report->stages.size();
            const std::vector<Result> results =
                PlanRun(backend_, report, arguments).run(stage.graph, arguments, {});
            if (report != nullptr) report_slices(stage, reported);
            for (std::size_t i = 0; i < results.size(); ++i) {
                copy(results[i].values, whole[i].values.slice(0, first, end));
                if (results[i].mask) copy(*results[i].mask, whole[i].mask->slice(0, first, end));
            }
        }
        for (std::size_t i = 0; i < whole.size(); ++i)
            values_.set(stage.made[i], Result{whole[i].values, whole[i].mask});
    }

    static ResultMemory memory_of(const SlicedStage& stage, NodeId id) {
        const Node& node = stage.graph[id];
        Shape shape = node.shape;
        shape[0] *= stage.count;
        ResultMemory memory{runtime::result_tensor(node.result_dtype(), shape)};
        if (node.mask != no_node) memory.mask = runtime::result_tensor(DType::boolean, shape);
        return memory;
    }

    static Argument sliced(const Argument& argument, std::int64_t first, std::int64_t end) {
        if (argument.kind() != Argument::Kind::masked) return argument.tensor().slice(0, first, end);
        const AnyMasked& masked = argument.masked();
        return AnyMasked::strided(masked.values().slice(0, first, end), masked.mask().slice(0, first, end));
    }

    void report_slices(const SlicedStage& stage, std::size_t first) {
        for (std::size_t i = first; i < report_->stages.size(); ++i)
            report_->stages[i].why = "for " + count_text(stage.items, "index", "indices") +
                                     " of dimension 0 at a time, of " +
                                     std::to_string(stage.items * stage.count);
        std::int64_t results = 0;
        for (const NodeId id : stage.graph.results)
            results += stage.count * tensor_bytes(stage.graph[id].result_dtype(), stage.graph[id].shape);
        report_->peak.before += results;
    }

    std::vector<Result> evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 std::span<const ResultMemory> memory, const auto& describe) {
        if (report_ == nullptr) return evaluate_body(backend_, graph, arguments, nullptr, memory);
        BodyReport body = describe();
        body.stage.body = body_text(graph);
        std::vector<Format> formats;
        std::ranges::transform(arguments, std::back_inserter(formats), format_of);
        body.stage.reads = reads_of(graph, formats, body.stage.reads);
        std::vector<Result> results = evaluate_body(backend_, graph, arguments, &body.stage, memory);
        held_ += body.stage.held_bytes;
        report_->stages.push_back(finished(std::move(body), results));
        return results;
    }

    void keep(const BodyStage& stage, const list_kernels::CoordinateSet* places,
              std::vector<Result> results) {
        for (std::size_t i = 0; i < results.size(); ++i) {
            const BodyResult& kept = stage.results[i];
            Result& result = results[i];
            if (kept.form == ResultForm::in_line)
                values_.set(kept.made, Argument(in_line(result.values)));
            else if (kept.form == ResultForm::tensor)
                values_.set(kept.made, Argument(result.values));
            else if (kept.form == ResultForm::placed)
                values_.set(kept.made, Result{.listed = places->placed(std::move(result.values),
                                                                       std::move(result.mask), kept.shape)});
            else
                values_.set(kept.made, std::move(result));
        }
    }
    static AnyTensor in_line(const AnyTensor& values) {
        return (values.is_contiguous() ? values : values.clone()).reshape({values.size()});
    }

    /// Notes the coordinates of list kernels that read lists as they are, while the arguments are there.
    void find_space_of_kernels(const Plan& plan, const PlanRequest& request) {
        space_of_kernels_ = nullptr;
        const bool has_kernels = std::ranges::any_of(plan.stages, [](const PlanStage& stage) {
            return stage.node != no_node && !std::holds_alternative<GatheredSumStage>(stage.action);
        });
        const bool has_coordinates = std::ranges::any_of(plan.stages, [](const PlanStage& stage) {
            return std::holds_alternative<CoordinatesStage>(stage.action);
        });
        if (has_kernels && !has_coordinates)
            space_of_kernels_ =
                std::make_shared<const list_kernels::CoordinateSet>(list_kernels::CoordinateSet::union_of(
                    *space_of_union(request.graph, request.facts), arguments_));
    }
    void report_kernel(const PlanStage& stage, ValueId made, const PlanRequest& request) {
        if (report_ == nullptr || stage.node == no_node) return;
        report_->stages.push_back(
            std::holds_alternative<GatheredSumStage>(stage.action)
                ? report_of_sums(stage, request.graph, tensor_report(stage.name, values_.dense(made)))
                : report_of_kernel(stage, request.graph, space_of_kernels_->space().by_rows,
                                   space_of_kernels_->count(),
                                   tensor_report(stage.name, values_.argument(made).masked())));
    }

    const AnyMasked& domain_of(const SampledResults& sampled) const {
        return values_.argument(sampled.domain).masked();
    }
    void note_sampled(SampledResults sampled, Graph& rest) {
        if (sampled.positions != no_value)
            rest = with_extent(std::move(rest), values_.positions(sampled.positions).places.positions.size());
        forms_.emplace_back(std::move(sampled));
    }
    void note_scatters(ScatteredResults scattered, const Graph& graph) {
        if (report_ != nullptr) scatter_reports_ = reports_of_scatters(scattered, graph);
        forms_.emplace_back(std::move(scattered));
    }

    /// The results in their forms.
    std::vector<Result> placed(std::vector<Result> results) {
        for (auto form = forms_.rbegin(); form != forms_.rend(); ++form)
            results = std::visit([&](const auto& one) { return placed(one, results); }, *form);
        return results;
    }
    /// The results of the rest, in the places of those that stages had not made.
    static std::vector<Result> placed(std::vector<Result> made, std::vector<Result>& others) {
        auto other = others.begin();
        for (Result& result : made)
            if (!result.listed) result = std::move(*other++);
        return made;
    }
    std::vector<Result> placed(const SampledResults& sampled, std::vector<Result> results) const {
        const SampledPositions* const positions =
            sampled.positions == no_value ? nullptr : &values_.positions(sampled.positions);
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i] = in_layout_of(domain_of(sampled), positions, results[i], sampled.has_own_mask[i]);
        return results;
    }
    std::vector<Result> placed(const ScatteredResults& scattered, const std::vector<Result>& made) {
        std::vector<Result> results;
        for (const auto& form : scattered.results) {
            const auto* const scatters = std::get_if<ScatteredResults::Scatters>(&form);
            Result result =
                scatters == nullptr ? made[ir::at(std::get<int>(form))] : listed_scatters(*scatters, made);
            const bool is_shared =
                std::ranges::any_of(results, [&](const Result& one) { return is_same_memory(one, result); });
            results.push_back(is_shared ? clone(result) : std::move(result));
            if (report_ == nullptr || scatters == nullptr) continue;
            report_->stages.push_back(std::move(scatter_reports_.front()));
            scatter_reports_.pop_front();
            report_->stages.back().makes = {tensor_report("", *results.back().listed)};
        }
        return results;
    }

    static bool is_same_memory(const Result& a, const Result& b) {
        const auto values = [](const Result& one) {
            return (one.listed ? one.listed->values() : one.values).address();
        };
        return values(a) != nullptr && values(a) == values(b);
    }

    const Backend& backend_;
    PlanReport* report_;
    const ValueId argument_count_;
    std::span<const ResultMemory> memory_;
    PlanValues values_;
    std::span<const Argument> arguments_;  // arguments of the graph whose stages run
    std::vector<Argument> read_;           // by the rest of the plan
    std::shared_ptr<const list_kernels::CoordinateSet>
        space_of_kernels_;   // coordinates that the last kernels read at
    std::int64_t held_ = 0;  // by the stage that runs, beside what it reads and makes
    std::optional<RestOfPlan> rest_;
    // Forms of the results, the last first; of results that were made, they.
    std::vector<std::variant<SampledResults, ScatteredResults, std::vector<Result>>> forms_;
    std::deque<StageReport> scatter_reports_;  // without what they make
};

}  // namespace

std::vector<Result> Executor::run(const Graph& graph, std::span<const Argument> arguments,
                                  std::span<const ResultMemory> memory) const {
    return PlanRun(backend_, report_, arguments).run(graph, arguments, memory);
}

}  // namespace frisket::planning
