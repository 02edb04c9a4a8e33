// SPDX-License-Identifier: MIT
#include "residual_graph.hpp"

#include "../at.hpp"

#include <algorithm>
#include <utility>

namespace frisket::plan {

using ir::at;

ResidualGraph::ResidualGraph(const Graph& graph, std::span<const ValueId> operands)
    : from_(graph), rest_(graph), operands_(operands.begin(), operands.end()) {
    rest_.graph().equal_masks.clear();  // they have been compared
}

ValueId ResidualGraph::list_of(NodeId id) const {
    const auto found = lists_.find(id);
    return found == lists_.end() ? no_value : found->second;
}

/// A name that no symbol has: some of a graph that was made so before have been dropped.
std::string ResidualGraph::new_name() const {
    const std::vector<Symbol>& symbols = rest_.graph().symbols;
    std::string name;
    for (std::size_t i = symbols.size();
         name.empty() || std::ranges::find(symbols, name, &Symbol::name) != symbols.end(); ++i)
        name = "#" + std::to_string(i);
    return name;
}

int ResidualGraph::add_symbol(SymbolKind kind, DType dtype, const Shape& shape, ValueId value) {
    std::vector<Symbol>& symbols = rest_.graph().symbols;
    symbols.push_back({.name = new_name(), .kind = kind, .dtype = dtype, .shape = shape});
    operands_.push_back(value);
    return static_cast<int>(symbols.size()) - 1;
}

NodeId ResidualGraph::read(NodeKind kind, int symbol, NodeId mask) {
    // The symbol has the dtype of what is stored, its values have that of the instruction they stand for.
    const DType dtype = kind == NodeKind::mask_of ? DType::boolean : from_[next_].dtype;
    const Shape& shape = rest_.graph().symbols[at(symbol)].shape;
    return rest_.add({.kind = kind, .dtype = dtype, .mask = mask, .symbol = symbol, .shape = shape});
}

void ResidualGraph::keep() { rest_.copy(next_++); }

void ResidualGraph::take_list(ValueId made, DType dtype, ValueId mask_list) {
    const Node& node = from_[next_];
    lists_.emplace(next_, made);
    if (mask_list != no_value) masks_.emplace(made, mask_list);
    const int symbol = add_symbol(SymbolKind::masked, dtype, node.shape, made);
    if (node.mask != no_node) return replace_next(read(NodeKind::symbol, symbol, rest_.copy(node.mask)));
    const NodeId mask = read(NodeKind::mask_of, symbol, no_node);
    if (node.dtype == DType::boolean) return replace_next(mask);
    const NodeId listed = read(NodeKind::symbol, symbol, mask);
    replace_next(rest_.add({.kind = NodeKind::to_dense,
                            .dtype = node.dtype,
                            .operands = {listed, rest_.constant(0)},
                            .shape = node.shape}));
}

void ResidualGraph::take_dense(ValueId made, DType dtype) {
    const int symbol = add_symbol(SymbolKind::in, dtype, from_[next_].shape, made);
    replace_next(read(NodeKind::symbol, symbol, no_node));
}

void ResidualGraph::take_mask_of(ValueId made, DType dtype) {
    const int symbol = add_symbol(SymbolKind::masked, dtype, from_[next_].shape, made);
    replace_next(read(NodeKind::mask_of, symbol, no_node));
}

void ResidualGraph::take_values() {
    const NodeId mask = rest_.copy(from_[next_].mask);
    replace_next(read(NodeKind::symbol, rest_[mask].symbol, mask));
}

bool ResidualGraph::shares_indices(NodeId id) const {
    const auto found = masks_.find(list_of(id));
    return found != masks_.end() && found->second == list_of(from_[id].mask);
}

/// The results, if all are masked tensors that stages have made; else nothing.
std::vector<ValueId> ResidualGraph::lists_as_made() const {
    const Graph& rest = rest_.graph();
    if (!rest.checks.empty()) return {};
    const auto value_of = [&](NodeId id, NodeKind kind) {
        if (id == no_node || rest[id].kind != kind || rest[id].is_host_scalar) return no_value;
        const bool is_made = at(rest[id].symbol) >= from_.symbols.size();
        const Symbol& symbol = rest.symbols[at(rest[id].symbol)];
        return is_made && symbol.kind == SymbolKind::masked ? operands_[at(rest[id].symbol)] : no_value;
    };
    std::vector<ValueId> made;
    for (const NodeId id : rest.results) {
        const ValueId values = value_of(id, NodeKind::symbol),
                      mask = value_of(rest[id].mask, NodeKind::mask_of);
        const auto shared = masks_.find(values);
        const bool is_list = values != no_value &&
                             rest.symbols[at(rest[id].symbol)].dtype == rest[id].dtype &&
                             (values == mask || (shared != masks_.end() && shared->second == mask));
        if (!is_list) return {};
        made.push_back(values);
    }
    return made;
}

void ResidualGraph::finish(Plan& plan) {
    rest_.copy_all();
    plan.results = lists_as_made();
    if (!plan.results.empty()) return;
    RestOfPlan rest{.graph = rest_.finish(), .operands = {}};
    for (const int before : ir::prune_symbols(rest.graph)) rest.operands.push_back(operands_[at(before)]);
    plan.rest = std::move(rest);
}

}  // namespace frisket::plan
