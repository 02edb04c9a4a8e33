// SPDX-License-Identifier: MIT
#pragma once
#include "kernel_module.hpp"

namespace frisket::kernel_calls {

/// The loops of another source, for those that change a part of them.  That part must hold for all calls: so
/// nothing of the other's runs in place of these, and there are no loops of one mask.
class ForwardingModule : public KernelModule {
public:
    /// Refers to loops that must outlive this object.
    explicit ForwardingModule(KernelModule& loops) : KernelModule(loops.device()), loops_(loops) {}

    const Signature& signature() const noexcept override { return loops_.signature(); }
    const LoopAbi& abi(Strategy strategy) const noexcept override { return loops_.abi(strategy); }
    std::size_t number_count() const noexcept override { return loops_.number_count(); }
    void evaluate(std::span<const Argument> arguments, double* numbers) const override {
        loops_.evaluate(arguments, numbers);
    }
    void store_states(std::span<const Argument> arguments, const double* numbers) const override {
        loops_.store_states(arguments, numbers);
    }
    void check_layouts(std::span<const Layout> layouts) const override { loops_.check_layouts(layouts); }
    bool has(Strategy strategy) const noexcept override { return loops_.has(strategy); }
    void specialize(std::span<const Layout> layouts) override { loops_.specialize(layouts); }
    void compile_variants(std::span<const Strategy> wanted) override { loops_.compile_variants(wanted); }
    Variant choose(const DispatchQuery& query) const override { return {loops_.choose(query).strategy}; }
    bool may_walk_bytes() const noexcept override { return loops_.may_walk_bytes(); }
    bool knows_small_calls() const noexcept override { return loops_.knows_small_calls(); }
    void run(const Variant& variant, std::span<const void*> argv) override { loops_.run(variant, argv); }
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override {
        loops_.parallel_for(tasks, task, closure);
    }

private:
    KernelModule& loops_;
};

}  // namespace frisket::kernel_calls
