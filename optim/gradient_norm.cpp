// SPDX-License-Identifier: MIT
#include "gradient_norm.hpp"

#include "../codegen/jit/evaluate.hpp"
#include "../ir/tensor_ops/value.hpp"

namespace frisket::optim {

double sum_of_squares(const Argument& gradient) {
    const bool is_masked = gradient.kind() == Argument::Kind::masked;
    const DType dtype = is_masked ? gradient.masked().dtype() : gradient.tensor().dtype();
    GraphBuilder graph("sum_of_squares");
    const NodeId symbol =
        graph.symbol("grad", is_masked ? SymbolKind::masked : SymbolKind::in, dtype, gradient.shape());
    const build::Expr x = build::cast({&graph, symbol}, DType::float64);
    const build::Expr sum = build::to_dense(build::sum(x * x), build::number(graph, 0));
    const NodeId results[]{sum.id};
    const std::vector<Result> found = codegen::jit_evaluate(graph.expression(results), std::array{gradient});
    return *static_cast<const double*>(found[0].values.data());
}

}  // namespace frisket::optim
