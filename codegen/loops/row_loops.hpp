// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../../ir/planner/rules/row_blocks.hpp"
#include "compiled_expression.hpp"

namespace frisket::codegen {

/// A plan without the numbers that each call brings: loops are made for this.
planning::RowPlan pattern_of(planning::RowPlan plan);
/// The variant of the loops that compute the values of a pattern.
Specialization form_of_values(const planning::RowPlan& pattern, bool on_device, int lanes);
/// As Specialization::is_single, of a step of a plan.
std::vector<bool> single_symbols(const planning::RowStage& step);

/// The loops of a plan.  Compiled at the first call of `prepare`.
class RowLoops {
public:
    /// Takes loops that this process has: they are for all plans that differ only in extents.  Refers to the
    /// plan.
    RowLoops(const planning::RowPlan& plan, const LoopProvider& source);
    const planning::RowPlan& plan() const noexcept { return plan_; }
    void prepare();
    /// False if the source lacks one of the loops.
    bool is_there() const noexcept;

    /// The device on which they run.
    Device device() const { return values_->device(); }
    /// Takes its numbers, sizes, on a device the list, tensors, and its outputs.  Dense tensors that have a
    /// row for each listed one are whole on a device, and these rows of them, brought together, elsewhere.
    const CompiledExpression& values() const { return *values_; }
    /// Takes its numbers, the list, tensors, and its outputs: strategy rows of kernel_module.hpp.
    const CompiledExpression& step(std::size_t i) const { return *steps_[i]; }
    /// Number of kernels on a device: for the values, and for each step.
    std::vector<int> kernels() const;
    /// Bytes that the loop of the values takes at most for its own values, for this number of rows: twice
    /// eight bytes an element.  Stored values, products and their operands, which products pack, count all
    /// rows, every other value one row.
    std::size_t bytes_of_values(std::int64_t rows) const;

private:
    bool has_values() const noexcept { return !values_->graph().results.empty(); }

    const planning::RowPlan& plan_;
    std::shared_ptr<CompiledExpression> values_;
    std::vector<std::shared_ptr<CompiledExpression>> steps_;
};

}  // namespace frisket::codegen
