// SPDX-License-Identifier: MIT
#include "linked_loops.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <HalideRuntime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "../../runtime/kernel/aot_target.hpp"
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "linked_module.hpp"
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

aot::LoopKey linked_key(std::string_view text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return {hash.high64, hash.low64};
}

LinkedLoops::LinkedLoops(std::string_view name, const LinkedTables& tables) : modules_(64) {
    const std::size_t best = best_of(name, tables.front());
    for (const std::span<const aot::PlannedTarget> table : tables) tables_.push_back(&table[best]);
    for (const aot::PlannedTarget* const table : tables_)
        for (const auto& [text, call, made] : table->tuned)
            tuned_[text].push_back({call, made.empty() ? std::nullopt : std::optional(schedule(made))});
}

LinkedLoops::~LinkedLoops() = default;

LoopCode LinkedLoops::find(const KeyText& text) const {
    const aot::LoopKey key = linked_key(text.text());
    for (const aot::PlannedTarget* const table : tables_) {
        const auto found = std::ranges::lower_bound(table->loops, key, {}, &aot::PlannedLoop::key);
        if (found == table->loops.end() || found->key != key) continue;
        constexpr std::size_t bytes = 1;  // its code takes none that could be given back
        return {std::make_shared<ObjectFunction>(found->run, bytes, nullptr),
                {found->notes.begin(), found->notes.end()}};
    }
    return {};
}

std::span<const TunedCall> LinkedLoops::tuned_calls(std::string_view text) const {
    if (tuned_.empty()) return {};
    const auto found = tuned_.find(linked_key(text));
    return found == tuned_.end() ? std::span<const TunedCall>() : found->second;
}

std::optional<Schedule> LinkedLoops::tuned(const Graph& body, const Pattern& pattern,
                                           const Specialization& form) const {
    if (tuned_.empty()) return {};
    return answers_.get(body, pattern, form, [this](const std::string& text) {
        const std::span<const TunedCall> calls = tuned_calls(text);
        return calls.empty() ? std::nullopt : calls.front().schedule;
    });
}

LoopCode LinkedLoops::nest(const NestRequest& request) const {
    Specialization usual = request.form;
    usual.schedule = default_schedule(Strategy::expression);
    usual.lanes = lanes();
    for (Specialization form : {request.form, usual}) {
        if (LoopCode code = find(nest_key(request.graph, form))) return code;
        // Loops with threads, and without, give the same bytes.
        form.parallel = !form.parallel;
        if (LoopCode code = find(nest_key(request.graph, form))) return code;
    }
    note_missed(request.graph);
    return {};
}

LoopCode LinkedLoops::step(const StepRequest& request) const {
    return find(step_key(request.graph, request.schedule, request.is_single));
}

std::optional<CompiledKernel> LinkedLoops::kernel(const Graph& step,
                                                  std::span<const Argument> arguments) const {
    const auto module = modules_.get(
        hash(step), [&](const LinkedModule& known) { return known.graph() == step; },
        [&] { return std::make_shared<LinkedModule>(step, *this, tuned_calls(to_string(step))); });
    const bool has_all =
        arguments.empty() ? module->has(Strategy::strided) : module->has_all(kernel_layouts(arguments));
    if (has_all) return CompiledKernel(module);
    note_missed(step);
    return {};
}

}  // namespace frisket::codegen
