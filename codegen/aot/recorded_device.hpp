// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>

#include "recorded_loops.hpp"

namespace frisket::aot {

/// Records the loops that sample calls ask for on a device.  All its loops are idle.
class RecordedDevice final : public codegen::LoopProvider {
public:
    /// Never destroyed, as RecordedLoops.
    static const RecordedDevice& make() { return *new RecordedDevice; }

    int lanes() const noexcept override { return sample_lanes; }
    Device device() const override { return device_; }
    codegen::LoopCode expression_loop(const codegen::ExpressionRequest& request) const override;
    codegen::LoopCode step(const codegen::StepRequest& request) const override;
    std::optional<CompiledKernel> kernel(const Graph& step,
                                         std::span<const Argument> arguments) const override;

    /// Takes down a step's loops of a strategy.
    void add(const Graph& graph, Strategy strategy) const { record_.add(graph, strategy, {}); }
    const WantedLoops& wanted() const noexcept { return record_.wanted(); }

private:
    class Module;
    RecordedDevice();
    std::shared_ptr<kernel_calls::KernelModule> module(const Graph& step) const;

    const Device device_;
    LoopRecord record_;
};

}  // namespace frisket::aot
