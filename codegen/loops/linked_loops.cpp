// SPDX-License-Identifier: MIT
#include "linked_loops.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <HalideRuntime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "../../ir/planner/shaped_step.hpp"
#include "../../runtime/kernel/aot_target.hpp"
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/support/parallel.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "graph_module.hpp"
#include "ready_step.hpp"

namespace frisket::codegen {

namespace {

const aot::PlannedTarget& best_of(std::string_view name, std::span<const aot::PlannedTarget> targets) {
    std::vector<kernel::TargetFeatures> all;
    for (const aot::PlannedTarget& target : targets) all.push_back({target.name, target.features});
    const aot::PlannedTarget& best = targets[kernel::best_target(name, all, halide_can_use_target_features)];
    if (runtime::shows("schedule"))
        runtime::show("schedule", std::string(name), "target " + std::string(best.name) + "\n");
    return best;
}

std::atomic<std::size_t> missed = 0;

}  // namespace

std::size_t missed_linked_loops() noexcept { return missed; }

aot::LoopKey linked_key(const KeyText& text) {
    const XXH128_hash_t hash = XXH3_128bits(text.text().data(), text.text().size());
    return {hash.high64, hash.low64};
}

/// An elementwise step of a plan by the loops that were linked for it.
class LinkedModule final : public GraphModule {
public:
    LinkedModule(Graph graph, const LinkedLoops& loops) : GraphModule(std::move(graph)) {
        for (std::size_t i = 0; i < strategy_count; ++i) {
            const auto strategy = static_cast<Strategy>(i);
            loops_[i] = loops.step(
                {this->graph(), signature(), numbers(), resolved(default_schedule(strategy), loops.lanes())});
        }
    }

    bool has(Strategy strategy) const noexcept override {
        return static_cast<bool>(loops_[static_cast<std::size_t>(strategy)]);
    }
    /// True if it has all loops that calls with these layouts may need.
    bool has_all(std::span<const Layout> layouts) const {
        return has(Strategy::strided) &&
               std::ranges::all_of(kernel::strategies_for(signature(), layouts),
                                   [&](Strategy strategy) { return has(strategy); });
    }
    void check_layouts(std::span<const Layout> /*layouts*/) const override {}
    void compile_variants(std::span<const Strategy> /*wanted*/) override {}
    void run(const kernel::Variant& variant, std::span<const void*> argv) override {
        LoopContext context;
        const LoopCode& loop = loops_[static_cast<std::size_t>(variant.strategy)];
        const std::string where = signature().name + ": the loop " + std::string(name_of(variant.strategy));
        if (!loop) throw Bug(where + " was not compiled ahead of time");
        if (const int status = loop.call(argv, context); status != 0)
            throw Bug(where + " failed with code " + std::to_string(status) + ": " + context.message);
    }
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override {
        runtime::run_tasks(tasks, task, closure);
    }

private:
    std::array<LoopCode, strategy_count> loops_;
};

LinkedLoops::LinkedLoops(std::string_view name, std::span<const aot::PlannedTarget> targets)
    : target_(best_of(name, targets)), modules_(64) {}

LinkedLoops::~LinkedLoops() = default;

LoopCode LinkedLoops::find(const KeyText& text) const {
    const aot::LoopKey key = linked_key(text);
    const auto found = std::ranges::lower_bound(target_.loops, key, {}, &aot::PlannedLoop::key);
    if (found == target_.loops.end() || found->key != key) return {};
    constexpr std::size_t bytes = 1;  // its code takes none that could be given back
    return {std::make_shared<ObjectFunction>(found->run, bytes, nullptr),
            {found->notes.begin(), found->notes.end()}};
}

LoopCode LinkedLoops::nest(const NestRequest& request) const {
    if (LoopCode code = find(nest_key(request.graph, request.form))) return code;
    // Loops with threads, and without, give the same bytes.
    Specialization other = request.form;
    other.parallel = !other.parallel;
    LoopCode code = find(nest_key(request.graph, other));
    if (!code) ++missed;
    return code;
}

LoopCode LinkedLoops::step(const StepRequest& request) const {
    return find(step_key(request.graph, request.schedule, request.is_single));
}

std::unique_ptr<kernel::Ready> LinkedLoops::ready(const Graph& step,
                                                  std::span<const Argument> arguments) const {
    const auto module = modules_.get(
        hash(step), [&](const LinkedModule& known) { return known.graph() == step; },
        [&] { return std::make_shared<LinkedModule>(step, *this); });
    std::vector<Layout> layouts;
    for (const Argument& argument : arguments)
        if (argument.kind() == Argument::Kind::masked)
            layouts.push_back(runtime::kernel_layout(argument.masked().layout()));
    if (module->has_all(layouts)) return ready_kernel(CompiledKernel(module), arguments);
    ++missed;
    return nullptr;
}

}  // namespace frisket::codegen
