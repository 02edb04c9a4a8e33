// SPDX-License-Identifier: MIT
#include "builder_numbers.hpp"
#include "graph_text.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <utility>

namespace frisket {

namespace {

bool is_number(SymbolKind kind) { return kind == SymbolKind::scalar || kind == SymbolKind::scalar_state; }

}  // namespace

GraphBuilder::GraphBuilder(std::string step_name) {
    constexpr std::size_t usual_nodes = 32;
    graph_.name = std::move(step_name);
    graph_.nodes.reserve(usual_nodes);
}

void GraphBuilder::fail(ErrorCode code, const std::string& text) const {
    raise(code, graph_.name + ": " + text);
}

NodeId GraphBuilder::add(Node node) {
    if (2 * graph_.nodes.size() >= slots_.size()) grow_slots();
    NodeId& slot = slot_of(node);
    if (slot != no_node) return slot;
    slot = static_cast<NodeId>(graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
    return slot;
}

NodeId& GraphBuilder::slot_of(const Node& node) {
    std::size_t slot = hash(node) % slots_.size();
    while (slots_[slot] != no_node && graph_[slots_[slot]] != node) slot = (slot + 1) % slots_.size();
    return slots_[slot];
}

void GraphBuilder::grow_slots() {
    constexpr std::size_t least = 64;
    slots_.assign(std::max(least, 4 * graph_.nodes.capacity()), no_node);
    for (std::size_t id = 0; id < graph_.nodes.size(); ++id)
        slot_of(graph_.nodes[id]) = static_cast<NodeId>(id);
}

int GraphBuilder::find(std::string_view name) const {
    const auto found = std::ranges::find(graph_.symbols, name, &Symbol::name);
    return found == graph_.symbols.end() ? -1 : static_cast<int>(found - graph_.symbols.begin());
}

void GraphBuilder::check_kind(std::string_view name, SymbolKind kind, DType dtype) const {
    const std::string text(name);
    if (lets_.contains(name)) {
        fail(ErrorCode::binding,
             text + " is both a Let and an " + std::string(name_of(kind)) + ": one name, one thing");
    }
    if (const int known = find(name); known >= 0) {
        const Symbol& symbol = graph_.symbols[static_cast<std::size_t>(known)];
        if (symbol.kind == kind && symbol.dtype == dtype) return;
        fail(ErrorCode::binding, text + " is both " + std::string(name_of(symbol.kind)) + " of " +
                                     std::string(name_of(symbol.dtype)) + " and " +
                                     std::string(name_of(kind)) + " of " + std::string(name_of(dtype)) +
                                     ": one name, one thing");
    }
    if (is_number(kind) && dtype != DType::float64 &&
        (dtype != DType::int64 || kind == SymbolKind::scalar_state)) {
        fail(ErrorCode::dtype, text + " is " + std::string(name_of(dtype)) +
                                   ": numbers of the host are float64 or int64" +
                                   (kind == SymbolKind::scalar_state ? ", and kept ones float64" : ""));
    }
}

NodeId GraphBuilder::symbol(std::string_view name, SymbolKind kind, DType dtype) {
    return symbol_of_shape(name, kind, dtype, {});
}

NodeId GraphBuilder::symbol(std::string_view name, SymbolKind kind, DType dtype, const Shape& shape) {
    graph_.shaped = true;
    return symbol_of_shape(name, kind, dtype, shape);
}

NodeId GraphBuilder::symbol_of_shape(std::string_view name, SymbolKind kind, DType dtype,
                                     const Shape& shape) {
    if (kind == SymbolKind::let) {
        if (const auto found = lets_.find(name); found != lets_.end()) return found->second;
        fail(ErrorCode::binding,
             std::string(name) + " is read before it is defined: a Let is defined above its use");
    }
    check_kind(name, kind, dtype);
    int symbol = find(name);
    if (symbol < 0) {
        symbol = static_cast<int>(graph_.symbols.size());
        graph_.symbols.push_back({std::string(name), kind, dtype, shape});
        current_.push_back(symbol_node(symbol));
    }
    return current_[static_cast<std::size_t>(symbol)];
}

NodeId GraphBuilder::symbol_node(int symbol) {
    const Symbol& row = graph_.symbols[static_cast<std::size_t>(symbol)];
    Node node{
        .kind = NodeKind::symbol, .dtype = compute_dtype(row.dtype), .is_host_scalar = is_number(row.kind)};
    node.symbol = symbol;
    node.shape = row.shape;
    if (row.kind == SymbolKind::masked) {
        Node mask{.kind = NodeKind::mask_of, .dtype = DType::boolean};
        mask.symbol = symbol;
        mask.shape = node.shape;
        node.mask = add(mask);
    }
    return add(node);
}

NodeId GraphBuilder::constant(double value) {
    Node node{.kind = NodeKind::constant, .dtype = DType::float64, .is_host_scalar = true};
    node.constant = value;
    return add(node);
}

NodeId GraphBuilder::constant(std::int64_t value) {
    Node node{.kind = NodeKind::constant, .dtype = DType::int64, .is_host_scalar = true};
    node.constant = static_cast<double>(value);
    node.integer = value;
    return add(node);
}

NodeId GraphBuilder::constant(bool value) {
    Node node{.kind = NodeKind::constant, .dtype = DType::boolean, .is_host_scalar = true};
    node.constant = value ? 1 : 0;
    return add(node);
}

void GraphBuilder::check_operands(OpId op, std::span<const NodeId> operands) const {
    const OpInfo& row = info_of(op);
    const std::string name(row.name);
    if (static_cast<int>(operands.size()) != row.arity) {
        fail(ErrorCode::value, name + " takes " + std::to_string(row.arity) + " operands, and got " +
                                   std::to_string(operands.size()));
    }
    std::array<ElementType, 3> types{};
    for (std::size_t i = 0; i < operands.size(); ++i) types[i] = graph_[operands[i]].type();
    if (row.dtype == DTypeRule::branches && types[0].dtype != DType::boolean) {
        fail(ErrorCode::dtype, "the condition of " + name + " is " + std::string(name_of(types[0].dtype)) +
                                   ", wanted bool: write a comparison");
    }
    const auto used = std::span(types).first(operands.size());
    const ElementType common = common_type(row.dtype, used);
    if (accepts(row.accepts, common.dtype)) return;
    if (common.dtype == DType::boolean) {
        fail(ErrorCode::dtype,
             name + " is not defined for bool: write where(condition, x, y), or a logical operation");
    }
    fail(ErrorCode::dtype, name + " is not defined for " + std::string(name_of(common.dtype)));
}

Shape GraphBuilder::common_shape(OpId op, std::span<const NodeId> operands) const {
    Shape common;
    if (!graph_.shaped) return common;
    for (const NodeId operand : operands) {
        const Shape& shape = graph_[operand].shape;
        try {
            common = broadcast(common, shape);
        } catch (const ShapeError&) {
            fail(ErrorCode::shape, std::string(info_of(op).name) + " of shapes " + to_string(common) +
                                       " and " + to_string(shape) +
                                       ": aligned at the right, extents are equal or one of them is 1");
        }
    }
    return common;
}

NodeId GraphBuilder::apply(OpId op, std::span<const NodeId> operands, MaskMode mode) {
    const Shape shape = common_shape(op, operands);
    if (mode == MaskMode::unite && !info_of(op).unites) {
        fail(ErrorCode::identity,
             "unite(" + std::string(info_of(op).name) +
                 ") has no identity for the side that is alone: write to_dense(x, fill)");
    }
    const NodeId mask = mode == MaskMode::equal ? operand_mask(op, operands, shape) : NodeId{no_node};
    check_operands(op, operands);
    std::array<ElementType, 3> types{};
    for (std::size_t i = 0; i < operands.size(); ++i) types[i] = graph_[operands[i]].type();
    const std::span used = std::span(types).first(operands.size());
    const ElementType result = result_type(info_of(op).dtype, used),
                      common = common_type(info_of(op).dtype, used);
    if (!common.is_host_scalar) {
        if (const auto made = ir::compared_with_number(*this, op, operands, common.dtype, mode)) return *made;
        ir::check_numbers(*this, op, operands, common.dtype);
    }
    Node node{.kind = NodeKind::op,
              .op = op,
              .dtype = result.dtype,
              .is_host_scalar = result.is_host_scalar,
              .operands = {operands.begin(), operands.end()},
              .mask = mask,
              .shape = shape};
    if (mode != MaskMode::equal) return apply_meeting(node, mode);
    const NodeId id = add(node);
    check_values(id);
    return id;
}

void GraphBuilder::let(std::string_view name, NodeId value) {
    if (find(name) >= 0 || lets_.contains(name)) {
        fail(ErrorCode::binding,
             std::string(name) + " is defined twice: give the second value a name of its own");
    }
    lets_.emplace(name, value);
}

void GraphBuilder::note_call(NodeId result, std::string_view name, std::vector<NodeId> operands) {
    // Operands themselves, and nodes made before, keep their names.
    if (std::ranges::any_of(operands, [&](NodeId operand) { return operand >= result; })) return;
    calls_.try_emplace(result, WrittenCall{.name = name, .operands = std::move(operands)});
}

std::string GraphBuilder::written(NodeId id) const {
    constexpr int depth = 3;
    const ir::WrittenNames names{.calls = calls_, .title = title_};
    return ir::expression_text(graph_, id, depth, &names);
}

Graph GraphBuilder::expression(std::span<const NodeId> results) const {
    Graph graph;
    graph.name = graph_.name;
    graph.symbols = graph_.symbols;
    graph.equal_masks = graph_.equal_masks;
    graph.results.assign(results.begin(), results.end());
    graph.checks = graph_.checks;
    graph.shaped = true;
    ir::take_nodes(graph, graph_);
    ir::prune_zeros(graph);
    ir::prune_symbols(graph);
    return graph;
}

Graph GraphBuilder::finish() {
    if (graph_.updates.empty()) {
        fail(ErrorCode::value, "nothing is updated: write target = expression, or target += expression");
    }
    check_scopes();
    check_masks();
    Graph graph = graph_;
    ir::prune(graph);
    ir::prune_zeros(graph);
    return graph;
}

}  // namespace frisket
