// SPDX-License-Identifier: MIT
/// Refusals of steps that loops of a device cannot run, made before a device is looked for.
#include <Halide.h>

#include "../../../codegen/jit/evaluate.hpp"
#include "../../../codegen/lowering/lower_step.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

namespace device_refusals_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// out = op(x), or op(x, 3).
Graph graph_of(OpId op, DType dtype) {
    GraphBuilder b("step");
    std::vector<NodeId> operands{b.symbol("x", SymbolKind::in, dtype), b.constant(3)};
    operands.resize(static_cast<std::size_t>(info(op).arity));
    const NodeId result = b.apply(op, operands);
    b.symbol("out", SymbolKind::in_out, b[result].dtype);
    b.update("out", result);
    return b.finish();
}

}  // namespace

TEST_CASE("a step of functions that devices lack is refused for them with a sentence", "[codegen]") {
    int refused = 0;
    for (std::size_t i = 0; i < op_table().size(); ++i) {
        const OpInfo& row = op_table()[i];
        if (row.device == Device::all) continue;
        const std::string name(row.name);
        CHECK_THROWS_MATCHES(
            codegen::check_on_device(graph_of(static_cast<OpId>(i), DType::float32), "opencl"), TargetError,
            Says("step: " + name +
                 " of float32 has no loops for target opencl: choose target cpu, or write "
                 "it with other operations"));
        ++refused;
        if (row.device == Device::whole)
            CHECK_NOTHROW(codegen::check_on_device(graph_of(static_cast<OpId>(i), DType::int64), "opencl"));
    }
    CHECK(refused > 0);
    CHECK_NOTHROW(codegen::check_on_device(graph_of(op_id<op::Exp>, DType::float32), "opencl"));
}

TEST_CASE("expressions are refused for devices, whether there is one or not", "[codegen]") {
    GraphBuilder b("expression");
    const NodeId results[] = {b.symbol("x", SymbolKind::in, DType::float32, {4})};
    const Tensor<float> x = ones<float>({4});
    const Argument arguments[] = {x};
    CHECK_THROWS_MATCHES(
        codegen::jit_evaluate(b.expression(results), arguments, target("opencl")), TargetError,
        Says("expressions are compiled for CPUs, and the target is opencl: choose target cpu"));
}

}  // namespace device_refusals_test
