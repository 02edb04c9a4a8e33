// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "device_functions.hpp"

#include <string>
#include <string_view>

#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/memory.hpp"

namespace frisket::codegen {

namespace {

using Halide::Expr;
using Halide::Internal::Call;

/// Replaces fused multiply-adds, which LLVM knows, for other compilers: by their own, or by two roundings.
class FusedFunctions final : public Halide::Internal::IRMutator {
public:
    explicit FusedFunctions(bool has_fma) : has_fma_(has_fma) {}

private:
    using IRMutator::visit;
    Expr visit(const Call* call) override {
        if (!std::string_view(call->name).starts_with("llvm.fma.")) return IRMutator::visit(call);
        const Expr a = mutate(call->args[0]), b = mutate(call->args[1]), c = mutate(call->args[2]);
        return has_fma_ ? Call::make(call->type, "fma", {a, b, c}, Call::PureExtern) : a * b + c;
    }

    bool has_fma_;
};

/// Names the rounding of sums and products in loops of a device by functions of NVVM: LLVM and ptxas round a
/// product and a sum as one where none is named, strict floats or not.
class RoundedOperations final : public Halide::Internal::IRMutator {
public:
    explicit RoundedOperations(Halide::DeviceAPI device) : device_(device) {}

private:
    using IRMutator::visit;
    static Expr rounded(const char* name, const Expr& a, const Expr& b) {
        const std::string suffix = a.type().bits() == 64 ? ".rn.d" : ".rn.f";
        return Call::make(a.type(), "llvm.nvvm." + std::string(name) + suffix, {a, b}, Call::PureExtern);
    }
    /// Strict floats are sums and products by calls of these names.
    Expr visit(const Call* call) override {
        const bool is_sum = call->is_intrinsic(Call::strict_add),
                   is_product = call->is_intrinsic(Call::strict_mul),
                   is_difference = call->is_intrinsic(Call::strict_sub);
        if (!is_in_kernel_ || call->type.bits() < 32 || !(is_sum || is_product || is_difference))
            return IRMutator::visit(call);
        const Expr a = mutate(call->args[0]), b = mutate(call->args[1]);
        if (is_product) return rounded("mul", a, b);
        // A difference is the sum with the negative, which is exact.
        return rounded("add", a, is_sum ? b : rounded("mul", b, Halide::Internal::make_const(b.type(), -1)));
    }
    Halide::Internal::Stmt visit(const Halide::Internal::For* loop) override {
        const bool was_in_kernel = is_in_kernel_;
        is_in_kernel_ = is_in_kernel_ || loop->device_api == device_;
        auto made = IRMutator::visit(loop);
        is_in_kernel_ = was_in_kernel;
        return made;
    }

    const Halide::DeviceAPI device_;
    bool is_in_kernel_ = false;
};

/// The row of a machine's device.
const TargetRow& row_of(const Halide::Target& machine) {
    for (const TargetRow& row : known_targets()) {
        const auto interface =
            Halide::get_default_device_api_for_target(Halide::Target(std::string(row.halide)));
        if (row.gpu && machine.has_feature(Halide::target_feature_for_device_api(interface))) return row;
    }
    throw Bug("no target has the device of " + machine.to_string());
}

}  // namespace

void use_device_functions(Halide::Pipeline& pipeline, const Halide::Target& machine) {
    const TargetRow::Rounding rounding = row_of(machine).rounding;
    if (rounding == TargetRow::Rounding::nvvm)
        pipeline.add_custom_lowering_pass(
            new RoundedOperations(Halide::get_default_device_api_for_target(machine)));
    else
        pipeline.add_custom_lowering_pass(new FusedFunctions(rounding == TargetRow::Rounding::fma));
}

}  // namespace frisket::codegen
