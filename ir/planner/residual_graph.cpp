// SPDX-License-Identifier: MIT
#include "residual_graph.hpp"

#include <algorithm>
#include <utility>

namespace frisket {

ResidualGraph::ResidualGraph(const Graph& graph, std::span<const Argument> arguments)
    : from_(graph), rest_(graph), arguments_(arguments.begin(), arguments.end()) {
    rest_.graph().equal_masks.clear();  // they have been compared
}

const SparseVector* ResidualGraph::made(NodeId id) const {
    const auto found = made_.find(id);
    return found == made_.end() ? nullptr : &found->second;
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

int ResidualGraph::add_symbol(SymbolKind kind, DType dtype, const Shape& shape, Argument argument) {
    std::vector<Symbol>& symbols = rest_.graph().symbols;
    symbols.push_back({.name = new_name(), .kind = kind, .dtype = dtype, .shape = shape});
    arguments_.push_back(std::move(argument));
    return static_cast<int>(symbols.size()) - 1;
}

int ResidualGraph::add_masked(const AnyMasked& made) {
    return add_symbol(SymbolKind::masked, made.dtype(), made.shape(), Argument(kept_.emplace_back(made)));
}

NodeId ResidualGraph::read(NodeKind kind, int symbol, NodeId mask) {
    // The symbol has the dtype of what is stored, its values have that of the instruction they stand for.
    const DType dtype = kind == NodeKind::mask_of ? DType::boolean : from_[next_].dtype;
    const Shape& shape = rest_.graph().symbols[static_cast<std::size_t>(symbol)].shape;
    return rest_.add({.kind = kind, .dtype = dtype, .mask = mask, .symbol = symbol, .shape = shape});
}

void ResidualGraph::keep() { rest_.copy(next_++); }

void ResidualGraph::take(const SparseVector& made) {
    const Node& node = from_[next_];
    made_.emplace(next_, made);
    const int symbol = add_masked(AnyMasked::indexed(Layout::coo, node.shape, made.list, made.values));
    if (node.mask != no_node) return replace_next(read(NodeKind::symbol, symbol, rest_.copy(node.mask)));
    const NodeId mask = read(NodeKind::mask_of, symbol, no_node);
    if (node.dtype == DType::boolean) return replace_next(mask);
    const NodeId listed = read(NodeKind::symbol, symbol, mask);
    replace_next(rest_.add({.kind = NodeKind::to_dense,
                            .dtype = node.dtype,
                            .operands = {listed, rest_.constant(0)},
                            .shape = node.shape}));
}

void ResidualGraph::take(const AnyTensor& made) {
    const int symbol =
        add_symbol(SymbolKind::in, made.dtype(), made.shape(), Argument(kept_dense_.emplace_back(made)));
    replace_next(read(NodeKind::symbol, symbol, no_node));
}

void ResidualGraph::take_mask_of(const AnyMasked& made) {
    replace_next(read(NodeKind::mask_of, add_masked(made), no_node));
}

void ResidualGraph::take_values() {
    const NodeId mask = rest_.copy(from_[next_].mask);
    replace_next(read(NodeKind::symbol, rest_[mask].symbol, mask));
}

std::vector<Result> ResidualGraph::run(const Executor& executor) {
    rest_.copy_all();
    if (auto results = given()) return std::move(*results);
    Graph rest = rest_.finish();
    std::vector<Argument> arguments;
    for (const int before : prune_symbols(rest))
        arguments.push_back(arguments_[static_cast<std::size_t>(before)]);
    return executor.run(rest, arguments);
}

/// Results that are lists which are made, as they are; nothing if any is not.
std::optional<std::vector<Result>> ResidualGraph::given() const {
    const Graph& rest = rest_.graph();
    if (!rest.checks.empty()) return {};
    const auto list_of = [&](NodeId id, NodeKind kind) -> const AnyMasked* {
        if (id == no_node || rest[id].kind != kind || rest[id].is_host_scalar) return nullptr;
        const auto symbol = static_cast<std::size_t>(rest[id].symbol);
        const bool is_made =
            symbol >= from_.symbols.size() && rest.symbols[symbol].kind == SymbolKind::masked;
        return is_made ? &arguments_[symbol].masked() : nullptr;
    };
    std::vector<Result> results;
    for (const NodeId id : rest.results) {
        const AnyMasked* const values = list_of(id, NodeKind::symbol);
        const AnyMasked* const mask = list_of(rest[id].mask, NodeKind::mask_of);
        if (values == nullptr || mask == nullptr || values->index() != mask->index()) return {};
        if (values->dtype() != rest[id].dtype) return {};
        results.push_back({.listed = *values});
    }
    return results;
}

}  // namespace frisket
