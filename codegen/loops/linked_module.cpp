// SPDX-License-Identifier: MIT
#include "linked_module.hpp"

#include <algorithm>
#include <utility>

#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"

namespace frisket::codegen {

LinkedModule::LinkedModule(Graph graph, const LinkedLoops& loops, std::span<const TunedCall> tuned)
    : KernelModule(step_facts(graph, loops.device())), graph_(elementwise(std::move(graph))), source_(loops) {
    const auto numbers = ir::ScalarProgram::of(graph_);
    const auto loop_of = [&](const Schedule& schedule) {
        return loops.loop({graph_, numbers, {.schedule = loops.resolved(schedule)}});
    };
    for (std::size_t i = 0; i < strategy_count; ++i)
        facts().strategies[i] =
            static_cast<bool>(loops_.emplace_back(loop_of(default_schedule(static_cast<Strategy>(i)))));
    std::string text;
    std::vector<kernel_calls::TunedVariant> variants;
    for (const auto& [call, schedule] : tuned) {
        kernel_calls::TunedVariant& variant = variants.emplace_back(kernel_calls::TunedVariant{call, {}});
        text += "tuned: " + to_string(call) + ": " + (schedule ? to_string(*schedule) : "default") + "\n";
        if (loops_.emplace_back(schedule ? loop_of(*schedule) : LoopCode()))
            variant.strategy = schedule->strategy;
    }
    facts().take(std::move(variants));
    if (!text.empty() && runtime::shows("schedule")) runtime::show("schedule", signature().name, text);
}

bool LinkedModule::has_all(std::span<const Layout> layouts) const {
    if (!device().is_cpu()) return has(Strategy::strided);  // further loops are found when chosen
    return has(Strategy::strided) && std::ranges::all_of(kernel_calls::strategies_for(signature(), layouts),
                                                         [&](Strategy strategy) { return has(strategy); });
}

void LinkedModule::refuse(std::span<const Layout> layouts) const {
    std::string text = signature().name + ": its loops were not compiled ahead of time for layout";
    for (const Layout layout : layouts) text += " " + std::string(name_of(layout));
    if (!device().is_cpu()) text += " on device " + std::string(device().name());
    throw LayoutError(text + ": name it in LAYOUTS of frisket_add_kernels");
}

void LinkedModule::specialize(std::span<const Layout> layouts, std::int64_t /*row_length*/) {
    if (!has_all(layouts)) refuse(layouts);
}

kernel_calls::Variant LinkedModule::choose(const kernel_calls::DispatchQuery& query) {
    const kernel_calls::Variant variant = KernelModule::choose(query);
    if (!variant.is_tuned() && !device().is_cpu() && !has(variant.strategy)) refuse({&query.layout, 1});
    return variant;
}

void LinkedModule::run(const kernel_calls::Variant& variant, std::span<const void*> argv) {
    LoopContext context;
    const LoopCode& loop = loops_[variant.place()];
    const std::string where = signature().name + ": the loop " + std::string(name_of(variant.strategy));
    if (!loop) throw Bug(where + " was not compiled ahead of time");
    const int status = loop.call(argv, context);
    if (!device().is_cpu()) loop.note_launches(device());
    if (status != 0) throw_failure(where + " failed", status, context, device());
}

std::shared_ptr<kernel_calls::KernelModule> LinkedModule::made_on(const Device& device) {
    const LinkedLoops& there = source_.linked_on(device);
    return std::make_shared<LinkedModule>(graph(), there, there.tuned_calls(to_string(graph())));
}

}  // namespace frisket::codegen
