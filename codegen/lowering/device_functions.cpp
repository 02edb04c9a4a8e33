// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device_functions.hpp"

#include <string_view>

namespace frisket::codegen {

namespace {

/// Replaces fused multiply-adds, which LLVM knows, for compilers of OpenCL and of Vulkan, where two roundings
/// have to do.
class DeviceFunctions final : public Halide::Internal::IRMutator {
public:
    explicit DeviceFunctions(bool has_fma) : has_fma_(has_fma) {}

private:
    using IRMutator::visit;
    Halide::Expr visit(const Halide::Internal::Call* call) override {
        if (!std::string_view(call->name).starts_with("llvm.fma.")) return IRMutator::visit(call);
        const Halide::Expr a = mutate(call->args[0]), b = mutate(call->args[1]), c = mutate(call->args[2]);
        return has_fma_ ? Halide::Internal::Call::make(call->type, "fma", {a, b, c},
                                                       Halide::Internal::Call::PureExtern)
                        : a * b + c;
    }

    bool has_fma_;
};

}  // namespace

void use_device_functions(Halide::Pipeline& pipeline, const Halide::Target& machine) {
    if (machine.has_feature(Halide::Target::CUDA)) return;
    pipeline.add_custom_lowering_pass(new DeviceFunctions(machine.has_feature(Halide::Target::OpenCL)));
}

}  // namespace frisket::codegen
