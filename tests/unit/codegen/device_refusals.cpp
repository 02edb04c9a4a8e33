// SPDX-License-Identifier: MIT
/// Refusals of steps that loops of a device cannot run, made before a device is looked for.
#include <Halide.h>

#include "../../../codegen/lowering/lower_step.hpp"
#include "../../../ir/passes/transforms.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

namespace device_refusals_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("a step that rounds at random is refused for devices with a sentence", "[codegen]") {
    GraphBuilder b("step");
    b.update("x", b.apply(op_id<op::Exp>, {{b.symbol("x", SymbolKind::in_out, DType::bfloat16)}}));
    const Graph step = stochastic_rounding(b.finish(), "x");
    CHECK_THROWS_MATCHES(codegen::check_on_device(step, "opencl"), TargetError,
                         Says("step: stochastic rounding of x has no loops for target opencl: choose target "
                              "cpu"));
}

}  // namespace device_refusals_test
