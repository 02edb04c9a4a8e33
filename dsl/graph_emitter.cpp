// SPDX-License-Identifier: MIT
#include "graph_emitter.hpp"

#include "../ir/expressions/expression_context.hpp"
#include "../ir/passes/gradient/gradient.hpp"
#include "held_expression.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

namespace frisket {

GraphEmitter::GraphEmitter(ir::ExpressionContext& session) : graph_(&session.graph()), session_(&session) {}

ir::ExpressionContext& GraphEmitter::session() const {
    if (session_ == nullptr) throw Bug("a tensor in the graph of a step");
    return *session_;
}

void GraphEmitter::inlined(const Rule& rule, const std::function<void()>& emit) {
    graph_->begin_inlined();
    rule_ = rule;
    emit();
    rule_ = {};
    graph_->end_inlined();
}

void GraphEmitter::update(std::string_view name, NodeId value, Scope scope) {
    graph_->update(renamed(rule_.names, name), value, scope);
}

void GraphEmitter::let(std::string_view name, NodeId value) {
    graph_->let(renamed(rule_.names, name), value);
}

void GraphEmitter::over(NodeId masked) {
    if (is_dense_in_rule(masked)) return;
    graph_->over(masked);
}

NodeId GraphEmitter::on(NodeId masked, NodeId value) {
    return is_dense_in_rule(masked) ? value : graph_->on(masked, value);
}

bool GraphEmitter::is_dense_in_rule(NodeId masked) const {
    return rule_.gradient != no_node && graph()[masked].mask == no_node;
}

NodeId GraphEmitter::symbol(std::string_view name, SymbolKind kind, DType dtype) const {
    if (rule_.gradient != no_node && kind == SymbolKind::masked && name == rule_symbol::grad)
        return ir::cast({graph_, rule_.gradient}, compute_dtype(dtype)).id;
    name = renamed(rule_.names, name);
    if (binding_) return binding_(name, kind, dtype).id;
    if (only_reads_ && kind == SymbolKind::in_out) kind = SymbolKind::in;
    const auto known = std::ranges::find(shapes_, name, &NamedShape::name);
    return known == shapes_.end() ? graph_->symbol(name, kind, dtype)
                                  : graph_->symbol(name, kind, dtype, known->shape);
}

NodeId GraphEmitter::leaf(const AnyTensor& tensor) const { return session().tensor(tensor).id; }
NodeId GraphEmitter::leaf(const AnyMasked& masked) const { return session().masked(masked).id; }

NodeId GraphEmitter::held(const std::shared_ptr<const detail::HeldExpression>& expression) {
    std::vector pending{expression};
    while (!pending.empty()) {
        const std::shared_ptr<const detail::HeldExpression> next = pending.back();
        const std::size_t before = pending.size();
        if (!held_.contains(next))
            for (const auto& part : next->parts() | std::views::reverse)
                if (!held_.contains(part)) pending.push_back(part);
        if (pending.size() > before) continue;
        if (!held_.contains(next)) held_.emplace(next, next->emit(*this));
        pending.pop_back();
    }
    return held_.at(expression);
}

ir::Value GraphEmitter::index_bool(ir::Value x, ir::Value condition) const {
    return session().index_bool(x, condition);
}

ir::Value GraphEmitter::median(ir::Value x, std::optional<int> dim, bool keepdim) const {
    return session().median(x, dim, keepdim);
}

bool GraphEmitter::is_read(ir::Value output, ir::Value tensor) const {
    return ir::reads(output, tensor) ||
           std::ranges::any_of(session().views_of(tensor),
                               [&](const ir::MemoryView& view) { return ir::reads(output, view.read); });
}

ir::Value GraphEmitter::gradient(ir::Value output, ir::Value wrt, std::optional<ir::Value> upstream,
                                 bool allows_unused) const {
    const auto of = [&](ir::Value e, ir::Value x, const std::optional<ir::Value>& by, bool may_lack) {
        const auto unused = may_lack ? ir::Unused::allowed : ir::Unused::refused;
        return ir::gradient(e, std::array{x}, by, unused)[0];
    };
    std::optional<ir::Value> sum;
    if (session_ != nullptr)
        for (const auto& [read, view] : session_->views_of(wrt)) {
            if (!ir::reads(output, read)) continue;
            const ir::Value share = of(view, wrt, of(output, read, upstream, true), true);
            sum = sum ? ir::merged(*sum, share) : share;
        }
    if (!sum) return of(output, wrt, upstream, allows_unused);
    return ir::reads(output, wrt) ? ir::merged(of(output, wrt, upstream, true), *sum) : *sum;
}

}  // namespace frisket
