// SPDX-License-Identifier: MIT
#include "graph_emitter.hpp"

#include "../ir/tensor_ops/expression_context.hpp"

#include <algorithm>

namespace frisket {

GraphEmitter::GraphEmitter(build::ExpressionContext& session)
    : graph_(&session.graph()), session_(&session) {}

build::ExpressionContext& GraphEmitter::session() const {
    if (session_ == nullptr) throw Bug("a tensor in the graph of a step");
    return *session_;
}

NodeId GraphEmitter::symbol(std::string_view name, SymbolKind kind, DType dtype) const {
    if (binding_) return binding_(name, kind, dtype).id;
    const auto known = std::ranges::find(shapes_, name, &NamedShape::name);
    return known == shapes_.end() ? graph_->symbol(name, kind, dtype)
                                  : graph_->symbol(name, kind, dtype, known->shape);
}

NodeId GraphEmitter::leaf(const AnyTensor& tensor) const { return session().tensor(tensor).id; }
NodeId GraphEmitter::leaf(const AnyMasked& masked) const { return session().masked(masked).id; }

build::Expr GraphEmitter::index_bool(build::Expr x, build::Expr condition) const {
    return session().index_bool(x, condition);
}

build::Expr GraphEmitter::median(build::Expr x, std::optional<int> dim, bool keepdim) const {
    return session().median(x, dim, keepdim);
}

}  // namespace frisket
