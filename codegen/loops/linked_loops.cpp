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
#include "../../runtime/support/parallel.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "graph_module.hpp"
#include "ready_step.hpp"

namespace frisket::codegen {

namespace {

/// The number of the best target of a table.
std::size_t best_of(std::string_view name, std::span<const aot::PlannedTarget> targets) {
    std::vector<kernel::TargetFeatures> all;
    for (const aot::PlannedTarget& target : targets) all.push_back({target.name, target.features});
    const std::size_t best = kernel::best_target(name, all, halide_can_use_target_features);
    if (runtime::shows("schedule"))
        runtime::show("schedule", std::string(name), "target " + std::string(targets[best].name) + "\n");
    return best;
}

std::atomic<std::size_t> missed = 0;

/// Counts a graph that is interpreted, and shows it if FRISKET_SHOW says so.
void note_missed(const Graph& graph) {
    ++missed;
    if (runtime::shows("plan"))
        runtime::show("plan", graph.name,
                      "interpreted, which is slow: its loops were not compiled ahead of time\n" +
                          to_string(graph));
}

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
    void check_layouts(std::span<const Layout> layouts) const override {
        if (has_all(layouts)) return;
        std::string text = signature().name + ": its loops were not compiled ahead of time for layout";
        for (const Layout layout : layouts) text += " " + std::string(name_of(layout));
        throw LayoutError(text + ": name it in LAYOUTS of frisket_add_kernels");
    }
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

LinkedLoops::LinkedLoops(std::string_view name, const LinkedTables& tables) : modules_(64) {
    const std::size_t best = best_of(name, tables.front());
    for (const std::span<const aot::PlannedTarget> table : tables) tables_.push_back(&table[best]);
}

LinkedLoops::~LinkedLoops() = default;

LoopCode LinkedLoops::find(const KeyText& text) const {
    const aot::LoopKey key = linked_key(text);
    for (const aot::PlannedTarget* const table : tables_) {
        const auto found = std::ranges::lower_bound(table->loops, key, {}, &aot::PlannedLoop::key);
        if (found == table->loops.end() || found->key != key) continue;
        constexpr std::size_t bytes = 1;  // its code takes none that could be given back
        return {std::make_shared<ObjectFunction>(found->run, bytes, nullptr),
                {found->notes.begin(), found->notes.end()}};
    }
    return {};
}

LoopCode LinkedLoops::nest(const NestRequest& request) const {
    if (LoopCode code = find(nest_key(request.graph, request.form))) return code;
    // Loops with threads, and without, give the same bytes.
    Specialization other = request.form;
    other.parallel = !other.parallel;
    LoopCode code = find(nest_key(request.graph, other));
    if (!code) note_missed(request.graph);
    return code;
}

LoopCode LinkedLoops::step(const StepRequest& request) const {
    return find(step_key(request.graph, request.schedule, request.is_single));
}

std::optional<CompiledKernel> LinkedLoops::kernel(const Graph& step,
                                                  std::span<const Argument> arguments) const {
    const auto module = modules_.get(
        hash(step), [&](const LinkedModule& known) { return known.graph() == step; },
        [&] { return std::make_shared<LinkedModule>(step, *this); });
    const bool has_all =
        arguments.empty() ? module->has(Strategy::strided) : module->has_all(kernel_layouts(arguments));
    if (has_all) return CompiledKernel(module);
    note_missed(step);
    return {};
}

}  // namespace frisket::codegen
