// SPDX-License-Identifier: MIT
#include <HalideRuntime.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

#include "../../ir/scalar_program.hpp"
#include "../../runtime/kernel/aot_module.hpp"
#include "../../runtime/kernel/aot_target.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/kernel/loop_messages.hpp"
#include "../../runtime/kernel/thread_pool.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/show.hpp"
#include "read_tables.hpp"

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
        : table_(table),
          signature_(signature_of(table.signature)),
          numbers_(ir::ScalarProgram::of(table.numbers)),
          abis_(signature_, numbers_.dtypes()) {
        for (const Rows<const char*> row : table.layouts) {
            std::vector<Layout>& layouts = layouts_.emplace_back();
            for (const char* const layout : row) layouts.push_back(parse_layout(layout));
        }
    }

    const Signature& signature() const noexcept override { return signature_; }
    const kernel_calls::LoopAbi& abi(Strategy strategy) const noexcept override { return abis_[strategy]; }
    std::size_t number_count() const noexcept override { return numbers_.size(); }
    void evaluate(std::span<const Argument> arguments, double* numbers) const override {
        numbers_.evaluate(arguments, numbers);
    }
    void store_states(std::span<const Argument> arguments, const double* numbers) const override {
        numbers_.store_states(arguments, numbers);
    }

    void check_layouts(std::span<const Layout> layouts) const override;
    void specialize(std::span<const Layout> layouts) override { check_layouts(layouts); }
    bool has(Strategy strategy) const noexcept override {
        return loops_[static_cast<std::size_t>(strategy)] != nullptr;
    }
    void compile_variants(std::span<const Strategy> wanted) override;
    kernel_calls::Variant choose(const kernel_calls::DispatchQuery& query) const override;
    bool knows_small_calls() const noexcept override { return knows_small_calls_; }
    kernel_calls::KernelModule& on(const Device& device) override;
    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override;
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override;

private:
    struct Tuned {
        WorkloadClass call;
        Strategy strategy = Strategy::dense;
        LoopFunction loop = nullptr;  // null: the default is the fastest
    };
    void choose_target() const;
    const TargetLoops& best_target() const;

    const KernelTable table_;
    const Signature signature_;
    const ir::ScalarProgram numbers_;
    const kernel_calls::LoopAbis abis_;
    std::vector<std::vector<Layout>> layouts_;  // compiled combinations
    mutable runtime::Once once_;
    mutable const TargetLoops* target_ = nullptr;
    mutable std::array<LoopFunction, strategy_count> loops_{};
    mutable std::vector<Tuned> tuned_;
    mutable bool knows_small_calls_ = false;
    runtime::Mutex elsewhere_mutex_;
    std::vector<std::shared_ptr<kernel_calls::KernelModule>>
        elsewhere_;  // loops of devices, once they are met
};

Strategy strategy_named(std::string_view name) {
    return std::ranges::find(strategies, name, &StrategyInfo::name)->strategy;
}

const TargetLoops& AotModule::best_target() const {
    std::vector<kernel_calls::TargetFeatures> all;
    for (const TargetLoops& target : table_.targets) all.push_back({target.name, target.features});
    return table_
        .targets[kernel_calls::best_target(signature_.name, all, table_.halide.can_use_target_features)];
}

void AotModule::choose_target() const {
    once_.run([this] {
        const TargetLoops& target = best_target();
        set_up(table_.halide);
        for (const Loop& loop : target.loops)
            loops_[static_cast<std::size_t>(strategy_named(loop.strategy))] = loop.run;
        std::string text = "target " + std::string(target.name) + "\n";
        std::vector<Tuned> found;  // all or none: what fails is tried again
        for (const auto& [call, schedule, loop] : target.tuned) {
            Tuned& tuned = found.emplace_back(Tuned{class_of(call)});
            if (loop.run != nullptr) {
                knows_small_calls_ = knows_small_calls_ || is_small(tuned.call);
                tuned.strategy = strategy_named(loop.strategy);
                tuned.loop = loop.run;
            }
            text += "tuned: " + to_string(tuned.call) + ": " + std::string(schedule) + "\n";
        }
        if (runtime::shows("schedule")) runtime::show("schedule", signature_.name, text);
        tuned_ = std::move(found);
        target_ = &target;
    });
}

void AotModule::check_layouts(std::span<const Layout> layouts) const {
    const auto equal = [&](const std::vector<Layout>& compiled) {
        return std::ranges::equal(compiled, layouts);
    };
    if (!layouts.empty() && std::ranges::none_of(layouts_, equal)) {
        const std::string list = runtime::joined(
            layouts_, [this](const std::vector<Layout>& compiled) { return text_of(signature_, compiled); });
        throw LayoutError(signature_.name + ": was called with layout " + text_of(signature_, layouts) +
                          " and was compiled ahead of time for " + list +
                          ": convert with to(), or add the layout to LAYOUTS of frisket_add_kernels");
    }
    choose_target();
}

void AotModule::compile_variants(std::span<const Strategy>) { choose_target(); }

kernel_calls::Variant AotModule::choose(const kernel_calls::DispatchQuery& query) const {
    choose_target();  // masks may be prepared before the first call
    if (tuned_.empty()) return kernel_calls::KernelModule::choose(query);
    const Tuned* const found = nearest(std::span<const Tuned>(tuned_), frisket::class_of(query));
    if (found == nullptr || found->loop == nullptr) return kernel_calls::KernelModule::choose(query);
    return {found->strategy, static_cast<int>(found - tuned_.data())};
}

kernel_calls::KernelModule& AotModule::on(const Device& device) {
    if (device.is_cpu() || table_.device_kernels == nullptr) return KernelModule::on(device);
    const std::scoped_lock lock(elsewhere_mutex_);
    for (const auto& known : elsewhere_)
        if (known->device() == device) return *known;
    return *elsewhere_.emplace_back(table_.device_kernels->make(table_, device));
}

void AotModule::run(const kernel_calls::Variant& variant, std::span<const void*> argv) {
    const LoopFunction loop = variant.is_tuned() ? tuned_[static_cast<std::size_t>(variant.tuned)].loop
                                                 : loops_[static_cast<std::size_t>(variant.strategy)];
    const std::string_view strategy = name_of(variant.strategy);
    if (!loop)
        throw Bug(signature_.name + ": no loop " + std::string(strategy) + " was compiled ahead of time");
    void* const ours = kernel_calls::shared_context();
    argv[0] = static_cast<const void*>(&ours);
    const int status = loop(const_cast<void**>(argv.data()));
    if (status == 0) return;
    if (status == halide_error_code_out_of_memory) throw std::bad_alloc();
    throw Bug(signature_.name + ": the loop " + std::string(strategy) + " failed on target " +
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
