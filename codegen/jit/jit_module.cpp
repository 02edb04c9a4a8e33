// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "jit_module.hpp"

#include <algorithm>
#include <future>
#include <map>

#include "../../ir/passes/assume_equal_masks.hpp"
#include "../../ir/planner/report/plan_report.hpp"
#include "../../runtime/device/device_memory.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/support/parallel.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../tuning/records/tuned.hpp"
#include "compiled_loops.hpp"
#include "device_driver.hpp"
#include "halide_jit.hpp"
#include "jit_loops.hpp"

namespace frisket::codegen {

struct JitModule::Loop { LoopCode code; };

struct JitModule::Tuned {
    WorkloadClass call;
    std::optional<Schedule> schedule;  ///< none: the default is the fastest
    std::unique_ptr<Slot> slot = std::make_unique<Slot>();
};

JitModule::Slot::~Slot() { delete loop.load(); }

JitModule::JitModule(Graph graph, const TargetRow& target, std::optional<Schedule> schedule, Tuning tuning,
                     Keep keep)
    : GraphModule(std::move(graph), device_of(target)),
      target_(target),
      machine_(machine_of(target)),
      schedule_(schedule),
      tuning_(tuning),
      keep_(keep) {
    if (schedule_) check_for(*schedule_, target);
    set_up_halide();
}

std::size_t JitModule::bytes() const {
    std::size_t bytes = 0;
    for (const Slot& slot : slots_)
        if (const Loop* const made = slot.loop.load()) bytes += made->code.bytes();
    return bytes;
}

JitModule::~JitModule() = default;

kernel_calls::KernelModule& JitModule::on(const Device& device) {
    const bool runs_anywhere = target_.name == std::string_view("cpu") && !schedule_;
    if (!runs_anywhere || device.is_cpu()) return KernelModule::on(device);
    const std::scoped_lock lock(elsewhere_mutex_);
    for (const auto& known : elsewhere_)
        if (known->device() == device) return *known;
    const TargetRow& target = find_target({std::string(device.name())});
    elsewhere_.push_back(
        std::make_unique<JitModule>(graph(), target, std::optional<Schedule>(), tuning_, keep_));
    return *elsewhere_.back();
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

std::unique_ptr<const JitModule::Loop> JitModule::compile(const Schedule& schedule) const {
    const Specialization form{.schedule = schedule};
    const LoopRequest request{
        .graph = graph(), .numbers = numbers(), .form = form, .is_kept = keep_ == Keep::on_disk};
    show_plan(request);
    if (runtime::shows("schedule")) runtime::show("schedule", graph().name, to_string(schedule) + "\n");
    auto loop = std::make_unique<Loop>();
    loop->code = compiled_loop(request, target_);
    if (target_.gpu && runtime::shows("plan"))
        runtime::show("plan", graph().name,
                      "  starts  " + planning::count_text(loop->code.kernels(), "kernel", "kernels") +
                          " on device " + std::string(target_.name) + " each time it runs\n");
    return loop;
}

Schedule JitModule::schedule_of(Strategy strategy) const {
    const bool is_asked = schedule_ && schedule_->strategy == strategy;
    return is_asked ? resolved(*schedule_, machine_) : default_schedule(strategy, machine_);
}

const JitModule::Loop& JitModule::loop(Slot& slot, const Schedule& schedule) const {
    if (const Loop* ready = slot.loop.load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(slot.compiling);
    if (const Loop* ready = slot.loop.load(std::memory_order_acquire)) return *ready;
    slot.loop.store(compile(schedule).release(), std::memory_order_release);
    return *slot.loop.load(std::memory_order_relaxed);
}

const JitModule::Loop& JitModule::loop(const kernel_calls::Variant& variant) {
    Tuned* const tuned = variant.is_tuned() ? &tuned_[static_cast<std::size_t>(variant.tuned)] : nullptr;
    Slot& slot = tuned != nullptr ? *tuned->slot : slots_[static_cast<std::size_t>(variant.strategy)];
    if (const Loop* ready = slot.loop.load(std::memory_order_acquire)) return *ready;
    return loop(slot,
                tuned != nullptr ? resolved(*tuned->schedule, machine_) : schedule_of(variant.strategy));
}

void JitModule::find_tuned() {
    if (schedule_ || tuning_ == Tuning::ignore) return;
    std::vector<Tuned> found;  // all or none: what fails is tried again
    bool knows_small_calls = false;
    for (const TunedCall& known : tuned_calls(*tuned_as_, target_)) {
        if (known.schedule) check_for(*known.schedule, target_);
        found.push_back({known.call, known.schedule});
        knows_small_calls = knows_small_calls || (known.schedule && is_small(known.call));
    }
    tuned_ = std::move(found);
    knows_small_calls_ = knows_small_calls;
}

namespace {
/// The strategies whose loops run in a call that takes one: a word that is cut has no lines of its own.
std::vector<Strategy> all_of(Strategy strategy) {
    if (strategy == Strategy::lines) return {strategy, Strategy::skip};
    return {strategy};
}
}  // namespace

void JitModule::specialize(std::span<const Layout> layouts) {
    const Layout layout = layouts.empty() ? Layout::dense : layouts[0];
    const bool is_uniform = std::ranges::all_of(layouts, [&](Layout other) { return other == layout; });
    const std::uint32_t bit = is_uniform ? std::uint32_t{1} << static_cast<int>(layout) : 0;
    if (met_.load(std::memory_order_acquire) & bit) return;
    tuned_once_.run([this] { find_tuned(); });
    if (target_.gpu) return specialize_for_device(layouts);
    // A change of density must not stall a training loop: every strategy that it could lead to is made now.
    auto wanted = kernel_calls::strategies_for(signature(), layouts);
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

/// A loop of a device is compiled when it is met: masks are not looked at.
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

kernel_calls::Variant JitModule::choose(const kernel_calls::DispatchQuery& query) const {
    if (schedule_ && device().is_cpu() && schedule_->strategy == Strategy::rows &&
        query.layout != Layout::rows)
        check_schedule(kernel_calls::legal_strategies(
            signature(), std::vector(signature().parameters.size(), query.layout)));
    if (schedule_ && schedule_->strategy != Strategy::strided) return {schedule_->strategy};
    if (tuned_.empty()) return kernel_calls::KernelModule::choose(query);
    const Tuned* const found = nearest(std::span<const Tuned>(tuned_), class_of(query));
    if (found == nullptr || !found->schedule) return kernel_calls::KernelModule::choose(query);
    return {found->schedule->strategy, static_cast<int>(found - tuned_.data())};
}

bool JitModule::may_walk_bytes() const noexcept {
    const auto walks_bytes = [](const std::optional<Schedule>& schedule) {
        return schedule && schedule->strategy == Strategy::bytes;
    };
    return schedule_ ? walks_bytes(schedule_) : std::ranges::any_of(tuned_, walks_bytes, &Tuned::schedule);
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
    const Loop& ready = loop(variant);
    LoopContext context;
    const int status = ready.code.call(argv, context);
    if (!device().is_cpu()) ready.code.note_launches(device());
    if (status != 0)
        throw_failure(graph().name + ": the loop " + std::string(name_of(variant.strategy)) +
                          " failed on target " + std::string(target_.name),
                      status, context, device());
}

void JitModule::parallel_for(int tasks, void (*task)(void*, int), void* closure) const {
    runtime::run_tasks(tasks, task, closure);
}

}  // namespace frisket::codegen
