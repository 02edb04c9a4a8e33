// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/kernel/aot_tables.hpp"
#include "../../runtime/support/fork.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "loop_key.hpp"
#include "loop_provider.hpp"
#include "tuned_call.hpp"
#include "tuning_text.hpp"

namespace frisket::codegen {

class LinkedModule;

/// The key of a text in tables that are linked into the program: the inputs of loops, or the text by which
/// tuning results are found.
aot::LoopKey linked_key(std::string_view text);

/// Tables of loops that were compiled ahead of time, each for the same targets in one order.
using LinkedTables = std::vector<std::span<const aot::PlannedTarget>>;

/// Loops that were compiled ahead of time, for the plans of steps, functions and optimizers.  The target is
/// chosen when it is made: the processor's or a device's.
class LinkedLoops final : public LoopProvider {
public:
    /// Refers to the tables.  Errors: TargetError if no target fits this processor.
    LinkedLoops(std::string_view name, const LinkedTables& tables);
    /// The loops for a device.  Errors: TargetError if it is no target of the tables.
    LinkedLoops(std::string_view name, const LinkedTables& tables, const Device& device);
    ~LinkedLoops() override;

    int lanes() const noexcept override { return tables_.front()->lanes; }
    /// Name of the target, as given to frisket_add_kernels.
    std::string_view target() const noexcept { return tables_.front()->name; }
    Device device() const override { return device_; }
    const LoopProvider& on(const Device& device) const override { return linked_on(device); }
    /// The loops of the tables for a device.  Errors: TargetError if the tables have no such loops.
    const LinkedLoops& linked_on(const Device& device) const;
    /// Schedules that tuning found for a text.
    std::span<const TunedCall> tuned_calls(std::string_view text) const;
    std::optional<Schedule> tuned(const Graph& body, const Pattern& pattern,
                                  const Specialization& form) const override;
    LoopCode loop(const LoopRequest& request) const override;
    void refuse(const Graph& body) const override;
    bool is_linked() const noexcept override { return true; }
    std::optional<CompiledKernel> kernel(const Graph& step,
                                         std::span<const Argument> arguments) const override;

private:
    LinkedLoops(std::string_view name, const LinkedTables& tables, std::size_t row, const Device& device);
    LoopCode find(const KeyText& text) const;

    const std::string name_;
    const LinkedTables all_;
    const Device device_;
    std::vector<const aot::PlannedTarget*> tables_;  // rows of the target
    std::map<aot::LoopKey, std::vector<TunedCall>> tuned_;
    mutable TuningAnswers answers_;
    mutable runtime::LruCache<LinkedModule> modules_;
    mutable runtime::Mutex mutex_;  // guards the members below
    mutable std::vector<std::unique_ptr<LinkedLoops>> elsewhere_;
};

}  // namespace frisket::codegen
