// SPDX-License-Identifier: MIT
#include "graph_text.hpp"

#include <charconv>
#include <utility>
#include <vector>

namespace frisket {

namespace {

std::string reference(NodeId id) { return "%" + std::to_string(id); }

std::string with_mask(NodeId mask) { return mask == no_node ? "" : " where " + reference(mask); }

/// The name of an instruction that is written as a call.
std::string_view call_name(const Node& node) {
    switch (info_of(node.kind).named_by) {
        case NamedBy::op: return info_of(node.op).name;
        case NamedBy::dtype: return name_of(node.dtype);
        case NamedBy::reduction: return name_of(node.reduction);
        default: return info_of(node.kind).name;
    }
}

/// The name of a structural instruction and its attributes.
std::string structure_text(const Node& node) {
    std::string text(node.kind == NodeKind::cast ? info_of(node.kind).name : call_name(node));
    if (node.kind == NodeKind::scan) text = "running " + text;
    if (is_scatter(node.kind)) text += " " + std::string(name_of(node.reduction));
    if (!node.attributes.empty()) text += " " + to_string(node.attributes);
    if (!node.offsets.empty()) text += " from " + to_string(node.offsets);
    return text;
}

/// "p takes %5 where %1 after %0": an update's value, and the symbol's value before it.
std::string update_text(const Graph& graph, const Node& node) {
    const auto operand = [&](std::size_t i) { return reference(node.operands[i]); };
    std::string text = graph.symbols[static_cast<std::size_t>(node.symbol)].name + " takes " +
                       operand(update_operand::value) + with_mask(node.operands[update_operand::where]) +
                       " after " + operand(update_operand::before);
    if (node.operands[update_operand::seed] != no_node)
        text += ", rounded at random by " + operand(update_operand::seed) + ", " +
                operand(update_operand::step) + ", " + operand(update_operand::first) + " and " +
                std::to_string(node.integer);
    return text;
}

std::string instruction(const Graph& graph, const Node& node) {
    if (node.kind == NodeKind::updated) return update_text(graph, node);
    std::string text = node.kind == NodeKind::symbol ? "" : structure_text(node);
    if (node.kind == NodeKind::constant)
        text += " " +
                (node.dtype == DType::int64 ? std::to_string(node.integer) : ir::number_text(node.constant));
    if (node.symbol >= 0)
        text += (text.empty() ? "" : " ") + graph.symbols[static_cast<std::size_t>(node.symbol)].name;
    for (NodeId operand : node.operands) {
        if (operand != no_node) text += " " + reference(operand);
    }
    return text;
}

}  // namespace

std::string ir::number_text(double number) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return {text, end};
}

std::string ir::expression_text(const Graph& graph, NodeId id, int depth, const ir::WrittenNames* names) {
    const Node& node = graph[id];
    const auto title = [&] {
        const Symbol& symbol = graph.symbols[static_cast<std::size_t>(node.symbol)];
        return names != nullptr && names->title ? names->title(symbol) : symbol.name;
    };
    if (node.kind == NodeKind::constant) return ir::number_text(node.constant);
    if (node.kind == NodeKind::symbol || node.kind == NodeKind::updated) return title();
    if (node.kind == NodeKind::mask_of) return "mask_of(" + title() + ")";
    std::vector<NodeId> operands = node.operands;
    std::string text(call_name(node));
    if (node.kind == NodeKind::on) std::swap(operands[0], operands[1]);
    if (names != nullptr && is_along_dims(node.kind))
        operands.erase(operands.begin() + 1);  // nobody has written it
    if (names != nullptr && names->calls.contains(id)) {
        const WrittenCall& call = names->calls.at(id);
        text = call.name;
        operands = call.operands;
    }
    if (depth == 0) return text + "(...)";
    bool is_first = true;
    for (const NodeId operand : operands) {
        if (operand == no_node) continue;
        text += (is_first ? "(" : ", ") + ir::expression_text(graph, operand, depth - 1, names);
        is_first = false;
    }
    return text + ")";
}

std::string to_string(const Graph& graph) {
    std::string text = "step " + graph.name + "\n";
    for (const Symbol& symbol : graph.symbols) {
        text += "  " + std::string(name_of(symbol.kind)) + " " + symbol.name + ": " +
                std::string(name_of(symbol.dtype)) + "\n";
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        text += "  " + reference(static_cast<NodeId>(i)) + " = " + instruction(graph, node) + ": " +
                (node.is_host_scalar ? "weak " : "") + std::string(name_of(node.dtype)) +
                (node.shape.empty() ? "" : to_string(node.shape)) + with_mask(node.mask) + "\n";
    }
    for (auto [a, b] : graph.equal_masks)
        text += "  check " + reference(a) + " equals " + reference(b) + "\n";
    for (const Check& check : graph.checks)
        text += "  refuse " + reference(check.bad) + ": " + std::string(name_of(check.code)) + "\n";
    for (const NodeId skip : graph.skips) text += "  skip if " + reference(skip) + "\n";
    for (const NodeId result : graph.results)
        text += "  result " + reference(result) + with_mask(graph[result].mask) + "\n";
    for (const NodeId update : graph.updates) text += "  store " + reference(update) + "\n";
    return text;
}

}  // namespace frisket
