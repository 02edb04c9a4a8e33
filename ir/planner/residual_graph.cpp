// SPDX-License-Identifier: MIT
#include "residual_graph.hpp"

#include "../rewrite.hpp"

#include <algorithm>
#include <utility>

namespace frisket {

ResidualGraph::ResidualGraph(const Graph& graph, std::span<const Argument> arguments)
    : from_(graph), rest_(graph), arguments_(arguments.begin(), arguments.end()) {
    rest_.nodes.clear();
    rest_.equal_masks.clear();  // they have been compared
}

const SparseVector* ResidualGraph::made(NodeId id) const {
    const auto found = made_.find(id);
    return found == made_.end() ? nullptr : &found->second;
}

/// A name that no symbol has: some of a graph that was made so before have been dropped.
std::string ResidualGraph::new_name() const {
    const auto has_symbol = [&](const std::string& name) {
        return std::ranges::find(rest_.symbols, name, &Symbol::name) != rest_.symbols.end();
    };
    std::string name;
    for (std::size_t i = rest_.symbols.size(); name.empty() || has_symbol(name); ++i)
        name = "#" + std::to_string(i);
    return name;
}

int ResidualGraph::add_symbol(SymbolKind kind, DType dtype, const Shape& shape, Argument argument) {
    rest_.symbols.push_back({.name = new_name(), .kind = kind, .dtype = dtype, .shape = shape});
    arguments_.push_back(std::move(argument));
    return static_cast<int>(rest_.symbols.size()) - 1;
}

int ResidualGraph::add_masked(const AnyMasked& made) {
    return add_symbol(SymbolKind::masked, made.dtype(), made.shape(), Argument(kept_.emplace_back(made)));
}

NodeId ResidualGraph::push(Node node) {
    rest_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(rest_.nodes.size()) - 1;
}

NodeId ResidualGraph::push(NodeKind kind, int symbol, NodeId mask) {
    // The symbol has the dtype of what is stored, its values have that of the instruction they stand for.
    const DType dtype = kind == NodeKind::mask_of ? DType::boolean : from_[next()].dtype;
    const Shape& shape = rest_.symbols[static_cast<std::size_t>(symbol)].shape;
    return push({.kind = kind, .dtype = dtype, .mask = mask, .symbol = symbol, .shape = shape});
}

void ResidualGraph::keep() {
    Node node = from_[next()];
    for_each_id(node, [this](NodeId& id) { id = now(id); });
    now_.push_back(push(std::move(node)));
}

void ResidualGraph::take(const SparseVector& made) {
    const Node& node = from_[next()];
    made_.emplace(next(), made);
    const int symbol = add_masked(AnyMasked::indexed(Layout::coo, node.shape, made.list, made.values));
    const NodeId mask = node.mask == no_node ? push(NodeKind::mask_of, symbol, no_node) : now(node.mask);
    if (node.mask == no_node && node.dtype == DType::boolean) return now_.push_back(mask);
    const NodeId listed = push(NodeKind::symbol, symbol, mask);
    now_.push_back(node.mask == no_node ? push(with_zeros(node, listed)) : listed);
}

void ResidualGraph::take(const AnyTensor& made) {
    const int symbol =
        add_symbol(SymbolKind::in, made.dtype(), made.shape(), Argument(kept_dense_.emplace_back(made)));
    now_.push_back(push(NodeKind::symbol, symbol, no_node));
}

void ResidualGraph::take_mask_of(const AnyMasked& made) {
    now_.push_back(push(NodeKind::mask_of, add_masked(made), no_node));
}

void ResidualGraph::take_values() {
    const NodeId mask = now(from_[next()].mask);
    now_.push_back(push(NodeKind::symbol, rest_[mask].symbol, mask));
}

std::vector<Result> ResidualGraph::run(const Executor& executor) {
    for_each_root(rest_, [this](NodeId& id) { id = now(id); });
    if (auto results = given()) return std::move(*results);
    prune(rest_);
    std::vector<Argument> arguments;
    for (const int before : prune_symbols(rest_))
        arguments.push_back(arguments_[static_cast<std::size_t>(before)]);
    return executor.run(rest_, arguments);
}

/// Results that are lists which are made, as they are; nothing if any is not.
std::optional<std::vector<Result>> ResidualGraph::given() const {
    if (!rest_.checks.empty()) return {};
    const auto list_of = [&](NodeId id, NodeKind kind) -> const AnyMasked* {
        if (id == no_node || rest_[id].kind != kind || rest_[id].is_host_scalar) return nullptr;
        const auto symbol = static_cast<std::size_t>(rest_[id].symbol);
        const bool is_made =
            symbol >= from_.symbols.size() && rest_.symbols[symbol].kind == SymbolKind::masked;
        return is_made ? &arguments_[symbol].masked() : nullptr;
    };
    std::vector<Result> results;
    for (const NodeId id : rest_.results) {
        const AnyMasked* const values = list_of(id, NodeKind::symbol);
        const AnyMasked* const mask = list_of(rest_[id].mask, NodeKind::mask_of);
        if (values == nullptr || mask == nullptr || values->index() != mask->index()) return {};
        if (values->dtype() != rest_[id].dtype) return {};
        results.push_back({.listed = *values});
    }
    return results;
}

Node ResidualGraph::with_zeros(const Node& node, NodeId listed) {
    const NodeId zero = push({.kind = NodeKind::constant, .dtype = DType::int64, .is_host_scalar = true});
    return {.kind = NodeKind::to_dense, .dtype = node.dtype, .operands = {listed, zero}, .shape = node.shape};
}

}  // namespace frisket
