// SPDX-License-Identifier: MIT
#include "observed_call.hpp"

#include <algorithm>
#include <memory>

#include "../ir/passes/assume_equal_masks.hpp"
#include "../runtime/device/device_kernels.hpp"
#include "../runtime/kernel/binding.hpp"
#include "../runtime/kernel/compiled_kernel.hpp"
#include "loops/step_module.hpp"

namespace frisket::codegen {

namespace {

/// A kernel whose loops only record that they were run.
class Observer final : public kernel_calls::KernelModule {
public:
    Observer(const Graph& step, const Device& device, planning::PassEvent& call)
        : KernelModule(step_facts(step, device)), call_(call) {
        facts().store_states = nullptr;
        if (signature().domain >= 0) return;
        if (const auto equal_masks = ir::with_equal_masks(step))
            of_equal_masks_ = std::make_unique<Observer>(*equal_masks, device, call);
    }

    kernel_calls::Variant choose(const kernel_calls::DispatchQuery& query) override {
        call_.queries.push_back(query);
        return kernel_calls::KernelModule::choose(query);
    }
    kernel_calls::KernelModule* of_equal_masks() override { return of_equal_masks_.get(); }
    void run(const kernel_calls::Variant& variant, std::span<const void*> /*argv*/) override {
        ++call_.kernels;
        if (std::ranges::find(call_.strategies, variant.strategy) == call_.strategies.end())
            call_.strategies.push_back(variant.strategy);
    }
    /// One after the other, so that the parts of a call keep their order.
    void parallel_for(int tasks, void (*task)(void* closure, int i), void* closure) const override {
        for (int i = 0; i < tasks; ++i) task(closure, i);
    }

private:
    planning::PassEvent& call_;
    std::unique_ptr<Observer> of_equal_masks_;
};

}  // namespace

planning::PassEvent observed_call(const Graph& step, std::span<const Argument> arguments) {
    planning::PassEvent call{step, planning::formats_of(arguments)};
    call.device = kernel_calls::device_of(signature_of(step), arguments).value_or(Device());
    const std::int64_t before = runtime::started_device_kernels();
    CompiledKernel(std::make_shared<Observer>(step, call.device, call)).call(arguments);
    call.kernels += static_cast<int>(runtime::started_device_kernels() - before);
    return call;
}

}  // namespace frisket::codegen
