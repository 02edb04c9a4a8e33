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
#include "evaluate_body.hpp"
#include "list_stages.hpp"
#include "prepared_plan.hpp"

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
                            std::span<const ResultMemory> memory = {}) {
        const std::vector<ValueId> operands = argument_values(arguments.size());
        const PlanRequest request{graph, PlanFacts(arguments), operands, argument_count_};
        PreparedPlan plan(request, plan_whole_call(request, backend_.reads_lists()), argument_count_, false);
        return run(plan, arguments, memory);
    }
    std::vector<Result> run(PreparedPlan& first, std::span<const Argument> arguments,
                            std::span<const ResultMemory> memory) {
        memory_ = memory;
        if (memory.empty()) check_dense_results(first.graph());
        arguments_ = arguments;
        PreparedPlan* plan = &first;
        while (true) {
            const bool is_whole = !plan->plan();
            auto results = is_whole ? run_whole(*plan) : run_stages(*plan);
            if (is_whole || !plan->plan()->rest) return placed(std::move(results));
            plan = &rest_of(*plan);
            memory_ = {};  // it may overlap what stages have made of the arguments, or be no result's
        }
    }

private:
    /// The plan of a rest, made now if what stages have made decides it.  Reads its operands.
    PreparedPlan& rest_of(PreparedPlan& plan) {
        const RestOfPlan& rest = *plan.plan()->rest;
        read_.clear();
        for (const ValueId operand : rest.operands) read_.push_back(values_.argument(operand));
        arguments_ = read_;
        if (plan.rest() != nullptr) return *plan.rest();
        const bool is_over_positions = plan.plan()->sampled && plan.plan()->sampled->positions != no_value;
        const std::int64_t positions = is_over_positions ? position_count(*plan.plan()->sampled) : 0;
        return late_.emplace_back(plan.late_rest(read_, positions, backend_.reads_lists()))->plan();
    }

    /// Runs the stages of a plan.  The results, if it has no rest.
    std::vector<Result> run_stages(PreparedPlan& prepared) {
        const Plan& plan = *prepared.plan();
        values_.resize(plan.value_count);
        if (report_ != nullptr) find_space_of_kernels(prepared);
        ListStages kernels(values_, run_tasks);
        prepare(prepared);
        for (std::size_t i = 0; i < plan.stages.size(); ++i) {
            const std::int64_t before = report_ == nullptr ? 0 : values_.bytes();
            run_stage(prepared, i, kernels);
            if (report_ != nullptr) note_peak(before, values_.bytes() - before);
            for (const ValueId value : prepared.given_up_after(i))
                release(value, kernels, prepared.operands());
        }
        if (plan.sampled) forms_.emplace_back(&*plan.sampled);
        if (plan.scattered) note_scatters(*plan.scattered, prepared.graph());
        std::vector<Result> results = values_.take_results(plan.results);
        if (!plan.rest) return results;
        if (!results.empty()) forms_.emplace_back(std::move(results));
        return {};
    }

    /// Tells the backend of the bodies over whole tensors, if there are several.
    void prepare(PreparedPlan& plan) const {
        std::vector<BodyCall> bodies;
        const std::vector<PlanStage>& stages = plan.plan()->stages;
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            const auto* const body = std::get_if<BodyStage>(&stages[stage].action);
            if (body == nullptr || body->coordinates != no_value) continue;
            if (plan.slot(stage) != nullptr && !plan.slot(stage)->is_empty()) continue;
            BodyCall& call = bodies.emplace_back(BodyCall{body->graph, {}});
            for (std::size_t i = 0; i < body->operands.size(); ++i) {
                const ValueId operand = body->operands[i].value;
                const Symbol& symbol = body->graph.symbols[i];
                call.arguments.push_back(operand < plan.value_count()
                                             ? values_.argument(operand)
                                             : Argument(unmade(symbol.dtype, symbol.shape)));
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

    void run_stage(PreparedPlan& plan, std::size_t number, ListStages& kernels) {
        const PlanStage& stage = plan.plan()->stages[number];
        held_ = 0;
        std::visit(
            [&]<class Action>(const Action& action) {
                if constexpr (std::is_same_v<Action, CoordinatesStage>) {
                    find_coordinates(action);
                } else if constexpr (std::is_same_v<Action, BodyStage>) {
                    run_body(plan, number, action);
                } else if constexpr (std::is_same_v<Action, SlicedStage>) {
                    run_slices(action);
                } else {
                    kernels.run(action);
                    report_kernel(stage, action.made, plan.graph());
                }
            },
            stage.action);
    }

    /// Gives up a value, and the argument of the planned graph that it is.
    void release(ValueId value, ListStages& kernels, std::span<const ValueId> operands) {
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

    /// The graph of a plan as one body: over whole tensors, or over the positions of its domain.
    std::vector<Result> run_whole(PreparedPlan& plan) {
        held_ = 0;
        const SampledResults* const* const form =
            forms_.empty() ? nullptr : std::get_if<const SampledResults*>(&forms_.back());
        const SampledResults* const sampled = form == nullptr ? nullptr : *form;
        const bool is_symbolic = sampled != nullptr && sampled->positions != no_value;
        KeptBodySlot* const slot = plan.slot(plan.whole_graph());
        CallBody body = is_symbolic ? CallBody(slot, position_count(*sampled), [&] { return plan.graph(); })
                                    : CallBody(slot, plan.graph());
        std::vector<Result> results = evaluate(body, arguments_, memory_, [&] {
            return sampled == nullptr ? report_of_whole(plan.graph())
                                      : report_of_sampled(*sampled, domain_of(*sampled).layout(),
                                                          domain_of(*sampled).shape(),
                                                          domain_of(*sampled).specified_count());
        });
        if (report_ != nullptr) note_peak(values_.bytes(), made_bytes(report_->stages.back()));
        return results;
    }

    void run_body(PreparedPlan& plan, std::size_t number, const BodyStage& stage) {
        const list_kernels::CoordinateSet* const places =
            stage.coordinates == no_value ? nullptr : &values_.coordinates(stage.coordinates);
        CallBody body(plan.slot(number), places == nullptr ? 0 : places->count(),
                      [&] { return plan.take_body(number); });
        const std::vector<Argument> arguments = values_.operands(body.graph(), stage.operands, places);
        if (report_ != nullptr) held_ += gathered_bytes(body.graph(), stage.operands);
        try {
            keep(stage, places, evaluate(body, arguments, {}, [&] {
                     const RuleInfo* const rule = plan.plan()->stages[number].rule;
                     return places == nullptr
                                ? report_of_dense(body.graph(), rule)
                                : report_at(plan.graph(), stage, places->space(), places->count(), rule);
                 }));
        } catch (const Error&) {
            if (places != nullptr && !body.graph().checks.empty())
                report_checks_at(plan.graph(), *places, arguments_);
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
                PlanRun(backend_, report, arguments).run(stage.graph, arguments);
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

    std::vector<Result> evaluate(CallBody& body, std::span<const Argument> arguments,
                                 std::span<const ResultMemory> memory, const auto& describe) {
        if (report_ == nullptr) return body.evaluate(backend_, arguments, nullptr, memory);
        BodyReport report = describe();
        report.stage.body = body_text(body.graph());
        std::vector<Format> formats;
        std::ranges::transform(arguments, std::back_inserter(formats), format_of);
        report.stage.reads = reads_of(body.graph(), formats, report.stage.reads);
        std::vector<Result> results = body.evaluate(backend_, arguments, &report.stage, memory);
        held_ += report.stage.held_bytes;
        report_->stages.push_back(finished(std::move(report), results));
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
    void find_space_of_kernels(const PreparedPlan& prepared) {
        const Plan& plan = *prepared.plan();
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
                    *space_of_union(prepared.graph(), PlanFacts(arguments_)), arguments_));
    }
    void report_kernel(const PlanStage& stage, ValueId made, const Graph& graph) {
        if (report_ == nullptr || stage.node == no_node) return;
        report_->stages.push_back(
            std::holds_alternative<GatheredSumStage>(stage.action)
                ? report_of_sums(stage, graph, tensor_report(stage.name, values_.dense(made)))
                : report_of_kernel(stage, graph, space_of_kernels_->space().by_rows,
                                   space_of_kernels_->count(),
                                   tensor_report(stage.name, values_.argument(made).masked())));
    }

    const AnyMasked& domain_of(const SampledResults& sampled) const {
        return values_.argument(sampled.domain).masked();
    }
    std::int64_t position_count(const SampledResults& sampled) const {
        return values_.positions(sampled.positions).places.positions.size();
    }
    void note_scatters(const ScatteredResults& scattered, const Graph& graph) {
        if (report_ != nullptr) scatter_reports_ = reports_of_scatters(scattered, graph);
        forms_.emplace_back(&scattered);
    }

    /// The results in their forms.
    std::vector<Result> placed(std::vector<Result> results) {
        for (auto form = forms_.rbegin(); form != forms_.rend(); ++form)
            results = std::visit([&](auto& one) { return placed(one, results); }, *form);
        return results;
    }
    /// The results of the rest, in the places of those that stages had not made.
    static std::vector<Result> placed(std::vector<Result> made, std::vector<Result>& others) {
        auto other = others.begin();
        for (Result& result : made)
            if (!result.listed) result = std::move(*other++);
        return made;
    }
    std::vector<Result> placed(const SampledResults* sampled, std::vector<Result> results) const {
        const SampledPositions* const positions =
            sampled->positions == no_value ? nullptr : &values_.positions(sampled->positions);
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i] = in_layout_of(domain_of(*sampled), positions, results[i], sampled->has_own_mask[i]);
        return results;
    }
    std::vector<Result> placed(const ScatteredResults* scattered, const std::vector<Result>& made) {
        std::vector<Result> results;
        for (const auto& form : scattered->results) {
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
    std::vector<std::shared_ptr<KeptPlan>> late_;
    // Forms of the results, the last first; of results that were made, they.
    std::vector<std::variant<const SampledResults*, const ScatteredResults*, std::vector<Result>>> forms_;
    std::deque<StageReport> scatter_reports_;  // without what they make
};

}  // namespace

std::vector<Result> Executor::run(const Graph& graph, std::span<const Argument> arguments,
                                  std::span<const ResultMemory> memory) const {
    return PlanRun(backend_, report_, arguments).run(graph, arguments, memory);
}

std::vector<Result> Executor::run(PreparedPlan& plan, std::span<const Argument> arguments,
                                  std::span<const ResultMemory> memory) const {
    return PlanRun(backend_, report_, arguments).run(plan, arguments, memory);
}

}  // namespace frisket::planning
