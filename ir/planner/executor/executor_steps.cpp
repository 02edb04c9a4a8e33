// SPDX-License-Identifier: MIT
#include "executor.hpp"

#include "../../../runtime/device/device_kernels.hpp"
#include "../../../runtime/kernel/densify.hpp"
#include "prepared_plan.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

namespace frisket::planning {

namespace {

/// The passes of a step, one after the other, and their operands.
struct Passes {
    std::vector<Result> values;
    std::deque<StageArguments> arguments = {};
    std::vector<kernel_calls::Ready> passes = {};

    void run() const {
        for (const kernel_calls::Ready& pass : passes) pass.run();
    }
};

}  // namespace

kernel_calls::Ready Executor::ready(const StepPlan& plan, std::span<const Argument> arguments) const {
    const kernel_calls::Ready changes_nothing{[] {}};
    const Partition& parts = plan.parts;
    const Stage& first = plan.steps.empty() ? parts.values : plan.gradients;
    // A call that fails its checks fails whether it would be skipped or not.
    const bool is_judged_late =
        !first.graph.checks.empty() || std::ranges::any_of(parts.skips, &Stage::reads_values);
    if (!is_judged_late && is_skipped(parts, arguments, {})) return changes_nothing;
    if (plan.row_blocks)
        if (auto call = backend_.ready_rows(*plan.row_blocks, arguments, events_)) return call;
    // Lists that several stages read as values and masks are made into these once.
    std::vector<Argument> densified;
    const std::int64_t before = runtime::started_device_kernels();
    if (std::ranges::any_of(parts.steps, &Stage::repeats)) {
        densified = kernel_calls::densified_lists(arguments);
        arguments = densified;
    }
    const auto started = static_cast<int>(runtime::started_device_kernels() - before);
    if (events_ != nullptr) events_->emplace_back(BodyEvent{.kernels = started});
    std::vector<Result> values = values_of(first, arguments);
    if (is_judged_late && is_skipped(parts, arguments, values)) return changes_nothing;
    bool has_read = !values.empty();
    const auto all = std::make_shared<Passes>(Passes{std::move(values)});
    const auto add = [&](const Stage& pass, bool is_last, const auto& make) {
        const std::span<const Argument> own =
            all->arguments.emplace_back(pass, arguments, all->values, is_last);
        has_read = has_read || kernel_calls::has_state(own);
        all->passes.push_back(make(own));
    };
    for (const StepPart& part : plan.steps)
        add(part.stage, true, [&](std::span<const Argument> own) { return ready(part.plan, own); });
    for (const Stage& pass : parts.steps)
        add(pass, &pass == &parts.steps.back(),
            [&](std::span<const Argument> own) { return backend_.ready(pass.graph, own, events_); });
    return kernel_calls::ready_of(all, has_read);
}

/// True if a condition holds under which the step changes nothing.
bool Executor::is_skipped(const Partition& parts, std::span<const Argument> arguments,
                          std::span<const Result> values) const {
    return std::ranges::any_of(parts.skips, [&](const Stage& skip) {
        const StageArguments own(skip, arguments, values, false);
        return Tensor<bool>(run(skip, own).front().values).item();
    });
}

/// The results of the first stage of a step.
std::vector<Result> Executor::values_of(const Stage& stage, std::span<const Argument> arguments) const {
    if (stage.graph.results.empty() && stage.graph.checks.empty()) return {};
    return run(stage, StageArguments(stage, arguments, {}, false));
}

std::vector<Result> Executor::run(const Stage& stage, std::span<const Argument> arguments) const {
    if (kept_ == nullptr) return run(stage.graph, arguments);
    const std::shared_ptr<KeptPlan> plan = kept_->plan_of(stage, arguments, backend_.scope());
    return run(plan->plan(), arguments);
}

}  // namespace frisket::planning
