// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "recorded_device.hpp"

#include <cstring>

#include "../jit/halide_jit.hpp"
#include "../loops/graph_module.hpp"
#include "../lowering/lower_expression.hpp"
#include "sample_device.hpp"

namespace frisket::aot {

namespace {

/// Loops of an expression whose results are 0.
class Zeros final : public codegen::LoopFunction {
public:
    explicit Zeros(const kernel::LoopAbi& abi) {
        for (std::size_t i = 0; i < abi.size(); ++i) {
            const kernel::LoopRole role = abi[i].role;
            if (kernel::is_written(role)) written_.push_back(i);
        }
    }
    int call(std::span<const void*> argv, codegen::LoopContext&) const override {
        constexpr std::size_t first = 2;  // behind the context, as LoopArguments begin
        for (const std::size_t i : written_) {
            const auto& buffer = *static_cast<const halide_buffer_t*>(argv[first + i]);
            std::memset(reinterpret_cast<void*>(buffer.device), 0, buffer.size_in_bytes());
        }
        return 0;
    }
    std::size_t bytes() const noexcept override { return 1; }

private:
    std::vector<std::size_t> written_;
};

/// Loops that leave everything as it is.
class Nothing final : public codegen::LoopFunction {
public:
    int call(std::span<const void*>, codegen::LoopContext&) const override { return 0; }
    std::size_t bytes() const noexcept override { return 1; }
};

}  // namespace

/// An elementwise step whose calls take down their loops.
class RecordedDevice::Module final : public codegen::GraphModule {
public:
    Module(const Graph& graph, const RecordedDevice& record)
        : GraphModule(graph, record.device()), record_(record) {
        record_.add(this->graph(), Strategy::strided);  // loops of arguments that are not contiguous
    }
    void check_layouts(std::span<const Layout>) const override {}
    void compile_variants(std::span<const Strategy>) override {}
    void run(const kernel::Variant& variant, std::span<const void*>) override {
        record_.add(graph(), variant.strategy);
    }
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override {
        for (int i = 0; i < tasks; ++i) task(closure, i);
    }

private:
    const RecordedDevice& record_;
};

RecordedDevice::RecordedDevice() : device_(sample_device()) { codegen::set_up_halide(); }

codegen::LoopCode RecordedDevice::nest(const codegen::NestRequest& request) const {
    record_.add(request.graph, request.form);
    const codegen::Nest nest =
        codegen::make_nest(request.graph, request.numbers, request.form,
                           codegen::machine_of(find_target(TargetName{std::string(any_device)})));
    const kernel::LoopAbi abi =
        codegen::abi_of(request.graph, request.numbers, request.form, nest.notes.sizes);
    return {std::make_shared<Zeros>(abi), nest.notes.numbers()};
}

codegen::LoopCode RecordedDevice::step(const codegen::StepRequest& request) const {
    record_.add(request.graph, request.schedule.strategy, request.is_single);
    return {std::make_shared<Nothing>(), {}};
}

std::shared_ptr<kernel::KernelModule> RecordedDevice::module(const Graph& step) const {
    return std::make_shared<Module>(step, *this);
}

std::optional<CompiledKernel> RecordedDevice::kernel(const Graph& step,
                                                     std::span<const Argument> /*arguments*/) const {
    return CompiledKernel(module(step));
}

}  // namespace frisket::aot
