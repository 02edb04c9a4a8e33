// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "../../runtime/support/fork.hpp"
#include "graph_module.hpp"
#include "linked_loops.hpp"
#include "tuned_call.hpp"

namespace frisket::codegen {

/// An elementwise step of a plan by the loops that were linked for it.
class LinkedModule final : public GraphModule {
public:
    /// `tuned`: what tuning found for the step; a call of which the source has no loop takes the default's.
    LinkedModule(Graph graph, const LinkedLoops& loops, std::span<const TunedCall> tuned);

    bool has(Strategy strategy) const noexcept override {
        return static_cast<bool>(loops_[static_cast<std::size_t>(strategy)]);
    }
    /// True if it has all loops that calls with these layouts may need.
    bool has_all(std::span<const Layout> layouts) const;
    void check_layouts(std::span<const Layout> layouts) const override;
    void compile_variants(std::span<const Strategy> /*wanted*/) override {}
    kernel_calls::Variant choose(const kernel_calls::DispatchQuery& query) const override;
    bool knows_small_calls() const noexcept override { return knows_small_calls_; }
    bool may_walk_bytes() const noexcept override;
    kernel_calls::KernelModule& on(const Device& device) override;
    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override;
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override;

private:
    /// Refuses layouts that the source has no loops for.
    [[noreturn]] void refuse(std::span<const Layout> layouts) const;
    /// The loop unless tuning found a faster one.  Errors: LayoutError if there is none for a device.
    kernel_calls::Variant choose_by_cost(const kernel_calls::DispatchQuery& query) const;

    struct Tuned {
        WorkloadClass call;
        Strategy strategy = Strategy::dense;
        LoopCode loop = {};  ///< none: the default is the fastest
    };
    const LinkedLoops& source_;
    runtime::Mutex elsewhere_mutex_;
    std::vector<std::unique_ptr<LinkedModule>> elsewhere_;  // loops of devices, once they are met
    std::array<LoopCode, strategy_count> loops_;
    std::vector<Tuned> tuned_;
    bool knows_small_calls_ = false;
};

}  // namespace frisket::codegen
