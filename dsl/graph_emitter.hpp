// SPDX-License-Identifier: MIT
// Adds the nodes of expressions and statements to a graph.
#pragma once
#include "../ir/tensor_ops/value.hpp"
#include "../runtime/tensor/masked_tensor.hpp"
#include "node.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace frisket {

class StepChecker;
namespace ir {
class ExpressionContext;
}
namespace detail {
class HeldExpression;
template <class T, ExprCategory Category>
class Held;
}  // namespace detail

/// A symbol of a step and the shape of the tensor that a call binds to it.
struct NamedShape {
    std::string_view name;
    Shape shape;
};

/// An instruction as an operand: a masked tensor of float64 that is being differentiated.
struct Variable : Subscripts<Variable> {
    static constexpr int leaves = 1;
    static constexpr ExprType expr_type = [] {
        ExprType found{.category = ExprCategory::masked, .type = {.dtype = DType::float64}};
        found.has_tensors = true;
        return found;
    }();
    static constexpr ExprType check(StepChecker& /*step*/) { return expr_type; }
    explicit Variable(ir::Value instruction) : expr(instruction) {}
    ir::Value expr;
};

/// Target of instructions: the graph of a step, with shapes or without, or an expression over actual tensors.
class GraphEmitter {
public:
    explicit GraphEmitter(GraphBuilder& graph) : graph_(&graph) {}
    GraphEmitter(GraphBuilder& graph, std::span<const NamedShape> shapes) : graph_(&graph), shapes_(shapes) {}
    explicit GraphEmitter(ir::ExpressionContext& session);

    /// Returns the operand bound to a symbol in an expression over actual tensors.
    using Binding = std::function<ir::Value(std::string_view name, SymbolKind kind, DType dtype)>;
    /// Binds symbols to tensors of the session from now on.
    void bind_symbols(Binding binding) { binding_ = std::move(binding); }

    /// Has InOut symbols stand for tensors that are only read, as those of functions are.
    void only_read() { only_reads_ = true; }

    GraphBuilder& graph() const noexcept { return *graph_; }

    /// A rule as statements of the step.
    struct Rule {
        std::span<const RenamedSymbol> names{};
        NodeId gradient = no_node;  ///< value of its Masked `grad`; dense: all of it is specified
    };
    /// Has `emit` add the statements of a rule, which are judged by themselves.
    void inlined(const Rule& rule, const std::function<void()>& emit);
    /// Statements, and what they read, by their names in the step or in the rule.
    void update(std::string_view name, NodeId value, Scope scope);
    void let(std::string_view name, NodeId value);
    void over(NodeId masked);
    /// A value restricted to the mask of another; in a rule with a dense gradient as it is.
    NodeId on(NodeId masked, NodeId value);
    NodeId symbol(std::string_view name, SymbolKind kind, DType dtype) const;
    NodeId leaf(const AnyTensor& tensor) const;
    NodeId leaf(const AnyMasked& masked) const;
    /// The instruction of a held expression, which is made once; in time linear in its parts.
    NodeId held(const std::shared_ptr<const detail::HeldExpression>& expression);
    /// Operations that only a session supports, as their results' shapes depend on values.
    ir::Value index_bool(ir::Value x, ir::Value condition) const;
    ir::Value median(ir::Value x, std::optional<int> dim, bool keepdim) const;
    /// True if an expression reads a tensor, or another in its memory.
    bool is_read(ir::Value output, ir::Value tensor) const;
    /// Gradients of sum(output * upstream) with respect to a tensor, which views of its memory read too.
    ir::Value gradient(ir::Value output, ir::Value wrt, std::optional<ir::Value> upstream,
                       bool allows_unused) const;

private:
    ir::ExpressionContext& session() const;
    bool is_dense_in_rule(NodeId masked) const;

    GraphBuilder* graph_;
    ir::ExpressionContext* session_ = nullptr;
    std::span<const NamedShape> shapes_{};
    Binding binding_;
    bool only_reads_ = false;
    Rule rule_;
    std::unordered_map<std::shared_ptr<const detail::HeldExpression>, NodeId> held_;
};

}  // namespace frisket
