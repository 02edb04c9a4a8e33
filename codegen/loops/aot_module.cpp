// SPDX-License-Identifier: MIT
#include <HalideRuntime.h>

#include <algorithm>
#include <bitset>
#include <new>

#include "../../runtime/kernel/aot_module.hpp"
#include "../../runtime/kernel/aot_target.hpp"
#include "../../runtime/kernel/loop_messages.hpp"
#include "../../runtime/kernel/thread_pool.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/show.hpp"
#include "read_tables.hpp"
#include "step_module.hpp"

namespace frisket::aot {

namespace {

void set_up(const HalideFunctions& halide) {
    kernel_calls::keep_messages(halide.set_error_handler);
    if (const int threads = kernel_calls::wanted_threads(); threads > 0) halide.set_num_threads(threads);
}

/// "coo", or "grad=coo,mask=strided" where there are several Masked parameters of different layouts.
std::string text_of(const Signature& signature, std::span<const Layout> layouts) {
    const bool one = std::all_of(layouts.begin(), layouts.end(), [&](Layout l) { return l == layouts[0]; });
    if (one) return std::string(name_of(layouts[0]));
    std::string text;
    std::size_t masked = 0;
    for (const Parameter& parameter : signature.parameters)
        if (parameter.kind == SymbolKind::masked)
            text +=
                (text.empty() ? "" : ",") + parameter.name + "=" + std::string(name_of(layouts[masked++]));
    return text;
}

/// Loops that were compiled ahead of time and are linked into the program.
class AotModule final : public kernel_calls::KernelModule {
public:
    explicit AotModule(const KernelTable& table)
        : KernelModule(
              codegen::step_facts(signature_of(table.signature), ir::ScalarProgram::of(table.numbers))),
          table_(table) {
        for (const Rows<const char*> row : table.layouts) {
            std::vector<Layout>& layouts = layouts_.emplace_back();
            for (const char* const layout : row) layouts.push_back(parse_layout(layout));
        }
    }

    void specialize(std::span<const Layout> layouts, std::int64_t row_length) override;
    void compile_variants(std::span<const Strategy> /*wanted*/) override { choose_target(); }
    kernel_calls::Variant choose(const kernel_calls::DispatchQuery& query) override {
        choose_target();  // masks may be prepared before the first call
        return KernelModule::choose(query);
    }
    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override;
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override;

private:
    void choose_target();
    const TargetLoops& best_target() const;
    std::shared_ptr<kernel_calls::KernelModule> made_on(const Device& device) override {
        if (table_.device_kernels == nullptr) return KernelModule::made_on(device);
        return table_.device_kernels->make(table_, device);
    }

    const KernelTable table_;
    std::vector<std::vector<Layout>> layouts_;  // compiled combinations
    runtime::Once once_;
    const TargetLoops* target_ = nullptr;
    std::vector<LoopFunction> loops_;  // by Variant::place(); null: none
};

Strategy strategy_named(std::string_view name) {
    return std::ranges::find(strategies, name, &StrategyInfo::name)->strategy;
}

const TargetLoops& AotModule::best_target() const {
    std::vector<kernel_calls::TargetFeatures> all;
    for (const TargetLoops& target : table_.targets) all.push_back({target.name, target.features});
    return table_
        .targets[kernel_calls::best_target(signature().name, all, table_.halide.can_use_target_features)];
}

void AotModule::choose_target() {
    once_.run([this] {
        const TargetLoops& target = best_target();
        set_up(table_.halide);
        std::vector<LoopFunction> loops(strategy_count);  // all or none: failed work is tried again
        std::bitset<strategy_count> known;
        for (const Loop& loop : target.loops) {
            const auto strategy = static_cast<std::size_t>(strategy_named(loop.strategy));
            loops[strategy] = loop.run;
            known.set(strategy);
        }
        std::string text = "target " + std::string(target.name) + "\n";
        std::vector<kernel_calls::TunedVariant> tuned;
        for (const auto& [call, schedule, loop] : target.tuned) {
            kernel_calls::TunedVariant& variant =
                tuned.emplace_back(kernel_calls::TunedVariant{class_of(call), {}});
            if (loop.run != nullptr) variant.strategy = strategy_named(loop.strategy);
            loops.push_back(loop.run);
            text += "tuned: " + to_string(variant.call) + ": " + std::string(schedule) + "\n";
        }
        if (runtime::shows("schedule")) runtime::show("schedule", signature().name, text);
        facts().strategies = known;
        facts().take(std::move(tuned));
        loops_ = std::move(loops);
        target_ = &target;
    });
}

void AotModule::specialize(std::span<const Layout> layouts, std::int64_t /*row_length*/) {
    const auto equal = [&](const std::vector<Layout>& compiled) {
        return std::ranges::equal(compiled, layouts);
    };
    if (!layouts.empty() && std::ranges::none_of(layouts_, equal)) {
        const std::string list = runtime::joined(
            layouts_, [this](const std::vector<Layout>& compiled) { return text_of(signature(), compiled); });
        throw LayoutError(signature().name + ": was called with layout " + text_of(signature(), layouts) +
                          " and was compiled ahead of time for " + list +
                          ": convert with to(), or add the layout to LAYOUTS of frisket_add_kernels");
    }
    choose_target();
}

void AotModule::run(const kernel_calls::Variant& variant, std::span<const void*> argv) {
    const LoopFunction loop = loops_[variant.place()];
    const std::string_view strategy = name_of(variant.strategy);
    if (!loop)
        throw Bug(signature().name + ": no loop " + std::string(strategy) + " was compiled ahead of time");
    void* const ours = kernel_calls::shared_context();
    argv[0] = static_cast<const void*>(&ours);
    const int status = loop(const_cast<void**>(argv.data()));
    if (status == 0) return;
    if (status == halide_error_code_out_of_memory) throw std::bad_alloc();
    throw Bug(signature().name + ": the loop " + std::string(strategy) + " failed on target " +
              std::string(target_->name) + " with code " + std::to_string(status) + ": " +
              kernel_calls::shared_message());
}

void AotModule::parallel_for(int tasks, void (*task)(void*, int), void* closure) const {
    kernel_calls::run_plain(
        tasks, task, closure, [this](HalideFunctions::Task one, int count, std::uint8_t* state) {
            table_.halide.do_par_for(kernel_calls::shared_context(), one, 0, count, state);
        });
}

}  // namespace

CompiledKernel make_kernel(const KernelTable& table) {
    return CompiledKernel(std::make_shared<AotModule>(table));
}

const CompiledKernel& c_kernel(const KernelTable& table) { return *new CompiledKernel(make_kernel(table)); }

}  // namespace frisket::aot
