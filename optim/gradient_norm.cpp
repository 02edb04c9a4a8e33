// SPDX-License-Identifier: MIT
#include "gradient_norm.hpp"

#include <array>

#include "../codegen/loops/loop_provider.hpp"
#include "step_graphs.hpp"

namespace frisket::optim {

double sum_of_squares(const Argument& gradient, const codegen::LoopProvider& loops) {
    const bool is_masked = gradient.kind() == Argument::Kind::masked;
    const DType dtype = is_masked ? gradient.masked().dtype() : gradient.tensor().dtype();
    const Graph graph = sum_of_squares_graph(dtype, gradient.shape(), is_masked);
    // Compiled loops, however small the gradient.
    const std::vector<Result> found = loops.LoopProvider::evaluate(graph, std::array{gradient});
    return Tensor<double>(found[0].values).item();
}

}  // namespace frisket::optim
