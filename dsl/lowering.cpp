// SPDX-License-Identifier: MIT
#include "lowering.hpp"

#include "build/session.hpp"

#include <algorithm>

namespace frisket {

Lowering::Lowering(build::Session& session) : graph_(&session.graph()), session_(&session) {}

build::Session& Lowering::session() const {
    if (session_ == nullptr) throw Bug("a tensor in the graph of a step");
    return *session_;
}

NodeId Lowering::symbol(std::string_view name, SymbolKind kind, DType dtype) const {
    const auto known = std::ranges::find(shapes_, name, &NamedShape::name);
    return known == shapes_.end() ? graph_->symbol(name, kind, dtype)
                                  : graph_->symbol(name, kind, dtype, known->shape);
}

NodeId Lowering::leaf(const AnyTensor& tensor) const { return session().tensor(tensor).id; }
NodeId Lowering::leaf(const AnyMasked& masked) const { return session().masked(masked).id; }

build::Expr Lowering::index_bool(build::Expr x, build::Expr condition) const {
    return session().index_bool(x, condition);
}

build::Expr Lowering::median(build::Expr x, std::optional<int> dim, bool keepdim) const {
    return session().median(x, dim, keepdim);
}

}  // namespace frisket
