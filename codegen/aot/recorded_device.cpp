// SPDX-License-Identifier: MIT
#include "recorded_device.hpp"

#include "../device/sample_device.hpp"
#include "../loops/graph_module.hpp"
#include "idle_loops.hpp"

namespace frisket::aot {

/// An elementwise step whose calls take down their loops.
class RecordedDevice::Module final : public codegen::GraphModule {
public:
    Module(const Graph& graph, const RecordedDevice& record)
        : GraphModule(graph, record.device()), record_(record) {
        record_.add(this->graph(), Strategy::strided);  // loops of arguments that are not contiguous
    }
    void check_layouts(std::span<const Layout>) const override {}
    void compile_variants(std::span<const Strategy>) override {}
    void run(const kernel_calls::Variant& variant, std::span<const void*>) override {
        record_.add(graph(), variant.strategy);
    }
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override {
        for (int i = 0; i < tasks; ++i) task(closure, i);
    }

private:
    const RecordedDevice& record_;
};

RecordedDevice::RecordedDevice() : device_(sample_device()) {}

codegen::LoopCode RecordedDevice::expression_loop(const codegen::ExpressionRequest& request) const {
    record_.add(request.graph, request.form);
    return idle_expression(codegen::abi_of(request.graph, request.numbers, request.form, {}));
}

codegen::LoopCode RecordedDevice::step(const codegen::StepRequest& request) const {
    record_.add(request.graph, request.schedule.strategy, request.is_single);
    return idle_step();
}

std::shared_ptr<kernel_calls::KernelModule> RecordedDevice::module(const Graph& step) const {
    return std::make_shared<Module>(step, *this);
}

std::optional<CompiledKernel> RecordedDevice::kernel(const Graph& step,
                                                     std::span<const Argument> /*arguments*/) const {
    return CompiledKernel(module(step));
}

}  // namespace frisket::aot
