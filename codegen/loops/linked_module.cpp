// SPDX-License-Identifier: MIT
#include "linked_module.hpp"

#include <algorithm>
#include <utility>

#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../../runtime/support/parallel.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"

namespace frisket::codegen {

LinkedModule::LinkedModule(Graph graph, const LinkedLoops& loops, std::span<const TunedCall> tuned)
    : GraphModule(std::move(graph), loops.device()), source_(loops) {
    const auto loop_of = [&](const Schedule& schedule) {
        return loops.loop({this->graph(), numbers(), {.schedule = loops.resolved(schedule)}});
    };
    for (std::size_t i = 0; i < strategy_count; ++i)
        loops_[i] = loop_of(default_schedule(static_cast<Strategy>(i)));
    std::string text;
    for (const auto& [call, schedule] : tuned) {
        Tuned& own = tuned_.emplace_back(Tuned{call});
        text += "tuned: " + to_string(call) + ": " + (schedule ? to_string(*schedule) : "default") + "\n";
        if (!schedule) continue;
        own.strategy = schedule->strategy;
        own.loop = loop_of(*schedule);
        knows_small_calls_ = knows_small_calls_ || (own.loop && is_small(call));
    }
    if (!text.empty() && runtime::shows("schedule")) runtime::show("schedule", signature().name, text);
}

bool LinkedModule::has_all(std::span<const Layout> layouts) const {
    if (!device().is_cpu()) return has(Strategy::strided);  // others are asked for when they are chosen
    return has(Strategy::strided) && std::ranges::all_of(kernel_calls::strategies_for(signature(), layouts),
                                                         [&](Strategy strategy) { return has(strategy); });
}

void LinkedModule::refuse(std::span<const Layout> layouts) const {
    std::string text = signature().name + ": its loops were not compiled ahead of time for layout";
    for (const Layout layout : layouts) text += " " + std::string(name_of(layout));
    if (!device().is_cpu()) text += " on device " + std::string(device().name());
    throw LayoutError(text + ": name it in LAYOUTS of frisket_add_kernels");
}

void LinkedModule::check_layouts(std::span<const Layout> layouts) const {
    if (has_all(layouts)) return;
    refuse(layouts);
}

kernel_calls::Variant LinkedModule::choose_by_cost(const kernel_calls::DispatchQuery& query) const {
    const kernel_calls::Variant variant = kernel_calls::KernelModule::choose(query);
    if (!device().is_cpu() && !has(variant.strategy)) refuse({&query.layout, 1});
    return variant;
}

kernel_calls::Variant LinkedModule::choose(const kernel_calls::DispatchQuery& query) const {
    const Tuned* const found =
        tuned_.empty() ? nullptr : nearest(std::span<const Tuned>(tuned_), class_of(query));
    if (found == nullptr || !found->loop) return choose_by_cost(query);
    return {found->strategy, static_cast<int>(found - tuned_.data())};
}

bool LinkedModule::may_walk_bytes() const noexcept {
    return std::ranges::any_of(
        tuned_, [](const Tuned& tuned) { return tuned.loop && tuned.strategy == Strategy::bytes; });
}

void LinkedModule::run(const kernel_calls::Variant& variant, std::span<const void*> argv) {
    LoopContext context;
    const LoopCode& loop = variant.is_tuned() ? tuned_[static_cast<std::size_t>(variant.tuned)].loop
                                              : loops_[static_cast<std::size_t>(variant.strategy)];
    const std::string where = signature().name + ": the loop " + std::string(name_of(variant.strategy));
    if (!loop) throw Bug(where + " was not compiled ahead of time");
    const int status = loop.call(argv, context);
    if (!device().is_cpu()) loop.note_launches(device());
    if (status != 0) throw_failure(where + " failed", status, context, device());
}

kernel_calls::KernelModule& LinkedModule::on(const Device& device) {
    if (device == this->device()) return *this;
    const LinkedLoops& there = source_.linked_on(device);
    const std::scoped_lock lock(elsewhere_mutex_);
    for (const auto& known : elsewhere_)
        if (known->device() == device) return *known;
    return *elsewhere_.emplace_back(
        std::make_unique<LinkedModule>(graph(), there, there.tuned_calls(to_string(graph()))));
}

void LinkedModule::parallel_for(int tasks, void (*task)(void*, int), void* closure) const {
    runtime::run_tasks(tasks, task, closure);
}

}  // namespace frisket::codegen
