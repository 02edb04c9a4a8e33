// SPDX-License-Identifier: MIT
#include "graph.hpp"

#include "../runtime/limits.hpp"
#include "at.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

namespace frisket {

using ir::at;

namespace {

/// Mixes values into one hash.
class Hasher {
public:
    template <class T>
    void mix(const T& value) {
        hash_ ^= std::hash<T>{}(value) + 0x9e3779b97f4a7c15U + (hash_ << 6U) + (hash_ >> 2U);
    }
    std::size_t value() const { return hash_; }

private:
    std::size_t hash_ = 0;
};

void mix(Hasher& hasher, const Node& node) {
    hasher.mix(static_cast<int>(node.kind));
    hasher.mix(static_cast<int>(node.op));
    hasher.mix(static_cast<int>(node.dtype));
    hasher.mix(node.is_host_scalar);
    for (NodeId operand : node.operands) hasher.mix(operand);
    hasher.mix(node.mask);
    hasher.mix(node.symbol);
    hasher.mix(std::bit_cast<std::uint64_t>(node.constant));
    hasher.mix(node.integer);
    hasher.mix(static_cast<int>(node.reduction));
    for (const std::int64_t attribute : node.attributes) hasher.mix(attribute);
    for (const std::int64_t extent : node.shape) hasher.mix(extent);
    for (const std::int64_t offset : node.offsets) hasher.mix(offset);
    hasher.mix(static_cast<int>(node.path));
}

/// Gathers the tensors that nodes read: their masks' too, and the tensors from which updated nodes are
/// computed.
class TensorReads {
public:
    explicit TensorReads(const Graph& graph) : graph_(graph), seen_(graph.nodes.size()) {}

    void add(NodeId id) {
        if (id == no_node || seen_[static_cast<std::size_t>(id)]) return;
        seen_[static_cast<std::size_t>(id)] = true;
        const Node& node = graph_[id];
        if (node.symbol >= 0 && is_tensor(graph_.symbols[at(node.symbol)].kind)) tensors_.insert(node.symbol);
        if (node.is_tensor_update()) return add_update(node);
        add(node.mask);
        for (NodeId operand : node.operands) add(operand);
    }
    /// All updates of a target, the last of them `update`.
    void add_updates(NodeId update) {
        for (; graph_[update].kind == NodeKind::updated; update = before(graph_[update])) {
            add(graph_[update].operands[update_operand::value]);
            add(graph_[update].operands[update_operand::where]);
        }
    }
    std::vector<int> tensors() const { return {tensors_.begin(), tensors_.end()}; }

private:
    static NodeId before(const Node& update) { return update.operands[update_operand::before]; }

    void add_update(const Node& update) {
        add(update.operands[update_operand::value]);
        add(update.operands[update_operand::where]);
        if (update.operands[update_operand::where] != no_node) add(before(update));
    }

    const Graph& graph_;
    std::vector<bool> seen_;
    std::set<int> tensors_;
};

/// Sets of Masked symbols that are checked to specify the same elements.
class MaskClasses {
public:
    explicit MaskClasses(const Graph& graph) : graph_(graph), parent_(graph.symbols.size()) {
        for (std::size_t i = 0; i < parent_.size(); ++i) parent_[i] = static_cast<int>(i);
        for (auto [a, b] : graph.equal_masks) parent_[at(root(graph[b].symbol))] = root(graph[a].symbol);
    }
    /// A number of the set that a mask belongs to; -1 unless it is the mask of a symbol.
    int of(NodeId mask) const {
        return mask != no_node && graph_[mask].kind == NodeKind::mask_of ? root(graph_[mask].symbol) : -1;
    }

private:
    int root(int symbol) const {
        while (parent_[at(symbol)] != symbol) symbol = parent_[at(symbol)];
        return symbol;
    }

    const Graph& graph_;
    std::vector<int> parent_;
};

/// Tensors that are written; tensors from which other tensors are computed come last.
std::vector<int> outputs_of(const std::vector<UpdateRule>& updates) {
    std::vector<int> waiting, ordered;
    for (const UpdateRule& update : updates)
        if (std::ranges::find(waiting, update.target) == waiting.end()) waiting.push_back(update.target);
    const auto is_read_by_others = [&](int tensor) {
        return std::ranges::any_of(updates, [&](const UpdateRule& update) {
            return update.target != tensor && std::ranges::find(waiting, update.target) != waiting.end() &&
                   std::ranges::find(update.operands, tensor) != update.operands.end();
        });
    };
    // Backwards: a tensor that no remaining update reads may be stored before all that remain.
    while (!waiting.empty()) {
        auto next = std::ranges::find_if_not(waiting, is_read_by_others);
        if (next == waiting.end()) next = waiting.begin();
        ordered.push_back(*next);
        waiting.erase(next);
    }
    return ordered;
}

/// The dtype in which an update reads its value.
DType updated_from(const Graph& graph, const Node& update) {
    if (update.operands[update_operand::seed] != no_node) return DType::float32;
    return rounded_from(graph, update.operands[update_operand::value],
                        graph.symbols[at(update.symbol)].dtype);
}

DType op_operand_dtype(const Graph& graph, const Node& node, int i) {
    const OpInfo& op = info_of(node.op);
    if (op.dtype == DTypeRule::logical || (op.dtype == DTypeRule::branches && i == 0)) return DType::boolean;
    if (op.dtype != DTypeRule::boolean) return node.dtype;
    std::array<ElementType, 3> types{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(op.arity); ++k)
        types[k] = graph[node.operands[k]].type();
    return common_type(op.dtype, std::span(types).first(static_cast<std::size_t>(op.arity))).dtype;
}

DType update_operand_dtype(const Graph& graph, const Node& node, int i) {
    return i == update_operand::value    ? updated_from(graph, node)
           : i == update_operand::before ? node.dtype
           : i == update_operand::where  ? DType::boolean
                                         : DType::int64;
}

int domain_of(const Graph& graph) {
    const MaskClasses classes(graph);
    int domain = -1, common = -1;
    for (const Node& node : graph.nodes) {
        if (!node.is_tensor_update()) continue;
        const NodeId where = node.operands[update_operand::where];
        const int found = classes.of(where);
        if (found < 0 || (common >= 0 && found != common)) return -1;
        common = found;
        if (domain < 0) domain = graph[where].symbol;
    }
    return domain;
}

}  // namespace

bool Node::operator==(const Node& other) const {
    return kind == other.kind && op == other.op && dtype == other.dtype &&
           is_host_scalar == other.is_host_scalar && operands == other.operands && mask == other.mask &&
           symbol == other.symbol &&
           std::bit_cast<std::uint64_t>(constant) == std::bit_cast<std::uint64_t>(other.constant) &&
           integer == other.integer && reduction == other.reduction && attributes == other.attributes &&
           offsets == other.offsets && shape == other.shape && path == other.path;
}

std::string_view name_of(Reduction reduction) {
    constexpr std::string_view names[] = {"sum", "prod",   "amin",   "amax",    "any",
                                          "all", "argmin", "argmax", "contract"};
    const auto number = static_cast<std::size_t>(reduction);
    if (number < std::size(names)) return names[number];
    throw ValueError("there is no reduction " + std::to_string(number) + ": they are numbered 0 to " +
                     std::to_string(std::size(names) - 1));
}

Shape reduced_shape(const Graph& graph, const Node& node) {
    const Shape& shape = graph[node.operands[0]].shape;
    if (!is_product(node)) return shape;
    return broadcast(shape, graph[node.operands[2]].shape);
}

std::int64_t work_of(const Graph& graph, const Node& node) {
    return element_count(node.kind == NodeKind::reduce ? reduced_shape(graph, node) : node.shape);
}

std::int64_t work_of(const Graph& graph) {
    std::int64_t work = 0;
    for (const Node& node : graph.nodes) work += node.is_host_scalar ? 0 : work_of(graph, node);
    return work;
}

bool is_large_product(const Graph& graph, const Node& node) {
    return is_product(node) && info_of(node.dtype).is_float && work_of(graph, node) >= limits::staged_product;
}

bool has_panels(const Graph& graph, const Node& node) {
    if (!is_product(node)) return false;
    const Shape shape = reduced_shape(graph, node);
    std::int64_t terms = 1;
    for (const std::int64_t dim : node.attributes) terms *= shape[static_cast<std::size_t>(dim)];
    return terms > limits::product_panel;
}

bool is_narrow(const Node& node) {
    return is_product(node) && !node.shape.empty() && node.shape.back() > 1 &&
           node.shape.back() <= limits::narrow_columns;
}

bool has_few_sums(const Graph& graph, const Node& node) {
    return has_panels(graph, node) && element_count(node.shape) <= limits::few_sums;
}

DType rounded_from(const Graph& graph, NodeId value, DType memory) {
    if (memory != DType::float16 && memory != DType::bfloat16) return compute_dtype(memory);
    const DType dtype = graph[value].type().dtype;
    return dtype == DType::float32 || dtype == DType::boolean ? DType::float32 : DType::float64;
}

DType operand_dtype(const Graph& graph, const Node& node, int i) {
    if (node.kind == NodeKind::op) return op_operand_dtype(graph, node, i);
    if (node.kind == NodeKind::updated) return update_operand_dtype(graph, node, i);
    if (node.kind == NodeKind::on && i == 1) return DType::boolean;
    if (node.kind == NodeKind::on || node.kind == NodeKind::to_dense) return node.dtype;
    const Node& operand = graph[node.operands[at(i)]];
    if (node.kind == NodeKind::cast && operand.is_host_scalar)
        return rounded_from(graph, node.operands[0], node.dtype);
    return compute_dtype(operand.is_host_scalar ? node.dtype : operand.type().dtype);
}

std::size_t hash(const Node& node) {
    Hasher hasher;
    mix(hasher, node);
    return hasher.value();
}

std::size_t hash(const Graph& graph) {
    Hasher hasher;
    hasher.mix(graph.name);
    for (const Symbol& symbol : graph.symbols) {
        hasher.mix(symbol.name);
        hasher.mix(static_cast<int>(symbol.kind));
        hasher.mix(static_cast<int>(symbol.dtype));
        hasher.mix(symbol.is_repeated);
    }
    for (const Node& node : graph.nodes) mix(hasher, node);
    for (const NodeId update : graph.updates) hasher.mix(update);
    for (auto [a, b] : graph.equal_masks) {
        hasher.mix(a);
        hasher.mix(b);
    }
    for (const NodeId result : graph.results) hasher.mix(result);
    for (const Check& check : graph.checks) hasher.mix(check.bad);
    for (const NodeId skip : graph.skips) hasher.mix(skip);
    return hasher.value();
}

Signature signature_of(const Graph& graph) {
    Signature signature;
    signature.name = graph.name;
    for (const Symbol& symbol : graph.symbols)
        signature.parameters.push_back({symbol.name, symbol.kind, symbol.dtype, symbol.is_repeated});
    for (const NodeId update : graph.updates) {
        if (!graph[update].is_tensor_update()) continue;
        TensorReads reads(graph);
        reads.add_updates(update);
        signature.updates.push_back({graph[update].symbol, reads.tensors()});
    }
    signature.needs_positions = std::ranges::any_of(graph.nodes, [](const Node& node) {
        return node.is_tensor_update() && node.operands[update_operand::seed] != no_node;
    });
    signature.has_shapes = graph.shaped;
    for (auto [a, b] : graph.equal_masks) signature.equal_masks.push_back({graph[a].symbol, graph[b].symbol});
    signature.domain = domain_of(graph);
    signature.outputs = outputs_of(signature.updates);
    return signature;
}

}  // namespace frisket
