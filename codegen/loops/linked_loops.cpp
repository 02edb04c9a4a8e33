// SPDX-License-Identifier: MIT
#include "linked_loops.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <HalideRuntime.h>

#include <algorithm>
#include <utility>

#include "../../runtime/device/device_memory.hpp"
#include "../../runtime/kernel/aot_target.hpp"
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../../runtime/kernel/loop_messages.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/show.hpp"
#include "linked_module.hpp"
#include "read_tables.hpp"
#include "ready_step.hpp"

namespace frisket::codegen {

namespace {

/// The number of the best target of the processor in a table.
std::size_t best_of(std::string_view name, std::span<const aot::PlannedTarget> targets) {
    std::vector<kernel_calls::TargetFeatures> all;
    for (const aot::PlannedTarget& target : targets)
        if (target.device == nullptr) all.push_back({target.name, target.features});
    const std::size_t best = kernel_calls::best_target(name, all, halide_can_use_target_features);
    if (runtime::shows("schedule"))
        runtime::show("schedule", std::string(name), "target " + std::string(targets[best].name) + "\n");
    return best;
}

/// True if a device is driven by these functions: the loops that are linked with them run there.
bool is_driven_by(const Device& device, const aot::LinkedDevice& functions) {
    return !device.is_cpu() && &runtime::driver_of(device).functions == functions.functions();
}

/// The number of a device's target in a table.
std::size_t row_of(std::string_view name, std::span<const aot::PlannedTarget> targets, const Device& device) {
    const auto row = std::ranges::find_if(targets, [&](const aot::PlannedTarget& target) {
        return target.device != nullptr && is_driven_by(device, *target.device);
    });
    if (row != targets.end()) return static_cast<std::size_t>(row - targets.begin());
    const std::string begin =
        std::string(name) + ": the tensors are on " + std::string(device.name()) + ", and its kernels were ";
    if (std::ranges::find(targets, device.name(), &aot::PlannedTarget::name) != targets.end())
        throw TargetError(
            begin + "compiled ahead of time, with a driver of their own: tensors of the compiler just in "
                    "time cannot be read there: link the program without frisket::frisket");
    throw TargetError(begin + "compiled ahead of time for " +
                      runtime::joined(targets, &aot::PlannedTarget::name) +
                      ": add it to TARGETS of frisket_add_kernels, or move the tensors with "
                      ".to(device(\"cpu\"))");
}

/// Loops in the program, of the processor or a device.
LoopCode code_of(const aot::PlannedLoop& loop, const Device& device) {
    const auto call = [run = loop.run](std::span<const void*> argv, LoopContext& context) {
        return call_object(run, argv, context);
    };
    const auto call_on_device = [run = loop.run](std::span<const void*> argv, LoopContext& context) {
        const kernel_calls::MessageScope scope(&context, LoopContext::report_to);
        return call_object(run, argv, context);
    };
    constexpr std::size_t bytes = 1;  // its code takes none that could be given back
    return {device.is_cpu() ? std::make_shared<LoopFunction>(call, bytes)
                            : std::make_shared<LoopFunction>(call_on_device, bytes, loop.kernels),
            {loop.notes.begin(), loop.notes.end()}};
}

/// The tensors that a graph reads, "grad [4, 3], param [4, 3]".
std::string shapes_text(const Graph& graph) {
    return runtime::joined(graph.symbols, [](const Symbol& symbol) {
        return symbol.name + (is_tensor(symbol.kind) ? " " + to_string(symbol.shape) : "");
    });
}

}  // namespace

aot::LoopKey linked_key(std::string_view text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return {hash.high64, hash.low64};
}

LinkedLoops::LinkedLoops(std::string_view name, const LinkedTables& tables)
    : LinkedLoops(name, tables, best_of(name, tables.front()), Device()) {}

LinkedLoops::LinkedLoops(std::string_view name, const LinkedTables& tables, const Device& device)
    : LinkedLoops(name, tables, row_of(name, tables.front(), device), device) {}

LinkedLoops::LinkedLoops(std::string_view name, const LinkedTables& tables, std::size_t row,
                         const Device& device)
    : name_(name), all_(tables), device_(device), modules_(64) {
    for (const std::span<const aot::PlannedTarget> table : tables) tables_.push_back(&table[row]);
    for (const aot::PlannedTarget* const table : tables_)
        for (const auto& [text, call, made] : table->tuned)
            tuned_[text].push_back(
                {aot::class_of(call), *made == '\0' ? std::nullopt : std::optional(schedule(made))});
}

LinkedLoops::~LinkedLoops() = default;

LoopCode LinkedLoops::find(const KeyText& text) const {
    const aot::LoopKey key = linked_key(text.text());
    for (const aot::PlannedTarget* const table : tables_) {
        const auto found = std::ranges::lower_bound(table->loops, key, {}, &aot::PlannedLoop::key);
        if (found != table->loops.end() && found->key == key) return code_of(*found, device_);
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

LoopCode LinkedLoops::loop(const LoopRequest& request) const {
    if (request.form.is_of_step()) return find(loop_key(request.graph, request.form));
    // Loops in which all sums have panels serve calls in which some sums have panels, with the same bytes.
    Specialization tuned = request.form;
    tuned.serve_any_counts();
    if (!tuned.panels.empty()) tuned.panels = all_panels(request.graph);
    Specialization by_default = tuned;
    by_default.schedule = default_schedule(Strategy::expression);
    by_default.lanes = lanes();
    for (Specialization form : {tuned, by_default}) {
        if (LoopCode code = find(loop_key(request.graph, form))) return code;
        // Loops with threads, and without, give the same bytes.
        form.parallel = !form.parallel;
        if (LoopCode code = find(loop_key(request.graph, form))) return code;
    }
    return {};
}

void LinkedLoops::refuse(const Graph& body) const {
    const std::string where = device_.is_cpu() ? "" : " for device " + std::string(device_.name());
    if (runtime::shows("plan"))
        runtime::show("plan", body.name,
                      "refused: its loops were not compiled ahead of time" + where + "\n" + to_string(body));
    const std::string text = name_ + ": its loops were not compiled ahead of time" + where +
                             " for these shapes and layouts, of " + shapes_text(body) +
                             ": name them in SHAPES and LAYOUTS of frisket_add_kernels";
    if (device_.is_cpu()) throw LayoutError(text + ", or compile just in time");
    throw TargetError(text + ", or move the tensors with .to(device(\"cpu\"))");
}

const LinkedLoops& LinkedLoops::linked_on(const Device& device) const {
    if (device == device_) return *this;
    if (device.is_cpu()) kernel_calls::refuse_device(name_, device, device_);
    const std::scoped_lock lock(mutex_);
    for (const auto& known : elsewhere_)
        if (known->device() == device) return *known;
    return *elsewhere_.emplace_back(std::make_unique<LinkedLoops>(name_, all_, device));
}

std::optional<CompiledKernel> LinkedLoops::kernel(const Graph& step,
                                                  std::span<const Argument> arguments) const {
    const auto module = modules_.get(
        hash(step), [&](const LinkedModule& known) { return known.graph() == step; },
        [&] { return std::make_shared<LinkedModule>(step, *this, tuned_calls(to_string(step))); });
    const bool has_all = arguments.empty() ? module->has(Strategy::strided)
                                           : module->has_all(kernel_layouts(module->signature(), arguments));
    if (has_all) return CompiledKernel(module);
    if (!arguments.empty() || !device_.is_cpu()) refuse(step);
    return {};
}

}  // namespace frisket::codegen
