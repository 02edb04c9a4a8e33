// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

namespace many_arguments_test {

using namespace frisket;

TEST_CASE("a step may have forty masked arguments", "[codegen]") {
    constexpr int count = 40;
    GraphBuilder builder("sum_of_many");
    NodeId sum = builder.symbol("out", SymbolKind::in_out, DType::float32);
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        names.push_back("grad_" + std::to_string(i));
        sum = builder.apply<op::Add>({sum, builder.symbol(names.back(), SymbolKind::masked, DType::float32)});
    }
    builder.update("out", sum);
    const CompiledKernel kernel = jit(builder.finish());

    const auto one = MaskedTensor<float>::coo({2, 4}, {{0, 1}, {2, 0}}, {1, 2});
    for (const Layout layout : {Layout::strided, Layout::coo}) {
        const AnyMasked gradient = one.to(layout);
        const Tensor<float> out({2, 4});
        std::vector<NamedArgument> arguments{{"out", out}};
        for (const std::string& name : names) arguments.push_back({name, gradient});
        kernel(arguments);
        CHECK(same(out, Tensor<float>({2, 4}, {0, 0, count, 0, 2 * count, 0, 0, 0})));
    }
}

}  // namespace many_arguments_test
