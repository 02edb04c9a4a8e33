// SPDX-License-Identifier: MIT
#include "rules.hpp"

#include <algorithm>

#include "../../at.hpp"

/// Rules of the instructions that move elements, restrict them and change their dtype.
namespace frisket::ir {

using ir::at;

namespace {

/// The gradient of an instruction that only changes the dtype, or the mask.
Value cast_gradient(Value result, int /*i*/, Value gradient) {
    const Value x = operand(result, 0);
    const bool is_whole = result.is_masked() || result.node().path == GradientPath::everywhere;
    const Value there = is_whole ? gradient : restricted(gradient, mask_or_none(x));
    return cast(sum_to(there, Shape(x.shape())), x.dtype());
}

Value on_gradient(Value result, int i, Value gradient) {
    return cast_gradient(result, i, restricted(gradient, mask_or_none(result)));
}

/// Values added and masks joined where an instruction made by `put` puts them.
Value put_back(Value gradient, const Node& put) {
    GraphBuilder& graph = *gradient.graph;
    const auto mask = mask_or_none(gradient);
    const auto moved = [&](Value x, Reduction reduction) {
        Node node = put;
        node.operands[0] = x.id;
        node.operands[1] = mask ? mask->id : no_node;
        node.dtype = x.dtype();
        node.reduction = reduction;
        return Value{&graph, graph.add(node)};
    };
    const Value somewhere = mask ? *mask : mask_of(gradient);
    const Value reached = moved(somewhere, Reduction::any);
    return with_mask(moved(bare(gradient), Reduction::sum), reached);
}

/// A view as a matrix: index d of the element read is offsets[d] + sum over j of coefficient(d, j) * index j.
struct Affine {
    explicit Affine(Node view, Shape read_shape) : node(std::move(view)), read(std::move(read_shape)) {}

    std::int64_t& coefficient(std::size_t d, std::size_t j) {
        return node.attributes[d * node.shape.size() + j];
    }
    std::int64_t offset(std::size_t d) const { return node.offsets.empty() ? 0 : node.offsets[d]; }
    std::size_t rank() const { return node.shape.size(); }
    bool uses(std::size_t j) {
        for (std::size_t d = 0; d < read.size(); ++d)
            if (coefficient(d, j) != 0) return true;
        return false;
    }
    /// This view without the dropped dimensions of the result.
    Affine with_only(const std::vector<std::size_t>& kept) {
        Affine made(node, read);
        made.node.shape.clear();
        made.node.attributes.clear();
        for (const std::size_t j : kept) made.node.shape.push_back(node.shape[j]);
        for (std::size_t d = 0; d < read.size(); ++d)
            for (const std::size_t j : kept) made.node.attributes.push_back(coefficient(d, j));
        return made;
    }
    /// The view that undoes this one, if each dimension of one side runs along all of one of the other.
    std::optional<Node> inverse() {
        Node made{.kind = NodeKind::view};
        made.shape = read;
        made.attributes.assign(rank() * read.size(), 0);
        if (!node.offsets.empty()) made.offsets.assign(rank(), 0);
        std::size_t found = 0;
        for (std::size_t d = 0; d < read.size(); ++d) {
            std::size_t used = 0;
            for (std::size_t j = 0; j < rank(); ++j) {
                const std::int64_t step = coefficient(d, j);
                if (step == 0) continue;
                const std::int64_t start = step > 0 ? 0 : read[d] - 1;
                if (std::abs(step) != 1 || offset(d) != start || node.shape[j] != read[d]) return {};
                made.attributes[j * read.size() + d] = step;
                if (!made.offsets.empty()) made.offsets[j] = start;
                ++used;
            }
            if (used > 1 || (used == 0 && read[d] != 1)) return {};
            found += used;
        }
        if (found != rank()) return {};
        return made;
    }

    Node node;
    Shape read;
};

/// Sums repeated elements, and moves rearranged elements back; elements that the view dropped are not
/// reached.
Value view_gradient(Value result, int /*i*/, Value gradient) {
    Affine affine(result.node(), operand(result, 0).shape());
    std::vector<int> repeated;
    std::vector<std::size_t> kept;
    Shape kept_shape;
    for (std::size_t j = 0; j < affine.rank(); ++j) {
        const std::int64_t extent = affine.node.shape[j];
        if (extent != 1 && affine.uses(j)) {
            kept.push_back(j);
            kept_shape.push_back(extent);
        } else if (extent != 1) {
            repeated.push_back(static_cast<int>(j));
        }
    }
    if (!repeated.empty()) gradient = ir::reduce(Reduction::sum, gradient, repeated, false, gradient.dtype());
    gradient = reshape(gradient, kept_shape);
    Affine rest = affine.with_only(kept);
    if (const auto back = rest.inverse()) return view(gradient, back->attributes, back->offsets, back->shape);
    Node put = rest.node;
    put.kind = NodeKind::scatter_view;
    put.operands = {no_node, no_node};
    put.mask = no_node;
    put.shape = rest.read;
    return put_back(gradient, put);
}

Value scatter_view_gradient(Value result, int /*i*/, Value gradient) {
    const Node node = result.node();
    const Value read = view(gradient, node.attributes, node.offsets, Shape(operand(result, 0).shape()));
    return restricted(read, operand_or_none(result, 1));
}

Value reshape_gradient(Value result, int /*i*/, Value gradient) {
    return reshape(gradient, Shape(operand(result, 0).shape()));
}

Value cat_gradient(Value result, int i, Value gradient) {
    const int dim = static_cast<int>(result.node().attributes[0]);
    std::int64_t start = 0;
    for (int k = 0; k < i; ++k) start += operand(result, k).shape()[at(dim)];
    return narrow(gradient, dim, start, operand(result, i).shape()[at(dim)]);
}

Value gather_gradient(Value result, int /*i*/, Value gradient) {
    Node put = result.node();
    put.kind = NodeKind::scatter;
    put.operands.insert(put.operands.begin(), no_node);
    put.mask = no_node;
    put.shape = operand(result, 0).shape();
    return put_back(gradient, put);
}

Value scatter_gradient(Value result, int /*i*/, Value gradient) {
    GraphBuilder& graph = *result.graph;
    Node get = result.node();
    get.kind = NodeKind::gather;
    get.operands.assign(result.node().operands.begin() + 1, result.node().operands.end());
    get.mask = no_node;
    get.reduction = {};
    get.shape = Shape(operand(result, 0).shape());
    const auto taken = [&](Value x) {
        Node node = get;
        node.operands[0] = x.id;
        node.dtype = x.dtype();
        return Value{&graph, graph.add(node)};
    };
    const auto mask = mask_or_none(gradient);
    const Value values = taken(bare(gradient));
    const Value read = with_mask(values, mask ? std::optional(taken(*mask)) : mask);
    return restricted(read, operand_or_none(result, 1));
}

using Rule = Value (*)(Value result, int i, Value gradient);

/// The rule of a kind; nullptr if no gradient passes.
Rule rule_of(NodeKind kind) {
    switch (kind) {
        case NodeKind::op: return &op_gradient;
        case NodeKind::reduce: return &reduce_gradient;
        case NodeKind::scan: return &scan_gradient;
        case NodeKind::to_dense:
        case NodeKind::cast: return &cast_gradient;
        case NodeKind::on: return &on_gradient;
        case NodeKind::view: return &view_gradient;
        case NodeKind::scatter_view: return &scatter_view_gradient;
        case NodeKind::reshape: return &reshape_gradient;
        case NodeKind::cat: return &cat_gradient;
        case NodeKind::gather: return &gather_gradient;
        case NodeKind::scatter: return &scatter_gradient;
        case NodeKind::constant:
        case NodeKind::symbol:
        case NodeKind::updated:
        case NodeKind::mask_of:
        case NodeKind::size:
        case NodeKind::coordinate: break;
    }
    return nullptr;
}

/// True if operand `i` provides values: masks, indices and conditions do not.
bool is_value(const Node& node, int i) {
    if (node.kind == NodeKind::cat) return true;
    if (node.kind != NodeKind::op) return i != 1 && (i == 0 || info_of(node.kind).accumulates);
    return info_of(node.op).differentiable() && i >= info_of(node.op).parameters;
}

bool is_smooth(const Node& node) {
    if (!is_along_dims(node.kind)) return true;
    return node.reduction == Reduction::sum || node.reduction == Reduction::prod ||
           node.reduction == Reduction::contract || node.reduction == Reduction::amin ||
           node.reduction == Reduction::amax;
}

}  // namespace

bool passes_gradient(const GraphBuilder& graph, const Node& node, int i) {
    const Node& input = graph[node.operands[at(i)]];
    const auto carries = [](const Node& one) { return info_of(one.dtype).is_float && !one.is_host_scalar; };
    return rule_of(node.kind) != nullptr && node.path != GradientPath::none && carries(node) &&
           carries(input) && is_value(node, i) && is_smooth(node);
}

Value operand_gradient(Value result, int i, Value gradient) {
    return rule_of(result.node().kind)(result, i, gradient);
}

}  // namespace frisket::ir
