// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "jit_module.hpp"

#include <algorithm>
#include <future>
#include <map>

#include "../../ir/passes/assume_equal_masks.hpp"
#include "../../ir/planner/report/plan_report.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../tuning/records/tuned.hpp"
#include "compiled_loops.hpp"
#include "device_driver.hpp"
#include "halide_jit.hpp"
#include "jit_loops.hpp"

namespace frisket::codegen {

JitModule::JitModule(Graph graph, const TargetRow& target, std::optional<Schedule> schedule, Tuning tuning,
                     Keep keep)
    : KernelModule(step_facts(graph, device_of(target))),
      graph_(elementwise(std::move(graph))),
      target_(target),
      machine_(machine_of(target)),
      schedule_(schedule),
      tuning_(tuning),
      keep_(keep) {
    if (schedule_) {
        check_for(*schedule_, target);
        facts().may_walk_bytes = schedule_->strategy == Strategy::bytes;
    }
    // Asked for loops of any strides, it has no other loops instead.
    if (schedule_ && schedule_->strategy == Strategy::strided)
        for (const StrategyInfo& info : strategies)
            facts().strategies[static_cast<std::size_t>(info.strategy)] = has_processor_loops(info.strategy);
    set_up_halide();
}

std::size_t JitModule::bytes() const {
    std::size_t bytes = 0;
    for (const Slot& slot : slots_)
        if (const LoopCode* const made = slot.loop.load()) bytes += made->bytes();
    return bytes;
}

std::shared_ptr<kernel_calls::KernelModule> JitModule::made_on(const Device& device) {
    const bool runs_anywhere = target_.name == std::string_view("cpu") && !schedule_;
    if (!runs_anywhere || device.is_cpu()) return KernelModule::made_on(device);
    return std::make_shared<JitModule>(graph(), find_target({std::string(device.name())}),
                                       std::optional<Schedule>(), tuning_, keep_);
}

kernel_calls::KernelModule* JitModule::of_equal_masks() {
    one_mask_once_.run([this] {
        std::optional<Graph> equal = ir::with_equal_masks(graph());
        if (!equal) return;
        one_mask_ = std::make_unique<JitModule>(std::move(*equal), target_, schedule_, tuning_, keep_);
        one_mask_->tuned_as_ = &graph();
    });
    return one_mask_.get();
}

std::unique_ptr<const LoopCode> JitModule::compile(const Schedule& schedule) const {
    const Specialization form{.schedule = schedule};
    const LoopRequest request{
        .graph = graph(), .numbers = numbers(), .form = form, .is_kept = keep_ == Keep::on_disk};
    show_plan(request);
    if (runtime::shows("schedule")) runtime::show("schedule", graph().name, to_string(schedule) + "\n");
    auto loop = std::make_unique<LoopCode>(compiled_loop(request, target_));
    if (target_.gpu && runtime::shows("plan"))
        runtime::show("plan", graph().name,
                      "  starts  " + planning::count_text(loop->kernels(), "kernel", "kernels") +
                          " on device " + std::string(target_.name) + " each time it runs\n");
    return loop;
}

Schedule JitModule::schedule_of(Strategy strategy) const {
    const bool is_asked = schedule_ && schedule_->strategy == strategy;
    return is_asked ? resolved(*schedule_, machine_) : default_schedule(strategy, machine_);
}

const LoopCode& JitModule::loop(Slot& slot, const Schedule& schedule) const {
    if (const LoopCode* ready = slot.loop.load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(slot.compiling);
    if (const LoopCode* ready = slot.loop.load(std::memory_order_acquire)) return *ready;
    slot.loop.store(compile(schedule).release(), std::memory_order_release);
    return *slot.loop.load(std::memory_order_relaxed);
}

const LoopCode& JitModule::loop(const kernel_calls::Variant& variant) {
    Tuned* const tuned = variant.is_tuned() ? &tuned_[static_cast<std::size_t>(variant.tuned)] : nullptr;
    Slot& slot = tuned != nullptr ? *tuned->slot : slots_[static_cast<std::size_t>(variant.strategy)];
    if (const LoopCode* ready = slot.loop.load(std::memory_order_acquire)) return *ready;
    return loop(slot,
                tuned != nullptr ? resolved(*tuned->schedule, machine_) : schedule_of(variant.strategy));
}

void JitModule::find_tuned() {
    if (schedule_ || tuning_ == Tuning::ignore) return;
    std::vector<Tuned> found;  // all or none: failed work is tried again
    std::vector<kernel_calls::TunedVariant> variants;
    for (const TunedCall& known : tuned_calls(*tuned_as_, target_)) {
        if (known.schedule) check_for(*known.schedule, target_);
        found.push_back({known.schedule});
        variants.push_back({known.call, {}});
        if (known.schedule) variants.back().strategy = known.schedule->strategy;
    }
    tuned_ = std::move(found);
    facts().take(std::move(variants));
}

namespace {
/// The strategies whose loops run in a call that takes one: a word that is cut has no lines of its own.
std::vector<Strategy> all_of(Strategy strategy) {
    if (strategy == Strategy::lines) return {strategy, Strategy::skip};
    return {strategy};
}
}  // namespace

void JitModule::specialize(std::span<const Layout> layouts, std::int64_t row_length) {
    const std::optional<Layout> layout = runtime::common_layout(layouts);
    constexpr int rows_of_one = 31;
    const bool is_of_one = layout && runtime::lists_rows(*layout) && row_length == 1;
    const int place = is_of_one ? rows_of_one : layout ? static_cast<int>(*layout) : 0;
    const std::uint32_t bit = layout ? std::uint32_t{1} << place : 0;
    if (met_.load(std::memory_order_acquire) & bit) return;
    tuned_once_.run([this] { find_tuned(); });
    if (target_.gpu) return specialize_for_device(layouts);
    // A change of density must not stall a training loop: every strategy that it could lead to is made now.
    auto wanted = kernel_calls::strategies_for(signature(), layouts, row_length);
    check_schedule(kernel_calls::legal_strategies(signature(), layouts));
    const auto legal = kernel_calls::legal_strategies(signature(), layouts);
    for (std::size_t i = 0; i < tuned_.size(); ++i) {
        if (!tuned_[i].schedule) continue;
        const Strategy strategy = tuned_[i].schedule->strategy;
        if (std::ranges::find(legal, strategy) == legal.end()) continue;
        loop({strategy, static_cast<int>(i)});
        for (const Strategy other : all_of(strategy))
            if (other != strategy && std::ranges::find(wanted, other) == wanted.end())
                wanted.push_back(other);
    }
    if (schedule_ && schedule_->strategy != Strategy::strided) wanted = all_of(schedule_->strategy);
    compile_variants(wanted);
    met_.fetch_or(bit, std::memory_order_release);
}

/// A loop of a device is compiled at its first call: masks are not looked at.
void JitModule::specialize_for_device(std::span<const Layout> layouts) const {
    check_schedule(kernel_calls::strategies_on_device(signature(), layouts));
}

void JitModule::check_schedule(std::span<const Strategy> legal) const {
    if (!schedule_ || legal.empty() || schedule_->strategy == Strategy::strided ||
        std::ranges::find(legal, schedule_->strategy) != legal.end())
        return;
    const std::string names = runtime::joined(legal, [](Strategy strategy) { return name_of(strategy); });
    throw ScheduleError(graph().name + ": the schedule asks for " +
                        std::string(name_of(schedule_->strategy)) +
                        ", whose loops cannot walk what this call gives: for its layouts there are " + names +
                        ": name one of these, convert with to(), or give no schedule");
}

kernel_calls::Variant JitModule::choose(const kernel_calls::DispatchQuery& query) {
    if (!schedule_ || schedule_->strategy == Strategy::strided) return KernelModule::choose(query);
    if (device().is_cpu() && schedule_->strategy == Strategy::rows && query.layout != Layout::rows)
        check_schedule(kernel_calls::legal_strategies(
            signature(), std::vector(signature().parameters.size(), query.layout)));
    return {schedule_->strategy};
}

void JitModule::compile_variants(std::span<const Strategy> wanted) {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < wanted.size(); ++i)
        if (!slots_[static_cast<std::size_t>(wanted[i])].loop.load(std::memory_order_acquire))
            others.push_back(
                std::async(std::launch::async, [this, strategy = wanted[i]] { loop({strategy}); }));
    if (!wanted.empty()) loop({wanted[0]});
    for (auto& other : others) other.get();
}

void JitModule::run(const kernel_calls::Variant& variant, std::span<const void*> argv) {
    const LoopCode& ready = loop(variant);
    LoopContext context;
    const int status = ready.call(argv, context);
    if (!device().is_cpu()) ready.note_launches(device());
    if (status != 0)
        throw_failure(graph().name + ": the loop " + std::string(name_of(variant.strategy)) +
                          " failed on target " + std::string(target_.name),
                      status, context, device());
}

}  // namespace frisket::codegen
