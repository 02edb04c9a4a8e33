// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/kernel/kernel_module.hpp"

namespace frisket::kernel_calls {

/// The loops of another source, for those that change a part of them.  That part must hold for all calls: so
/// nothing of the other's runs in place of these, and loops of one mask are absent.
class ForwardingModule : public KernelModule {
public:
    /// Refers to loops that must outlive this object, and has their facts of now.
    explicit ForwardingModule(KernelModule& loops) : KernelModule(facts_of(loops)), loops_(loops) {}

    void specialize(std::span<const Layout> layouts, std::int64_t row_length) override {
        loops_.specialize(layouts, row_length);
    }
    void compile_variants(std::span<const Strategy> wanted) override { loops_.compile_variants(wanted); }
    Variant choose(const DispatchQuery& query) override { return {loops_.choose(query).strategy}; }
    void run(const Variant& variant, std::span<const void*> argv) override { loops_.run(variant, argv); }
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override {
        loops_.parallel_for(tasks, task, closure);
    }

private:
    KernelModule& loops_;
};

}  // namespace frisket::kernel_calls
