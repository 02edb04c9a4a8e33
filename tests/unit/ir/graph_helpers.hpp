// SPDX-License-Identifier: MIT
#pragma once
#include "../../../ir/graph.hpp"

/// Graphs that several tests use.
namespace frisket {

/// Adagrad: state_sum += grad * grad, then param -= lr * grad / (sqrt(state_sum) + eps).
inline Graph adagrad_graph(DType dtype = DType::float32) {
    GraphBuilder b("adagrad");
    const NodeId state = b.symbol("state_sum", SymbolKind::in_out, dtype);
    const NodeId grad = b.symbol("grad", SymbolKind::masked, dtype);
    b.update("state_sum", b.apply<op::Add>({state, b.apply<op::Mul>({grad, grad})}));
    const NodeId param = b.symbol("param", SymbolKind::in_out, dtype);
    const NodeId change = b.apply<op::Mul>({b.symbol("lr", SymbolKind::scalar, DType::float64), grad});
    const NodeId root = b.apply<op::Sqrt>({b.symbol("state_sum", SymbolKind::in_out, dtype)});
    const NodeId eps = b.symbol("eps", SymbolKind::scalar, DType::float64);
    b.update("param", b.apply<op::Sub>({param, b.apply<op::Div>({change, b.apply<op::Add>({root, eps})})}));
    return b.finish();
}

}  // namespace frisket
