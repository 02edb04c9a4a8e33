// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "linked_loops.hpp"
#include "step_module.hpp"
#include "tuned_call.hpp"

namespace frisket::codegen {

/// An elementwise step of a plan by the loops that were linked for it.
class LinkedModule final : public kernel_calls::KernelModule {
public:
    /// `tuned`: the results of tuning for the step; a call of which the source has no loop takes the
    /// default's.
    /// Errors: ValueError if the step has a skip_nonfinite statement.
    LinkedModule(Graph graph, const LinkedLoops& loops, std::span<const TunedCall> tuned);

    const Graph& graph() const noexcept { return graph_; }
    /// True if it has all loops that calls with these layouts may need.
    bool has_all(std::span<const Layout> layouts) const;
    void specialize(std::span<const Layout> layouts, std::int64_t row_length) override;
    kernel_calls::Variant choose(const kernel_calls::DispatchQuery& query) override;
    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override;

private:
    /// Refuses layouts that the source has no loops for.
    [[noreturn]] void refuse(std::span<const Layout> layouts) const;
    std::shared_ptr<KernelModule> made_on(const Device& device) override;

    const Graph graph_;
    const LinkedLoops& source_;
    std::vector<LoopCode> loops_;  // by Variant::place()
};

}  // namespace frisket::codegen
