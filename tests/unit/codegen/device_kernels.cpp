// SPDX-License-Identifier: MIT
/// Kernels of expressions on devices, which need no device to be counted.
#include <Halide.h>

#include "../../../codegen/jit/halide_jit.hpp"
#include "../../../codegen/strategies/strategies.hpp"
#include "../../../ir/expressions/expression_context.hpp"
#include "../../../runtime/device/device_memory.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <string>
#include <string_view>

namespace device_kernels_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Number of kernels of the expression that `make` returns for two matrices.
template <class Make>
int kernels(std::string_view target, Make&& make) {
    int count = 0;
    const Halide::Target machine = codegen::machine_of(find_target({std::string(target)}));
    const auto look = [&](const Graph& graph, std::span<const Argument> arguments) {
        codegen::Specialization form;
        form.inputs.resize(graph.symbols.size());
        codegen::BuiltLoops nest = codegen::lower({graph, ir::ScalarProgram::of(graph), form}, machine);
        CHECK(*nest.kernels == 0);
        nest.pipeline.compile_to_module(nest.arguments, "nest", machine);
        count = *nest.kernels;
        return evaluate(graph, arguments);
    };
    codegen::set_up_halide();
    ir::ExpressionContext session("looked at", look);
    session.run(make(session.tensor(random_tensor({6, 8}, 1)), session.tensor(random_tensor({8, 5}, 2))));
    return count;
}

}  // namespace

TEST_CASE("an expression is few kernels on a device", "[codegen]") {
    using ir::Value;
    const std::string_view name = GENERATE(from_range(runtime::ranked_devices()))->name;
    CAPTURE(name);
    CHECK(kernels(name, [](const Value& a, const Value&) { return a * a + a; }) == 1);
    CHECK(kernels(name, [](const Value& a, const Value& b) {
              const Value p = matmul(a, b);
              return p * p;
          }) == 1);
    CHECK(kernels(name, [](const Value& a, const Value&) { return sum(a, {{0}}); }) == 1);
    CHECK(kernels(name, [](const Value& a, const Value&) { return sum(a, {{1}}); }) == 1);
    CHECK(kernels(name, [](const Value& a, const Value&) { return sum(a); }) == 2);
    CHECK(kernels(name, [](const Value& a, const Value&) { return softmax(a, 1); }) <= 6);
    CHECK(kernels(name, [](const Value& a, const Value&) { return cumsum(a, 1); }) <= 7);
}

}  // namespace device_kernels_test
