// SPDX-License-Identifier: MIT
#include "executor.hpp"

#include "../../../runtime/kernel/exception_collector.hpp"
#include "../../../runtime/support/parallel.hpp"
#include "../../../runtime/tensor/result_memory.hpp"
#include "../../at.hpp"
#include "../body_stage.hpp"
#include "../memory_need.hpp"
#include "../report/check_report.hpp"
#include "../sampled_results.hpp"
#include "../scattered_results.hpp"
#include "../stage_values.hpp"
#include "evaluate_body.hpp"
#include "list_stages.hpp"
#include "prepared_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace frisket::planning {

namespace {

/// A call in progress.
class PlanRun {
public:
    PlanRun(const Backend& backend, RunEvents* events, std::span<const Argument> arguments)
        : backend_(backend),
          events_(events),
          argument_count_(static_cast<ValueId>(arguments.size())),
          values_(arguments) {}

    std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments,
                            std::span<const ResultMemory> memory = {}) {
        const std::vector<ValueId> operands = argument_values(arguments.size());
        PlanRequest request{graph, PlanFacts(arguments), operands, argument_count_};
        request.scope = backend_.scope();
        PreparedPlan plan(request, plan_whole_call(request), argument_count_, false);
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
            if (events_ != nullptr)
                events_->emplace_back(PlanEvent{plan->graph(), plan->plan(), formats_of(arguments_)});
            if (is_whole && plan != &first) read_whole(*plan);
            auto results = is_whole ? run_whole(*plan) : run_stages(*plan);
            if (is_whole || !plan->plan()->rest) return placed(std::move(results));
            plan = &rest_of(*plan);
            memory_ = {};  // it may overlap results of stages on the arguments, or be no result's
        }
    }

private:
    /// Results of a plan: the results of its stages, and room for the results of its rest.
    struct MadeResults {
        std::span<const ValueId> values;  // no_value for results of the rest
        std::vector<Result> results;
    };

    /// The plan of a rest, made now if the results of stages decide it.  Reads its operands.
    PreparedPlan& rest_of(PreparedPlan& plan) {
        const RestOfPlan& rest = *plan.plan()->rest;
        read_.clear();
        for (const ValueId operand : rest.operands) read_.push_back(values_.argument(operand));
        arguments_ = read_;
        if (plan.rest() != nullptr) return *plan.rest();
        const bool is_over_positions = plan.plan()->sampled && plan.plan()->sampled->positions != no_value;
        const std::int64_t positions = is_over_positions ? position_count(*plan.plan()->sampled) : 0;
        return late_.emplace_back(plan.late_rest(read_, positions, backend_.scope()))->plan();
    }

    /// Runs the stages of a plan.  The results, if it has no rest.
    std::vector<Result> run_stages(PreparedPlan& prepared) {
        const Plan& plan = *prepared.plan();
        values_.resize(plan.value_count);
        ListStages kernels(values_, run_tasks);
        prepare(prepared);
        for (std::size_t i = 0; i < plan.stages.size(); ++i) {
            const std::int64_t before = events_ == nullptr ? 0 : values_.bytes();
            run_stage(prepared, i, kernels);
            if (events_ != nullptr) note_stage(before, values_.bytes() - before);
            for (const ValueId value : prepared.given_up_after(i))
                release(value, kernels, prepared.operands());
        }
        if (plan.sampled) forms_.emplace_back(&*plan.sampled);
        if (plan.scattered) forms_.emplace_back(&*plan.scattered);
        std::vector<Result> results = values_.take_results(plan.results);
        if (!plan.rest) return results;
        if (!results.empty()) forms_.emplace_back(MadeResults{plan.results, std::move(results)});
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

    /// Runs tasks of a list kernel, a small kernel's on this thread.
    static void run_tasks(int count, const std::function<void(int)>& task) {
        if (count == 1) return task(0);
        kernel_calls::ExceptionCollector failures;
        runtime::parallel_tasks(count, [&](int i) { failures.guard([&] { task(i); }, i); });
        failures.rethrow();
    }

    void run_stage(PreparedPlan& plan, std::size_t number, ListStages& kernels) {
        const PlanStage& stage = plan.plan()->stages[number];
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
                    if (events_ != nullptr && stage.node != no_node) note_kernel(action);
                }
            },
            stage.action);
    }

    /// True for a value by which results are placed at last.
    bool is_domain(ValueId value) const {
        return std::ranges::any_of(forms_, [&](const auto& form) {
            const auto* const sampled = std::get_if<const SampledResults*>(&form);
            return sampled != nullptr && ((*sampled)->domain == value || (*sampled)->positions == value);
        });
    }

    /// Gives up a value, and the argument of the planned graph that it is.
    void release(ValueId value, ListStages& kernels, std::span<const ValueId> operands) {
        if (is_domain(value)) return;
        values_.release(value);
        for (std::size_t i = 0; i < std::min(operands.size(), read_.size()); ++i)
            if (operands[i] == value) read_[i] = Argument();
        kernels.release(value);
    }

    /// Adds the event of a stage: bytes that stages before it have made, and that it makes.
    void note_stage(std::int64_t before, std::int64_t made) {
        stage_.before = before;
        stage_.made = made;
        events_->emplace_back(std::exchange(stage_, {}));
    }
    static StageEvent event_of(const AnyMasked& list) {
        return {.layout = list.layout(),
                .entries = list.specified_count(),
                .bytes = list.values().size() * bytes_of(list.dtype())};
    }
    void note_kernel(const auto& kernel) {
        const Argument& made = values_.argument(kernel.made);
        if (made.kind() == Argument::Kind::masked) stage_ = event_of(made.masked());
        stage_.count = stage_.entries;
        const auto entries = [&](const ListOperand& operand) -> std::int64_t {
            return operand.is_list() ? values_.list(operand).list->size() : 0;
        };
        if constexpr (requires { kernel.left.matrix; })
            stage_.count = entries(kernel.left.matrix) + entries(kernel.right.matrix);
        if constexpr (requires { kernel.reduction; })
            stage_.count = values_.coordinates(kernel.coordinates).count();
        if constexpr (requires { kernel.shapes; }) {
            stage_.count = 0;
            for (const ListOperand& operand : kernel.operands) *stage_.count += entries(operand);
        }
    }

    void find_coordinates(const CoordinatesStage& stage) {
        const auto make = stage.kind == MergeKind::same_pattern ? list_kernels::CoordinateSet::same_pattern
                          : stage.kind == MergeKind::intersection_of
                              ? list_kernels::CoordinateSet::intersection_of
                              : list_kernels::CoordinateSet::union_of;
        values_.set(stage.made,
                    std::make_shared<const list_kernels::CoordinateSet>(make(stage.space, arguments_)));
    }

    /// Has the body of a rest read its operands as bodies of stages do.
    void read_whole(const PreparedPlan& rest) {
        read_.clear();
        for (const ValueId operand : rest.operands()) read_.push_back(values_.whole(operand));
        arguments_ = read_;
    }

    /// The graph of a plan as one body: over whole tensors, or over the positions of its domain.
    std::vector<Result> run_whole(PreparedPlan& plan) {
        const SampledResults* const* const form =
            forms_.empty() ? nullptr : std::get_if<const SampledResults*>(&forms_.back());
        const SampledResults* const sampled = form == nullptr ? nullptr : *form;
        const bool is_symbolic = sampled != nullptr && sampled->positions != no_value;
        KeptBodySlot* const slot = plan.slot(plan.whole_graph());
        CallBody body = is_symbolic ? CallBody(slot, position_count(*sampled), [&] { return plan.graph(); })
                                    : CallBody(slot, plan.graph());
        std::vector<Result> results = body.evaluate(backend_, arguments_, events_, memory_);
        if (events_ == nullptr) return results;
        stage_.body = body.graph();
        if (sampled != nullptr) stage_.count = domain_of(*sampled).specified_count();
        note_stage(values_.bytes(), 0);
        return results;
    }

    void run_body(PreparedPlan& plan, std::size_t number, const BodyStage& stage) {
        const list_kernels::CoordinateSet* const places =
            stage.coordinates == no_value ? nullptr : &values_.coordinates(stage.coordinates);
        CallBody body(plan.slot(number), places == nullptr ? 0 : places->count(),
                      [&] { return plan.take_body(number); });
        const std::vector<Argument> arguments = values_.operands(body.graph(), stage.operands, places);
        try {
            keep(stage, places, body.evaluate(backend_, arguments, events_, {}));
        } catch (const Error&) {
            if (places != nullptr && !body.graph().checks.empty())
                report_checks_at(plan.form(), *places, arguments_);
            throw;
        }
        if (events_ == nullptr) return;
        stage_.body = body.graph();
        if (places != nullptr) stage_.count = places->count();
    }

    /// Has events of the first slice.
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
            const std::vector<Result> results =
                PlanRun(backend_, slice == 0 ? events_ : nullptr, arguments).run(stage.graph, arguments);
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

    void keep(const BodyStage& stage, const list_kernels::CoordinateSet* places,
              std::vector<Result> results) {
        for (std::size_t i = 0; i < results.size(); ++i) {
            const BodyResult& kept = stage.results[i];
            Result& result = results[i];
            if (kept.form == ResultForm::in_line)
                values_.set(kept.made, Argument(in_line(result.values)));
            else if (kept.form == ResultForm::tensor)
                values_.set(kept.made, Argument(result.values));
            else if (kept.form == ResultForm::masked)
                values_.set(kept.made, Argument(AnyMasked::strided(result.values, *result.mask)));
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

    const AnyMasked& domain_of(const SampledResults& sampled) const {
        return values_.argument(sampled.domain).masked();
    }
    std::int64_t position_count(const SampledResults& sampled) const {
        return values_.positions(sampled.positions).places.positions.size();
    }

    /// The results in their forms.
    std::vector<Result> placed(std::vector<Result> results) {
        for (auto form = forms_.rbegin(); form != forms_.rend(); ++form)
            results = std::visit([&](auto& one) { return placed(one, results); }, *form);
        return results;
    }
    /// The results of the rest, in the places of those that stages had not made.
    static std::vector<Result> placed(MadeResults& made, std::vector<Result>& others) {
        auto other = others.begin();
        for (std::size_t i = 0; i < made.values.size(); ++i)
            if (made.values[i] == no_value) made.results[i] = std::move(*other++);
        return std::move(made.results);
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
            if (events_ != nullptr && scatters != nullptr)
                events_->emplace_back(event_of(*results.back().listed));
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
    RunEvents* const events_;
    const ValueId argument_count_;
    std::span<const ResultMemory> memory_;
    PlanValues values_;
    std::span<const Argument> arguments_;  // arguments of the graph whose stages run
    std::vector<Argument> read_;           // by the rest of the plan
    StageEvent stage_;                     // for the stage that runs, if there are events
    std::vector<std::shared_ptr<KeptPlan>> late_;
    // Forms of the results, the last first; for results that were made, the results.
    std::vector<std::variant<const SampledResults*, const ScatteredResults*, MadeResults>> forms_;
};

}  // namespace

std::vector<Result> Executor::run(const Graph& graph, std::span<const Argument> arguments,
                                  std::span<const ResultMemory> memory) const {
    return PlanRun(backend_, events_, arguments).run(graph, arguments, memory);
}

std::vector<Result> Executor::run(PreparedPlan& plan, std::span<const Argument> arguments,
                                  std::span<const ResultMemory> memory) const {
    return PlanRun(backend_, events_, arguments).run(plan, arguments, memory);
}

}  // namespace frisket::planning
