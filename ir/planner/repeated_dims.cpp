// SPDX-License-Identifier: MIT
#include "repeated_dims.hpp"

#include "../at.hpp"
#include "../passes/simplify.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

using ir::at;

namespace {

bool is_idempotent(Reduction reduction) {
    return reduction == Reduction::any || reduction == Reduction::all || reduction == Reduction::amax ||
           reduction == Reduction::amin;
}

/// True of a reduction that repeated elements do not change.
bool is_plain_reduction(const Node& node) {
    return node.kind == NodeKind::reduce && is_idempotent(node.reduction) && node.operands[1] == no_node;
}

}  // namespace

bool is_identity(const Node& view) {
    const std::size_t rank = view.shape.size();
    if (view.kind != NodeKind::view || !view.offsets.empty()) return false;
    for (std::size_t i = 0; i < view.attributes.size(); ++i)
        if (view.shape[i % rank] != 1 && view.attributes[i] != (i / rank == i % rank ? 1 : 0)) return false;
    return true;
}

std::uint64_t RepeatedDims::dims(NodeId id) {
    for (auto next = static_cast<NodeId>(known_.size()); next <= id; ++next)
        known_.push_back(dims_of(to_[next]));
    return known_[at(id)];
}

std::uint64_t RepeatedDims::dims_of(const Node& node) {
    const auto bit = [](std::size_t dim) { return std::uint64_t{1} << dim; };
    const auto varies_in = [&](NodeId id, std::size_t dim) { return (known_[at(id)] & bit(dim)) != 0; };
    const std::size_t rank = node.shape.size();
    std::uint64_t all = 0, found = 0;
    for (std::size_t j = 0; j < rank; ++j)
        if (node.shape[j] != 1) all |= bit(j);
    if (node.kind == NodeKind::view) {
        for (std::size_t i = 0; i < node.attributes.size(); ++i)
            if (node.attributes[i] != 0 && varies_in(node.operands[0], i / rank)) found |= bit(i % rank);
    } else if (node.kind == NodeKind::coordinate) {
        found = bit(at(node.attributes[0]));
    } else if (node.kind == NodeKind::mask_of) {
        found = lists_rows_(node.symbol) ? bit(0) : all;
    } else if (is_plain_reduction(node)) {
        const std::size_t before = to_[node.operands[0]].shape.size();
        for (std::size_t d = 0, j = 0; d < before; ++d) {
            if (std::ranges::find(node.attributes, static_cast<std::int64_t>(d)) != node.attributes.end())
                continue;
            if (varies_in(node.operands[0], d)) found |= bit(j);
            ++j;
        }
    } else if (is_elementwise(node.kind) && node.symbol < 0) {
        ir::for_each_id(node, [&](NodeId operand) {
            if (operand == no_node) return;
            found |= known_[at(operand)] << (rank - to_[operand].shape.size());
            if (node.kind == NodeKind::to_dense && to_[operand].mask != no_node)
                found |= known_[at(to_[operand].mask)] << (rank - to_[operand].shape.size());
        });
    } else {
        found = all;
    }
    return found & all;
}

bool RepeatedDims::is_repeated(NodeId id) {
    const Node& node = to_[id];
    if (node.is_host_scalar || node.mask != no_node) return false;
    for (std::size_t j = 0; j < node.shape.size(); ++j)
        if (node.shape[j] > 1 && !varies(id, j)) return true;
    return false;
}

NodeId RepeatedDims::view(Node node) {
    while (to_[node.operands[0]].kind == NodeKind::view && to_[node.operands[0]].mask == no_node) {
        const Node& shown = to_[node.operands[0]];
        node = ir::composed(node, shown, to_[shown.operands[0]].shape.size());
    }
    if (node.offsets.empty()) {
        const Shape& shown = to_[node.operands[0]].shape;
        if (shown == node.shape && is_identity(node)) return node.operands[0];
    }
    return to_.add(std::move(node));
}

NodeId RepeatedDims::once(NodeId id) {
    if (!is_repeated(id)) return id;
    Node node = to_[id];
    const Shape whole = node.shape;
    for (std::size_t j = 0; j < whole.size(); ++j)
        if (whole[j] > 1 && !varies(id, j)) node.shape[j] = 1;
    if (node.kind == NodeKind::view) {
        const NodeId shown = view(std::move(node));
        const bool is_of_one = to_[shown].kind == NodeKind::view && to_[to_[shown].operands[0]].shape.empty();
        return is_of_one ? to_[shown].operands[0] : shown;
    }
    if (node.kind == NodeKind::coordinate) return to_.add(std::move(node));
    if (node.kind == NodeKind::mask_of) {
        const std::size_t rank = whole.size();
        Node first{.kind = NodeKind::view, .dtype = DType::boolean, .operands = {id}, .shape = node.shape};
        first.attributes.assign(rank * rank, 0);
        for (std::size_t d = 0; d < rank; ++d)
            first.attributes[d * rank + d] = node.shape[d] == whole[d] ? 1 : 0;
        return to_.add(std::move(first));
    }
    const bool is_op = node.kind == NodeKind::op || node.kind == NodeKind::cast;
    if (!is_op && !is_plain_reduction(node)) return id;
    for (NodeId& operand : node.operands)
        if (operand != no_node && to_[operand].mask != no_node) return id;
    for (NodeId& operand : node.operands)
        if (operand != no_node) operand = once(operand);
    return to_.add(std::move(node));
}

NodeId RepeatedDims::repeated(NodeId id, const Shape& shape, const std::vector<std::size_t>& dims) {
    const Node& node = to_[id];
    const std::size_t rank = shape.size();
    Node made{.kind = NodeKind::view, .dtype = node.dtype, .operands = {id}, .shape = shape};
    made.attributes.assign(dims.size() * rank, 0);
    for (std::size_t d = 0; d < dims.size(); ++d)
        made.attributes[d * rank + dims[d]] = node.shape[d] == shape[dims[d]] ? 1 : 0;
    return view(std::move(made));
}

NodeId RepeatedDims::both(NodeId a, NodeId b) {
    if (a == no_node) return b;
    Shape shape = to_[a].shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] == 1) shape[d] = to_[b].shape[d];
    return to_.add({.kind = NodeKind::op,
                    .op = op_id<op::LogicalAnd>,
                    .dtype = DType::boolean,
                    .operands = {a, b},
                    .shape = std::move(shape)});
}

NodeId RepeatedDims::with_dims(NodeId id, const std::vector<std::size_t>& left) {
    Node node = to_[id];
    if (left.size() == node.shape.size()) return id;
    const auto has_rank = [&](NodeId operand) {
        return operand == no_node || to_[operand].is_host_scalar ||
               to_[operand].shape.size() == node.shape.size();
    };
    const bool is_op =
        node.kind == NodeKind::op && node.mask == no_node && std::ranges::all_of(node.operands, has_rank);
    Shape shape;
    for (const std::size_t d : left) shape.push_back(node.shape[d]);
    if (is_op) {
        for (NodeId& operand : node.operands)
            if (operand != no_node && !to_[operand].is_host_scalar) operand = with_dims(operand, left);
        node.shape = std::move(shape);
        return to_.add(std::move(node));
    }
    const std::size_t rank = left.size();
    Node made{.kind = NodeKind::view, .dtype = node.dtype, .operands = {id}, .shape = std::move(shape)};
    made.attributes.assign(node.shape.size() * rank, 0);
    for (std::size_t j = 0; j < rank; ++j) made.attributes[left[j] * rank + j] = 1;
    return view(std::move(made));
}

}  // namespace frisket::planning
