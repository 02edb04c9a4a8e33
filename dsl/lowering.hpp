// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/masked_tensor.hpp"
#include "build/expr.hpp"
#include "judgement.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace frisket {

class StepJudge;
namespace build {
class Session;
}

/// A symbol of a step and the shape of the tensor that a call binds to it.
struct NamedShape {
    std::string_view name;
    Shape shape;
};

/// An instruction as an operand: a masked tensor of float64 that is being differentiated.
struct Variable : Subscripts<Variable> {
    static constexpr int leaves = 1;
    static constexpr Judgement judgement = [] {
        Judgement found{.standing = Standing::masked, .type = {.dtype = DType::float64}};
        found.has_tensors = true;
        return found;
    }();
    static constexpr Judgement judge(StepJudge& /*step*/) { return judgement; }
    explicit Variable(build::Expr instruction) : expr(instruction) {}
    build::Expr expr;
};

/// What instructions are made into: the graph of a step, with shapes or without, or an expression over actual
/// tensors.
class Lowering {
public:
    explicit Lowering(GraphBuilder& graph) : graph_(&graph) {}
    Lowering(GraphBuilder& graph, std::span<const NamedShape> shapes) : graph_(&graph), shapes_(shapes) {}
    explicit Lowering(build::Session& session);

    GraphBuilder& graph() const noexcept { return *graph_; }
    NodeId symbol(std::string_view name, SymbolKind kind, DType dtype) const;
    NodeId leaf(const AnyTensor& tensor) const;
    NodeId leaf(const AnyMasked& masked) const;
    /// What only a session can do: these depend on values.
    build::Expr index_bool(build::Expr x, build::Expr condition) const;
    build::Expr median(build::Expr x, std::optional<int> dim, bool keepdim) const;

private:
    build::Session& session() const;

    GraphBuilder* graph_;
    build::Session* session_ = nullptr;
    std::span<const NamedShape> shapes_{};
};

}  // namespace frisket
