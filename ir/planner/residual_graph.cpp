// SPDX-License-Identifier: MIT
#include "residual_graph.hpp"

#include "../at.hpp"
#include "../tensor_ops/value.hpp"
#include "dense_operand.hpp"
#include "iteration_space.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

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
    // The symbol has the stored dtype, its values have the dtype of the instruction they replace.
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
    const Node& node = from_[next_];
    const int symbol = add_symbol(SymbolKind::in, dtype, node.shape, made);
    const NodeId values = read(NodeKind::symbol, symbol, no_node);
    if (node.mask == no_node) return replace_next(values);
    const NodeId mask = rest_.copy(node.mask);
    replace_next(rest_.add({.kind = NodeKind::on,
                            .dtype = rest_[values].dtype,
                            .operands = {values, mask},
                            .mask = mask,
                            .shape = node.shape}));
}

/// A node with the same elements in a shape.
NodeId ResidualGraph::in_shape(NodeId made, const Shape& shape, NodeId mask) {
    if (rest_[made].shape == shape) return made;
    return rest_.add({.kind = NodeKind::reshape,
                      .dtype = rest_[made].dtype,
                      .operands = {made},
                      .mask = mask,
                      .shape = shape});
}

void ResidualGraph::take_mask_of(ValueId made, DType dtype, const Shape& shape) {
    const int symbol = add_symbol(SymbolKind::masked, dtype, shape, made);
    const NodeId mask = read(NodeKind::mask_of, symbol, no_node);
    as_made_.emplace(next_, mask);
    replace_next(in_shape(mask, from_[next_].shape, no_node));
}

void ResidualGraph::take_values() {
    const NodeId mask = as_made_.at(from_[next_].mask);
    const NodeId values = read(NodeKind::symbol, rest_[mask].symbol, mask);
    replace_next(in_shape(values, from_[next_].shape, rest_.copy(from_[next_].mask)));
}

bool ResidualGraph::shares_indices(NodeId id) const {
    const auto found = masks_.find(list_of(id));
    return found != masks_.end() && found->second == list_of(from_[id].mask);
}

ValueId ResidualGraph::add_dense_operand(PlanBuilder& to) {
    Node node = rest_.copied(next_);
    return planning::add_dense_operand(to, rest_.graph(), rest_.add(std::move(node)), operands_);
}

ValueId ResidualGraph::add_whole(PlanBuilder& to, NodeId id, bool is_pattern) {
    if (is_pattern) return add_masked(to, id, id);
    const NodeId made = rest_.copy(id);
    if (from_[id].mask == no_node)
        return planning::add_dense_operand(to, rest_.graph(), made, operands_, &stored_);
    return add_dense_body(to, rest_.graph(), made, operands_);
}

ValueId ResidualGraph::add_masked(PlanBuilder& to, NodeId values, NodeId where) {
    const ir::Value read{&rest_, rest_.copy(values)};
    const ir::Value mask =
        where == no_node ? ir::mask_of(read) : ir::broadcast_to({&rest_, rest_.copy(where)}, read.shape());
    const NodeId made = rest_.add({.kind = NodeKind::on,
                                   .dtype = read.dtype(),
                                   .operands = {read.id, mask.id},
                                   .mask = mask.id,
                                   .shape = read.shape()});
    return add_dense_body(to, rest_.graph(), made, operands_);
}

/// Has the rest read the results of bodies for operations.
void ResidualGraph::read_stored() {
    Graph& rest = rest_.graph();
    for (const auto& [id, made] : stored_) {
        Node& node = rest.nodes[at(id)];
        if (node.kind == NodeKind::to_dense || node.is_host_scalar) continue;
        const int symbol = add_symbol(SymbolKind::in, node.dtype, node.shape, made);
        node = {.kind = NodeKind::symbol, .dtype = node.dtype, .symbol = symbol, .shape = node.shape};
    }
}

/// The list that a stage has made and a result is; no_value if it is another.
ValueId ResidualGraph::list_as_made(NodeId result) const {
    const Graph& rest = rest_.graph();
    const Node& node = rest[result];
    if (node.mask == no_node) return no_value;
    // Views and reshapes that change nothing at last.
    const NodeId id = before_moves(rest, result), mask_id = before_moves(rest, node.mask);
    const auto value_of = [&](NodeId read, NodeKind kind) {
        if (rest[read].kind != kind || rest[read].is_host_scalar || rest[read].shape != node.shape)
            return no_value;
        const bool is_made = at(rest[read].symbol) >= from_.symbols.size();
        const Symbol& symbol = rest.symbols[at(rest[read].symbol)];
        return is_made && symbol.kind == SymbolKind::masked ? operands_[at(rest[read].symbol)] : no_value;
    };
    const ValueId values = value_of(id, NodeKind::symbol), mask = value_of(mask_id, NodeKind::mask_of);
    if (values == no_value || rest.symbols[at(rest[id].symbol)].dtype != node.dtype) return no_value;
    const auto shared = masks_.find(values);
    return values == mask || (shared != masks_.end() && shared->second == mask) ? values : no_value;
}

void ResidualGraph::finish(Plan& plan) {
    rest_.copy_all();
    read_stored();
    std::vector<NodeId>& results = rest_.graph().results;
    for (const NodeId id : results) plan.results.push_back(list_as_made(id));
    const bool are_all_made = std::ranges::find(plan.results, no_value) == plan.results.end();
    if (are_all_made && rest_.graph().checks.empty()) return;
    if (std::ranges::count(plan.results, no_value) == std::ssize(results)) {
        plan.results.clear();
    } else {
        auto made = plan.results.begin();
        std::erase_if(results, [&](NodeId) { return *made++ != no_value; });
    }
    plan.rest = rest_of(std::move(rest_.graph()), operands_);
    plan.rest->made.same_indices = masks_;
}

}  // namespace frisket::planning
