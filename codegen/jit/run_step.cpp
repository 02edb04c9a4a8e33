// SPDX-License-Identifier: MIT
#include "run_step.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "../../ir/planner/rules/partition.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "evaluate.hpp"
#include "jit_graph.hpp"
#include "row_step.hpp"

namespace frisket {

namespace {

/// How a step is run: over rows alone if that can be, and in any case by phases.
struct Plans {
    Plans(const Graph& step, const TargetName& target) : phases(partition(step)) {
        if (find_target(target).gpu) return;
        if (auto plan = plan_rows(step)) rows.emplace(std::move(*plan), target);
    }
    Partition phases;
    std::optional<RowStep> rows;
};

std::shared_ptr<const Plans> plans_of(const Graph& step, const TargetName& target) {
    struct Known : Plans {
        Known(const Graph& graph, const TargetName& name)
            : Plans(graph, name), step(graph), row(&find_target(name)) {}
        Graph step;
        const TargetRow* row;
    };
    constexpr std::size_t most = 64;
    // Never destroyed, as static variables of the user's may outlive it.
    static auto* cache = new LruCache<Known>(most);
    const TargetRow* const row = &find_target(target);
    return cache->get(
        hash(step), [&](const Known& known) { return known.row == row && known.step == step; },
        [&] { return std::make_shared<Known>(step, target); });
}

/// A step over rows.
class RowsReady final : public Ready {
public:
    RowsReady(std::shared_ptr<const Plans> plans, std::unique_ptr<Ready> call)
        : plans_(std::move(plans)), call_(std::move(call)) {}
    void run() override { call_->run(); }
    bool has_read() const override { return call_->has_read(); }

private:
    const std::shared_ptr<const Plans> plans_;  // which the call refers to
    const std::unique_ptr<Ready> call_;
};

/// A step by phases: values are there, calls are made one after the other.
class PhasesReady final : public Ready {
public:
    PhasesReady(std::shared_ptr<const Plans> plans, std::span<const Argument> arguments,
                const TargetName& target)
        : plans_(std::move(plans)) {
        const Partition& phases = plans_->phases;
        const TargetName host = find_target(target).gpu ? TargetName{"cpu"} : target;
        if (const Graph& graph = phases.values.graph; !graph.results.empty() || !graph.checks.empty())
            values_ = jit_evaluate(graph, PhaseArguments(phases.values, arguments, {}, false), host);
        for (const Stage& phase : phases.steps) {
            const bool is_last = &phase == &phases.steps.back();
            const std::span<const Argument> of_phase =
                arguments_.emplace_back(phase, arguments, values_, is_last);
            const auto& list = lists_.emplace_back(of_phase.begin(), of_phase.end());
            calls_.push_back(ready_calls(jit(phase.graph, target), {&list, 1}));
        }
    }
    void run() override {
        for (const auto& call : calls_) call->run();
    }
    bool has_read() const override {
        const auto is_state = [](const Argument& argument) {
            return argument.kind() == Argument::Kind::state;
        };
        return !values_.empty() || std::ranges::any_of(lists_, [&](const auto& list) {
            return std::ranges::any_of(list, is_state);
        });
    }

private:
    const std::shared_ptr<const Plans> plans_;
    std::vector<Result> values_;
    std::deque<PhaseArguments> arguments_;
    std::deque<std::vector<Argument>> lists_;
    std::vector<std::unique_ptr<Ready>> calls_;
};

}  // namespace

std::unique_ptr<Ready> ready_step(const Graph& step, std::span<const Argument> arguments,
                                  const TargetName& target) {
    check_call(signature_of(step), arguments);
    std::shared_ptr<const Plans> plans = plans_of(step, target);
    if (plans->rows)
        if (std::unique_ptr<Ready> rows = plans->rows->ready(arguments))
            return std::make_unique<RowsReady>(std::move(plans), std::move(rows));
    return std::make_unique<PhasesReady>(std::move(plans), arguments, target);
}

bool runs_by_rows(const Graph& step, std::span<const Argument> arguments, const TargetName& target) {
    const std::shared_ptr<const Plans> plans = plans_of(step, target);
    return plans->rows && plans->rows->ready(arguments) != nullptr;
}

void run_step(const Graph& step, std::span<const Argument> arguments, const TargetName& target) {
    ready_step(step, arguments, target)->run();
}

}  // namespace frisket
