// SPDX-License-Identifier: MIT
#include "gradient.hpp"

#include "../../at.hpp"
#include "rules.hpp"

#include <algorithm>

namespace frisket::ir {

using ir::at;

namespace {

/// Marks nodes up to `last` that have a path from one of `wrt` that a gradient can take.
std::vector<bool> reached_from(const GraphBuilder& graph, std::span<const Value> wrt, NodeId last) {
    std::vector<bool> reached(at(last) + 1);
    for (const Value& input : wrt)
        if (input.id <= last) reached[at(input.id)] = true;
    for (NodeId id = 0; id <= last; ++id) {
        const Node& node = graph[id];
        for (std::size_t i = 0; i < node.operands.size() && !reached[at(id)]; ++i)
            reached[at(id)] = node.operands[i] != no_node && reached[at(node.operands[i])] &&
                              passes_gradient(graph, node, static_cast<int>(i));
    }
    return reached;
}

/// Nodes up to `last` from which it is computed, masks among them; updates are read as they are in memory.
std::vector<bool> read_by(const GraphBuilder& graph, NodeId last) {
    std::vector<bool> read(at(last) + 1);
    read[at(last)] = true;
    for (NodeId id = last; id >= 0; --id) {
        if (!read[at(id)] || graph[id].kind == NodeKind::updated) continue;
        for (const NodeId operand : graph[id].operands)
            if (operand != no_node) read[at(operand)] = true;
        if (graph[id].mask != no_node) read[at(graph[id].mask)] = true;
    }
    return read;
}

/// Errors: ValueError if neither an input nor, if it is a symbol, its mask occurs in the output.
void check_used(Value output, std::span<const Value> wrt) {
    GraphBuilder& graph = *output.graph;
    for (const Value& input : wrt) {
        if (reads(output, input)) continue;
        graph.fail(ErrorCode::value,
                   "gradient of " + graph.written(output.id) + " with respect to " + graph.written(input.id) +
                       ", which does not occur in it: what is evaluated or converted at once (eval(...), "
                       "m.to(...), clone()) gives another tensor, write it within the expression, or write "
                       "gradient(e, x, allow_unused), which is specified nowhere then");
    }
}

Value first_gradient(Value output, std::optional<Value> upstream) {
    GraphBuilder& graph = *output.graph;
    if (!info_of(output.dtype()).is_float)
        graph.fail(ErrorCode::dtype, "the gradient of " + std::string(name_of(output.dtype())) +
                                         ", wanted that of a float: write cast<float>(x)");
    const auto mask = mask_or_none(output);
    if (!upstream) return with_mask(filled(graph, 1.0, output.dtype(), output.shape()), mask);
    if (upstream->shape() != output.shape())
        graph.fail(ErrorCode::shape, "an upstream gradient has shape " + to_string(upstream->shape()) +
                                         ", its output has " + to_string(output.shape()) +
                                         ": they must be equal");
    return restricted(cast(*upstream, output.dtype()), mask);
}

/// A gradient in its final form: masked, in the shape and dtype of its input.
Value finished(Value input, const std::optional<Value>& gradient) {
    GraphBuilder& graph = *input.graph;
    const auto everywhere = [&](bool value) { return filled(graph, value, DType::boolean, input.shape()); };
    if (!gradient) return with_mask(filled(graph, 0.0, input.dtype(), input.shape()), everywhere(false));
    if (gradient->is_masked()) return *gradient;
    return with_mask(*gradient, everywhere(true));
}

}  // namespace

std::optional<Value> both(std::optional<Value> a, std::optional<Value> b) {
    if (!a || !b) return a ? a : b;
    return Value{a->graph, a->graph->both(a->id, b->id)};
}

Value restricted(Value gradient, std::optional<Value> mask) {
    return with_mask(gradient, both(mask_or_none(gradient), mask));
}

Value merged(Value a, Value b) {
    if (a.is_masked() && b.is_masked()) return apply<op::Add>({a, b}, MaskMode::unite);
    return to_dense(a, number(*a.graph, 0.0)) + to_dense(b, number(*b.graph, 0.0));
}

bool reads(Value output, Value input) {
    const std::vector<bool> read = read_by(*output.graph, output.id);
    if (input.id <= output.id && read[at(input.id)]) return true;
    if (input.node().kind != NodeKind::symbol || !input.is_masked()) return false;
    const NodeId mask = input.node().mask;
    return mask <= output.id && read[at(mask)];
}

std::vector<Value> gradient(Value output, std::span<const Value> wrt, std::optional<Value> upstream,
                            Unused unused) {
    GraphBuilder& graph = *output.graph;
    if (unused == Unused::refused) check_used(output, wrt);
    const std::vector<bool> reached = reached_from(graph, wrt, output.id);
    std::vector<std::optional<Value>> gradients(at(output.id) + 1);
    gradients[at(output.id)] = first_gradient(output, upstream);
    for (NodeId id = output.id; id >= 0; --id) {
        if (!reached[at(id)] || !gradients[at(id)]) continue;
        const std::vector<NodeId> operands = graph[id].operands;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const int which = static_cast<int>(i);
            if (operands[i] == no_node || !reached[at(operands[i])]) continue;
            if (!passes_gradient(graph, graph[id], which)) continue;
            const Value share = operand_gradient({&graph, id}, which, gradients[at(id)].value());
            auto& sum = gradients[at(operands[i])];
            sum = sum ? merged(*sum, share) : share;
        }
    }
    std::vector<Value> results;
    for (const Value& input : wrt)
        results.push_back(finished(input, input.id <= output.id ? gradients[at(input.id)] : std::nullopt));
    return results;
}

}  // namespace frisket::ir
