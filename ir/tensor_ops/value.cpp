// SPDX-License-Identifier: MIT
#include "value.hpp"

#include <algorithm>
#include <utility>

namespace frisket::ir {

Value apply(OpId op, std::initializer_list<Value> operands, MaskMode mode) {
    std::vector<NodeId> ids;
    ids.reserve(operands.size());
    for (const Value& operand : operands) ids.push_back(operand.id);
    GraphBuilder& graph = *operands.begin()->graph;
    return {&graph, graph.apply(op, ids, mode)};
}

Value cast(Value x, DType dtype) {
    const Node& node = x.node();
    if (!node.is_host_scalar && node.dtype == dtype) return x;
    return {x.graph, x.graph->add({.kind = NodeKind::cast,
                                   .dtype = dtype,
                                   .operands = {x.id},
                                   .mask = node.mask,
                                   .shape = node.shape})};
}

Value clamp(Value x, std::optional<Value> low, std::optional<Value> high) {
    if (low) x = apply<op::Maximum>({x, *low});
    return high ? apply<op::Minimum>({x, *high}) : x;
}

Value choose(Value condition, Value x, Value y) {
    Node node = where(condition, x, y).node();
    node.path = GradientPath::everywhere;
    return {x.graph, x.graph->add(node)};
}

Value nan_to_num(Value x, Value nan, Value positive_infinity, Value negative_infinity) {
    if (!info_of(x.dtype()).is_float) return x;
    const Value infinity = number(*x.graph, std::numeric_limits<double>::infinity());
    const Value below = choose(apply<op::Eq>({x, infinity}), positive_infinity, x);
    const Value finite = choose(apply<op::Eq>({x, -infinity}), negative_infinity, below);
    return choose(apply<op::Ne>({x, x}), nan, finite);
}

Value mask_of(Value x) {
    if (x.is_masked()) return broadcast_to({x.graph, x.node().mask}, x.shape());
    const Shape shape = x.shape();
    return broadcast_to(cast(number(*x.graph, true), DType::boolean), shape);
}

std::optional<Value> mask_or_none(Value x) {
    if (!x.is_masked()) return {};
    return mask_of(x);
}

Value to_dense(Value x, Value fill, GradientPath path) {
    return {x.graph, x.graph->to_dense(x.id, fill.id, path)};
}

Value detach(Value x) {
    const Node node = x.node();
    return {x.graph, x.graph->add({.kind = NodeKind::cast,
                                   .dtype = node.dtype,
                                   .operands = {x.id},
                                   .mask = node.mask,
                                   .shape = node.shape,
                                   .path = GradientPath::none})};
}

Value on(Value masked, Value x) { return {x.graph, x.graph->on(masked.id, x.id)}; }

Value bare(Value x) {
    const Node& node = x.node();
    if (node.mask == no_node) return x;
    return {
        x.graph,
        x.graph->add({.kind = NodeKind::cast, .dtype = node.dtype, .operands = {x.id}, .shape = node.shape})};
}

Value with_mask(Value x, std::optional<Value> mask) {
    if (!mask) return bare(x);
    const Node& node = x.node();
    if (node.mask == mask->id) return x;
    return {x.graph, x.graph->add({.kind = NodeKind::on,
                                   .dtype = node.result_dtype(),
                                   .operands = {x.id, mask->id},
                                   .mask = mask->id,
                                   .shape = node.shape})};
}

Value restrict(Value x, Value mask) {
    if (mask.dtype() != DType::boolean)
        x.graph->fail(ErrorCode::dtype, "a mask is " + std::string(name_of(mask.dtype())) +
                                            ", wanted bool: write a comparison, x != 0");
    if (!broadcasts_to(mask.shape(), x.shape()))
        x.graph->fail(ErrorCode::shape, "a mask has shape " + to_string(mask.shape()) + ", its data has " +
                                            to_string(x.shape()) + ": the mask broadcasts to the data");
    const Value plain = to_dense(mask, number(*x.graph, false));
    if (const auto own = mask_or_none(x))
        return with_mask(x, Value{x.graph, x.graph->both(own->id, plain.id)});
    return with_mask(x, plain);
}

void require_none(Value bad, ErrorCode code, const std::string& text, Value value) {
    bad.graph->check(code, bad.id, bad.node().mask, text, value.id);
}

void note_call(NodeId result, std::string_view name, const std::vector<Value>& operands) {
    if (operands.empty()) return;
    std::vector<NodeId> ids;
    ids.reserve(operands.size());
    for (const Value& operand : operands) ids.push_back(operand.id);
    operands[0].graph->note_call(result, name, std::move(ids));
}

int checked_dim(GraphBuilder& graph, int dim, int rank, std::string_view operation) {
    if (dim < -std::max(rank, 1) || dim >= std::max(rank, 1))
        graph.fail(ErrorCode::dim, std::string(operation) + " along dim " + std::to_string(dim) +
                                       " of a tensor of rank " + std::to_string(rank) +
                                       ": dims are 0 to rank - 1, or -rank to -1 counted from the end");
    return dim < 0 ? dim + std::max(rank, 1) : dim;
}

std::vector<int> checked_dims(GraphBuilder& graph, const Dims& dims, int rank, std::string_view operation) {
    std::vector<int> checked;
    if (!dims) {
        for (int dim = 0; dim < rank; ++dim) checked.push_back(dim);
        return checked;
    }
    for (const int dim : *dims) checked.push_back(checked_dim(graph, dim, rank, operation));
    std::ranges::sort(checked);
    if (const auto twice = std::ranges::adjacent_find(checked); twice != checked.end())
        graph.fail(ErrorCode::dim, std::string(operation) + " names dim " + std::to_string(*twice) +
                                       " twice: name each dimension once");
    if (rank == 0) checked.clear();
    return checked;
}

void require_elements(Value x, const Dims& dims, std::string_view operation) {
    if (x.is_masked()) return;
    for (const int dim : checked_dims(*x.graph, dims, x.rank(), operation)) {
        if (x.shape()[static_cast<std::size_t>(dim)] != 0) continue;
        x.graph->fail(ErrorCode::identity,
                      std::string(operation) + " of shape " + to_string(x.shape()) + " along dim " +
                          std::to_string(dim) +
                          ": there is no element and no identity, wanted one element or more; write "
                          "masked(x, mask), whose result is masked where a slice has none");
    }
}

}  // namespace frisket::ir
