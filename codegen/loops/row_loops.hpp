// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "../../ir/planner/rules/row_blocks.hpp"
#include "../../runtime/support/fork.hpp"
#include "loop_provider.hpp"

namespace frisket::codegen {

/// A compiled loop nest.
struct RowLoop {
    ir::ScalarProgram numbers;
    kernel_calls::LoopAbi abi = {};
    LoopCode code = {};
    Device device = {};  ///< where it runs
    /// Takes memory of `reserve`, aligned as LoopContext's, where there is no other.
    /// Errors: std::bad_alloc if that does not suffice, Bug if it fails, TargetError if a device does.
    void run(std::span<const void*> argv, std::span<std::byte> reserve = {}) const;
};

/// A plan without what is a number of a call: loops are made for this.
planning::RowPlan pattern_of(planning::RowPlan plan);
/// The variant of the loops that compute the values of a pattern.
Specialization form_of_values(const planning::RowPlan& pattern, bool on_device, int lanes);
/// As Specialization::is_single, of a step of a plan.
std::vector<bool> single_symbols(const planning::RowStage& step);

/// The loops of a plan, for all plans that differ in extents alone.  Compiled at the first call of `prepare`.
class RowLoops {
public:
    /// From the loops that this process has.
    static std::shared_ptr<RowLoops> get(const planning::RowPlan& plan, const LoopProvider& source);

    RowLoops(const planning::RowPlan& plan, const LoopProvider& source);
    void prepare();
    /// False if the source lacks one of the loops.
    bool is_there() const noexcept { return is_there_; }

    /// The place where they run.
    const Device& device() const noexcept { return values_.device; }
    /// Takes its numbers, sizes, on a device the list, tensors, and what it writes.  Dense tensors that have
    /// a row for each listed one are whole on a device, and these rows of them, brought together, elsewhere.
    const RowLoop& values() const { return values_; }
    std::span<const SizeSlot> sizes() const { return sizes_; }
    /// Values of the graph that the loop stores in memory of its own.
    std::span<const StoredNode> stored() const { return stored_; }
    /// Takes its numbers, the list, tensors, and what it writes: strategy rows of kernel_module.hpp.
    const RowLoop& step(std::size_t i) const { return steps_[i]; }
    /// Number of kernels on a device: of the values, and of each step.
    std::vector<int> kernels() const {
        std::vector<int> all{values_.code.kernels()};
        for (const RowLoop& step : steps_) all.push_back(step.code.kernels());
        return all;
    }
    /// Bytes that the loop of the values takes at most for its own values, of so many rows: two of each,
    /// eight bytes an element, of what products read as well, which they pack, and of the others one row.
    std::size_t bytes_of_values(const planning::RowPlan& plan, std::int64_t rows) const;
    /// Memory of the loops that were compiled.
    std::size_t bytes() const noexcept { return bytes_; }

private:
    bool is_for(const planning::RowPlan& plan, const LoopProvider& source) const;
    void compile_values();
    RowLoop compiled(const planning::RowStage& stage) const;

    planning::RowPlan pattern_;
    const LoopProvider& source_;
    runtime::Once once_;
    bool is_there_ = true;
    RowLoop values_;
    std::vector<SizeSlot> sizes_;
    std::vector<StoredNode> stored_;
    std::vector<RowLoop> steps_;
    std::atomic<std::size_t> bytes_{0};
};

}  // namespace frisket::codegen
