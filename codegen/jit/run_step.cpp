// SPDX-License-Identifier: MIT
#include "run_step.hpp"

#include <memory>
#include <vector>

#include "../../ir/planner/executor.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "evaluate.hpp"
#include "row_step.hpp"

namespace frisket {

namespace {

/// Ways to run a step: over rows alone if that can be, and in any case by phases.
struct Plans {
    Plans(const Graph& step, const TargetName& target) : phases(partition(step)) {
        if (check_present(target).gpu) return;
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

/// A call of a step, which refers to its plans.
class PlannedStep final : public Ready {
public:
    PlannedStep(std::shared_ptr<const Plans> plans, std::unique_ptr<Ready> call)
        : plans_(std::move(plans)), call_(std::move(call)) {}
    void run() override { call_->run(); }
    bool has_read() const override { return call_->has_read(); }

private:
    const std::shared_ptr<const Plans> plans_;
    const std::unique_ptr<Ready> call_;
};

}  // namespace

std::unique_ptr<Ready> ready_step(const Graph& step, std::span<const Argument> arguments,
                                  const TargetName& target) {
    check_call(signature_of(step), arguments);
    std::shared_ptr<const Plans> plans = plans_of(step, target);
    std::unique_ptr<Ready> call = plans->rows ? plans->rows->ready(arguments) : nullptr;
    if (call == nullptr) call = Executor(CompiledBodies(target)).ready(plans->phases, arguments);
    return std::make_unique<PlannedStep>(std::move(plans), std::move(call));
}

bool runs_by_rows(const Graph& step, std::span<const Argument> arguments, const TargetName& target) {
    const std::shared_ptr<const Plans> plans = plans_of(step, target);
    return plans->rows && plans->rows->ready(arguments) != nullptr;
}

void run_step(const Graph& step, std::span<const Argument> arguments, const TargetName& target) {
    ready_step(step, arguments, target)->run();
}

}  // namespace frisket
