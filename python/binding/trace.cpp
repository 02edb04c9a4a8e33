// SPDX-License-Identifier: MIT
// Operations that Python calls, as instructions of a graph.
#include "trace.hpp"

#include "../../ir/passes/gradient/gradient.hpp"

#include <algorithm>

namespace frisket::python {

Trace::Trace(const std::string& name, bool recorded)
    : own_graph_(std::make_unique<GraphBuilder>(name)), graph_(*own_graph_) {
    if (recorded) recording_.emplace();
}

Trace::Trace(const std::string& name, ir::ExpressionContext::Evaluate evaluate)
    : own_context_(std::make_unique<ir::ExpressionContext>(name, std::move(evaluate))),
      context_(own_context_.get()),
      graph_(context_->graph()) {}

Trace::Trace(ir::ExpressionContext& context) : context_(&context), graph_(context.graph()) {}

ir::ExpressionContext& Trace::context(const char* what) {
    if (context_ == nullptr)
        graph_.fail(ErrorCode::value, std::string(what) + " needs actual arrays, and a trace has none");
    return *context_;
}

NodeId Trace::symbol(const std::string& name, const std::string& kind, const std::string& dtype,
                     const std::optional<Shape>& shape,
                     const std::optional<ir::Recording::Extents>& extents) {
    const Symbol symbol{.name = name, .kind = parse_symbol_kind(kind), .dtype = parse_dtype(dtype)};
    const NodeId made = shape ? graph_.symbol(name, symbol.kind, symbol.dtype, *shape)
                              : graph_.symbol(name, symbol.kind, symbol.dtype);
    if (recording_) recording_->symbol(made, symbol, extents);
    return made;
}

NodeId Trace::current(const std::string& name) {
    for (const Symbol& symbol : std::vector<Symbol>(graph_.graph().symbols)) {
        if (symbol.name != name) continue;
        const NodeId made = graph_.is_shaped() ? graph_.symbol(name, symbol.kind, symbol.dtype, symbol.shape)
                                               : graph_.symbol(name, symbol.kind, symbol.dtype);
        if (recording_) recording_->current(made, name);
        return made;
    }
    graph_.fail(ErrorCode::binding, "there is no parameter " + name);
}

NodeId Trace::bind(nb::handle object) {
    ir::ExpressionContext& expression = context("an operand");
    const Given read = given(object.ptr());
    if (read.is_number()) return number(object);
    bound_size_ += read.size();
    if (read.kind == Given::Kind::masked) return expression.masked(*read.masked).id;
    return expression.tensor(hold(object)).id;
}

NodeId Trace::number(nb::handle object) {
    const Given read = given(object.ptr());
    const auto constant = [&](auto number) {
        const NodeId made = graph_.constant(number);
        if (recording_) recording_->number(made, number);
        return made;
    };
    switch (read.kind) {
        case Given::Kind::real: return constant(read.real);
        case Given::Kind::whole: return constant(read.whole);
        case Given::Kind::flag: return constant(read.whole != 0);
        default: graph_.fail(ErrorCode::binding, "an array stands where a number is wanted");
    }
}

ir::Attribute Trace::attribute(nb::handle object) {
    PyObject* const raw = object.ptr();
    if (PyUnicode_Check(raw)) return nb::cast<std::string>(object);
    if (PyTuple_Check(raw) || PyList_Check(raw)) return nb::cast<std::vector<std::int64_t>>(object);
    if (nb::hasattr(object, "_node")) return value(nb::cast<NodeId>(object.attr("_node")));
    const Given read = given(raw);
    if (read.kind == Given::Kind::flag) return read.whole != 0;
    if (read.kind == Given::Kind::whole) return read.whole;
    if (read.kind == Given::Kind::real) return read.real;
    graph_.fail(ErrorCode::binding,
                "an attribute is an array, wanted a number, a text or a list of integers");
}

Trace::Ids Trace::apply(const std::string& operation, const Ids& operands, const nb::dict& attributes) {
    std::vector<ir::Value> values;
    for (const NodeId id : operands) values.push_back(value(id));
    ir::Attributes attrs;
    for (const auto& [name, given] : attributes)
        if (!given.is_none()) attrs.emplace(nb::cast<std::string>(name), attribute(given));
    const ir::ValueReader reader = context_ != nullptr ? context_->reader() : ir::ValueReader();
    Ids made;
    for (const ir::Value& one : ir::apply_operation(
             {.name = operation, .graph = graph_, .args = values, .attrs = attrs, .reader = reader}))
        made.push_back(one.id);
    if (recording_) recording_->apply(made, operation, operands, attrs);
    return made;
}

Trace::Ids Trace::gradient(NodeId output, const Ids& wrt, std::optional<NodeId> upstream, bool allow_unused) {
    std::vector<ir::Value> inputs;
    for (const NodeId id : wrt) inputs.push_back(value(id));
    std::optional<ir::Value> given;
    if (upstream) given = value(*upstream);
    Ids made;
    for (const ir::Value& one :
         ir::gradient(value(output), inputs, given, allow_unused ? ir::Unused::allowed : ir::Unused::refused))
        made.push_back(one.id);
    if (recording_) recording_->gradient(made, output, wrt, upstream.value_or(no_node), allow_unused);
    return made;
}

void Trace::update(const std::string& name, NodeId value, bool everywhere) {
    graph_.update(name, value, everywhere ? Scope::everywhere : Scope::inferred);
    if (recording_) recording_->update(name, value, everywhere);
}

void Trace::over(NodeId masked) {
    graph_.over(masked);
    if (recording_) recording_->over(masked);
}

std::string Trace::recording(const Ids& results) {
    if (!results.empty()) recording_->results(results);
    return recording_->text();
}

std::vector<Result> Trace::run(const Ids& results) {
    std::vector<ir::Value> values;
    for (const NodeId id : results) values.push_back(value(id));
    return context("a value").run_any(values);
}

Graph Trace::step() {
    Graph graph = graph_.finish();
    std::vector<bool> is_written(graph.symbols.size());
    for (const NodeId update : graph.updates)
        is_written[static_cast<std::size_t>(graph[update].symbol)] = true;
    for (std::size_t i = 0; i < graph.symbols.size(); ++i)
        if (graph.symbols[i].kind == SymbolKind::in_out && !is_written[i])
            graph.symbols[i].kind = SymbolKind::in;
    return graph;
}

}  // namespace frisket::python
