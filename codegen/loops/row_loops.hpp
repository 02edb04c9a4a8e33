// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "../../ir/planner/rules/row_blocks.hpp"
#include "loop_provider.hpp"

namespace frisket::codegen {

/// A compiled loop nest.
struct RowLoop {
    ir::ScalarProgram numbers;
    kernel::LoopAbi abi = {};
    LoopCode code = {};
    /// Takes memory of `reserve`, aligned as LoopContext's, where there is no other.
    /// Errors: std::bad_alloc if that does not suffice, Bug if it fails.
    void run(std::span<const void*> argv, std::span<std::byte> reserve = {}) const;
};

/// The loops of a plan, for all plans that differ in extents alone.  Compiled at the first call of `prepare`.
class RowLoops {
public:
    /// From the loops that this process has.
    static std::shared_ptr<RowLoops> get(const plan::RowPlan& plan, const LoopProvider& source);

    RowLoops(const plan::RowPlan& plan, const LoopProvider& source);
    void prepare();
    /// False if the source lacks one of the loops.
    bool is_there() const noexcept { return is_there_; }

    /// Takes its numbers, sizes, tensors, and what it writes.
    const RowLoop& values() const { return values_; }
    std::span<const SizeSlot> sizes() const { return sizes_; }
    /// Values of the graph that the loop stores in memory of its own.
    std::span<const StoredNode> stored() const { return stored_; }
    /// Takes its numbers, the list, tensors, and what it writes: strategy rows of kernel_module.hpp.
    const RowLoop& step(std::size_t i) const { return steps_[i]; }
    /// Memory of the loops that were compiled.
    std::size_t bytes() const noexcept { return bytes_; }

private:
    bool is_for(const plan::RowPlan& plan, const LoopProvider& source) const;
    void compile_values();
    RowLoop compiled(const plan::RowPhase& phase) const;

    plan::RowPlan pattern_;
    const LoopProvider& source_;
    std::once_flag once_;
    bool is_there_ = true;
    RowLoop values_;
    std::vector<SizeSlot> sizes_;
    std::vector<StoredNode> stored_;
    std::vector<RowLoop> steps_;
    std::atomic<std::size_t> bytes_{0};
};

}  // namespace frisket::codegen
