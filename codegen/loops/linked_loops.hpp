// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "../../runtime/kernel/aot_module.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "loop_key.hpp"
#include "loop_provider.hpp"

namespace frisket::codegen {

class LinkedModule;

/// The key of loops in a table of loops that are linked into the program.
aot::LoopKey linked_key(const KeyText& text);

/// Number of loops that plans asked for and that were not compiled ahead of time, by any thread.
std::size_t missed_linked_loops() noexcept;

/// Loops that were compiled ahead of time, for the plans of one step or function.  The target is chosen when
/// it is made.
class LinkedLoops final : public LoopProvider {
public:
    /// Refers to the table.  Errors: TargetError if no target fits this processor.
    LinkedLoops(std::string_view name, std::span<const aot::PlannedTarget> targets);
    ~LinkedLoops() override;

    int lanes() const noexcept override { return target_.lanes; }
    LoopCode nest(const NestRequest& request) const override;
    LoopCode step(const StepRequest& request) const override;
    std::unique_ptr<kernel::Ready> ready(const Graph& step,
                                         std::span<const Argument> arguments) const override;

private:
    LoopCode find(const KeyText& text) const;

    const aot::PlannedTarget& target_;
    mutable runtime::LruCache<LinkedModule> modules_;
};

}  // namespace frisket::codegen
