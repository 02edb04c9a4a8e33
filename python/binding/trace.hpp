// SPDX-License-Identifier: MIT
// A graph that traced Python functions write.
#pragma once
#include "../../ir/expressions/expression_context.hpp"
#include "../../ir/passes/recording.hpp"
#include "arguments.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace frisket::python {

/// Instructions in the order in which Python calls operations.
class Trace {
public:
    using Ids = std::vector<NodeId>;

    /// A graph of symbols, for functions and steps.  `recorded`: recording() is its calls.
    explicit Trace(const std::string& name, bool recorded = false);
    /// An expression over actual arrays, which can be evaluated while it is made.
    Trace(const std::string& name, ir::ExpressionContext::Evaluate evaluate);
    /// An expression of somebody else's, which must outlive the trace.
    explicit Trace(ir::ExpressionContext& context);

    /// A parameter; a kind as graphs print it.  No shape: that of a step for tensors of any shape.
    /// `extents`: names and numbers of the extents, for a recording.
    NodeId symbol(const std::string& name, const std::string& kind, const std::string& dtype,
                  const std::optional<Shape>& shape, const std::optional<ir::Recording::Extents>& extents);
    /// The current value of a parameter, after its updates so far.
    NodeId current(const std::string& name);
    /// An array of an expression.  Errors: ValueError in a graph of symbols.
    NodeId bind(nb::handle object);
    /// A Python number, as a constant.
    NodeId number(nb::handle object);
    Ids apply(const std::string& operation, const Ids& operands, const nb::dict& attributes);
    Ids gradient(NodeId output, const Ids& wrt, std::optional<NodeId> upstream, bool allow_unused);
    void update(const std::string& name, NodeId value, bool everywhere);
    void over(NodeId masked);
    /// Values of instructions.  Errors: ValueError in a graph of symbols.
    std::vector<Result> run(const Ids& results);

    /// The graph of a step, whose targets alone are InOut.
    Graph step();
    GraphBuilder& graph() noexcept { return graph_; }
    /// The calls that made the graph, whose values are the results of a function; no results: a step.
    std::string recording(const Ids& results);
    /// Elements of all arrays that were bound.
    std::int64_t bound_size() const noexcept { return bound_size_; }

private:
    ir::Value value(NodeId id) { return {&graph_, id}; }
    ir::Attribute attribute(nb::handle object);
    ir::ExpressionContext& context(const char* what);

    std::unique_ptr<GraphBuilder> own_graph_;
    std::unique_ptr<ir::ExpressionContext> own_context_;
    ir::ExpressionContext* context_ = nullptr;
    GraphBuilder& graph_;
    std::optional<ir::Recording> recording_;
    std::int64_t bound_size_ = 0;
};

/// Evaluates one operation at once.  Its masked operands may meet reductions of each other: results keep the
/// derivation of their masks.
nb::object eager(const std::string& operation, const nb::list& operands, const nb::dict& attributes);

void add_traces(nb::module_& module);

}  // namespace frisket::python
