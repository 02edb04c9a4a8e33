// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "expression_lowerer.hpp"

#include <algorithm>
#include <tuple>

namespace frisket::codegen {

using Halide::Expr;
using lowering::Value;

namespace {

/// On a device it has one dimension more, for its origin (runtime/kernel/loop_arguments.hpp).
Halide::ImageParam image(DType dtype, int rank, const std::string& name, bool is_rows, bool on_device) {
    Halide::ImageParam param(lowering::memory_type(dtype), on_device ? rank + 1 : rank, name);
    if (on_device) param.dim(rank).set_min(0);
    if (on_device && rank == 0) param.dim(0).set_stride(Expr());
    for (int dim = 0; dim < rank; ++dim) {
        param.dim(dim).set_min(0);
        if (dim == 0 && !is_rows) param.dim(0).set_stride(Expr());
    }
    return param;
}

/// An index into an input as Halide has it, innermost first.
std::vector<Expr> in_image(const Index& index, bool on_device) {
    std::vector<Expr> all(index.rbegin(), index.rend());
    if (on_device) all.emplace_back(1);
    return all;
}

bool contains(const std::vector<NodeId>& ids, NodeId id) { return std::ranges::find(ids, id) != ids.end(); }

Expr clamped(const Expr& index, const Expr& extent) { return Halide::max(Halide::min(index, extent - 1), 0); }

}  // namespace

ExpressionLowerer::ExpressionLowerer(const LoopRequest& request, bool on_device)
    : graph_(request.graph),
      form_(request.form),
      on_device_(on_device),
      extents_(graph_, form_.inputs),
      numbers_(request.numbers),
      of_call_(form_.numbers.begin(), form_.numbers.end()),
      values_(graph_.symbols.size()),
      masks_(graph_.symbols.size()),
      is_single_(graph_.symbols.size()),
      shaped_(graph_.symbols.size(), no_node),
      groups_(graph_, extents_),
      rows_(graph_, extents_, groups_, form_.numbers, form_.schedule.row_stages),
      in_memory_(nodes_to_store(graph_, groups_, rows_, form_.schedule.inlined)) {
    list_ = image(DType::int32, 1, "list", true, on_device);
    for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes.size()); ++id) {
        if (is_joined_in_rows(id)) in_memory_.insert(id);
        const Node& node = graph_[id];
        if (node.symbol < 0 || node.is_host_scalar || values_[node.symbol].defined()) continue;
        const InputForm& input = form_.inputs[node.symbol];
        const Symbol& symbol = graph_.symbols[node.symbol];
        const int rank = static_cast<int>(node.shape.size());
        is_single_[node.symbol] = std::ranges::all_of(node.shape, [](auto extent) { return extent == 1; });
        shaped_[node.symbol] = id;
        values_[node.symbol] = image(symbol.dtype, input.is_ranked ? 1 : rank, symbol.name + "_",
                                     input.values_are_rows, on_device);
        if (input.has_mask)
            masks_[node.symbol] = image(input.mask_is_bits ? DType::int64 : DType::boolean,
                                        input.mask_is_in_line || input.is_ranked ? 1 : rank,
                                        symbol.name + "_mask", input.mask_is_rows, on_device);
    }
}

std::vector<Halide::Argument> ExpressionLowerer::arguments(const kernel_calls::LoopAbi& abi) const {
    std::vector<Halide::Argument> arguments{lowering::opaque_zero()};
    for (const kernel_calls::LoopParameter& parameter : abi) {
        const auto i = static_cast<std::size_t>(parameter.index);
        switch (parameter.role) {
            case kernel_calls::LoopRole::number: arguments.push_back(numbers_[i]); break;
            case kernel_calls::LoopRole::size: arguments.push_back(size_params_[i]); break;
            case kernel_calls::LoopRole::list: arguments.push_back(list_); break;
            case kernel_calls::LoopRole::values: arguments.push_back(values_[i]); break;
            case kernel_calls::LoopRole::mask: arguments.push_back(masks_[i]); break;
            default: break;  // outputs are the pipeline's
        }
    }
    return arguments;
}

std::vector<StoredNode> ExpressionLowerer::stored_nodes() const {
    std::vector<StoredNode> all;
    for (const auto& [id, made] : stored_)
        all.push_back({.id = id, .dtype = made.dtype, .is_in_rows = rows_.contains(id)});
    return all;
}

std::vector<Halide::Var> ExpressionLowerer::variables(const Shape& shape) {
    std::vector<Halide::Var> variables;
    for (std::size_t i = 0; i < shape.size(); ++i) variables.emplace_back("i" + std::to_string(i) + "_");
    return variables;
}

IndexTuple ExpressionLowerer::pure(const Shape& shape) {
    const auto all = variables(shape);
    return std::make_shared<const Index>(all.rbegin(), all.rend());
}

Expr ExpressionLowerer::size(SizeSlot slot) {
    for (std::size_t i = 0; i < sizes_.size(); ++i)
        if (sizes_[i] == slot) return size_params_[i];
    sizes_.push_back(slot);
    size_params_.emplace_back("size_" + std::to_string(size_params_.size()));
    return size_params_.back();
}

Expr ExpressionLowerer::extent(NodeId id, int dim) {
    if (graph_[id].shape[dim] == 1) return 1;
    return size(extents_.representative(id, dim));
}

Expr ExpressionLowerer::offset(NodeId id, int index) {
    return size({.node = id, .kind = SizeSlot::Kind::offset, .index = index});
}

Expr ExpressionLowerer::step(NodeId id, std::size_t index) {
    const auto at = static_cast<int>(index);
    if (of_call_.contains({id, at})) return size({.node = id, .kind = SizeSlot::Kind::step, .index = at});
    return static_cast<int>(graph_[id].attributes[index]);
}

Value ExpressionLowerer::load(int symbol, const IndexTuple& place) {
    const Halide::ImageParam& values = values_[symbol];
    Index index = form_.inputs[symbol].is_ranked ? Index{ranked(symbol, *place).entry} : *place;
    if (form_.inputs[symbol].by_list)
        index[0] = lowering::clamped(list_(in_image({index[0]}, on_device_)),
                                     values.dim(static_cast<int>(index.size()) - 1).extent());
    const Expr loaded = lowering::with_variable(values(in_image(index, on_device_)), is_single_[symbol]);
    return lowering::from_memory(loaded, graph_.symbols[symbol].dtype);
}

Expr ExpressionLowerer::position_of(int symbol, const Index& place) {
    Expr position = place.empty() ? Expr(0) : place[0];
    for (std::size_t d = 1; d < place.size(); ++d)
        position = position * extent(shaped_[symbol], static_cast<int>(d)) + place[d];
    return position;
}

Expr ExpressionLowerer::word_at(int symbol, const Expr& index) const {
    // Its bounds are not found from the bounds of the indices.
    const Expr inside = lowering::clamped(index, masks_[symbol].dim(0).extent());
    const Expr loaded = masks_[symbol](in_image({inside}, on_device_));
    return Halide::cast<std::uint64_t>(lowering::with_variable(loaded, is_single_[symbol]));
}

RankedElement ExpressionLowerer::ranked(int symbol, const Index& place) {
    const Expr position = position_of(symbol, place);
    return ranked_element(word_at(symbol, position / 32), position % 32, values_[symbol].dim(0).extent());
}

Value ExpressionLowerer::specified(int symbol, const IndexTuple& place) {
    if (!masks_[symbol].defined()) return {Halide::Internal::const_true()};
    const InputForm& form = form_.inputs[symbol];
    if (form.is_ranked) return {ranked(symbol, *place).is_stored};
    if (form.mask_is_in_line) {
        const Expr position = position_of(symbol, *place);
        return {lowering::bit_of(word_at(symbol, position / 64), position % 64)};
    }
    if (!form.mask_is_bits)
        return {lowering::with_variable(masks_[symbol](in_image(*place, on_device_)), is_single_[symbol]) !=
                Halide::cast<std::uint8_t>(0)};
    Index of_word = *place;
    const Expr bit = of_word.back() % 64;
    of_word.back() = of_word.back() / 64;
    return {lowering::bit_of(Halide::cast<std::uint64_t>(lowering::with_variable(
                                 masks_[symbol](in_image(of_word, on_device_)), is_single_[symbol])),
                             bit)};
}

// Extents that are 1 where the reader's are not are read at 0; leading dimensions fall away.
IndexTuple ExpressionLowerer::broadcast_index(NodeId operand, const Shape& shape, const IndexTuple& place) {
    const Shape& own = graph_[operand].shape;
    const std::size_t added = shape.size() - own.size();
    std::vector<bool> repeated(shape.size(), true);
    bool changes = added > 0;
    for (std::size_t d = 0; d < own.size(); ++d) {
        repeated[d + added] = own[d] == 1 && shape[d + added] != 1;
        changes = changes || repeated[d + added];
    }
    if (!changes) return place;
    // The rank is part of the key: a dropped dimension differs from a dimension that is read at 0.
    repeated.resize(shape.size() + own.size());
    IndexTuple& seen = broadcast_[{repeated, place}];
    if (!seen) {
        Index index;
        for (std::size_t d = 0; d < own.size(); ++d)
            index.push_back(repeated[d + added] ? Expr(0) : (*place)[d + added]);
        seen = std::make_shared<const Index>(std::move(index));
    }
    return seen;
}

Value ExpressionLowerer::read(NodeId id, DType dtype, const IndexTuple& place) {
    const Node& node = graph_[id];
    if (!node.is_host_scalar) return lowering::convert(at(id, place), dtype);
    const bool is_known = node.kind == NodeKind::constant && !of_call_.contains({.node = id});
    if (is_known) return constant_of(node, dtype);
    Value number = numbers_.read(id, dtype);
    number.is_never_nan = contains(form_.not_nan, id);
    return number;
}

Value ExpressionLowerer::operand(const Node& node, int i, const IndexTuple& place) {
    const NodeId id = node.operands[i];
    return read(id, operand_dtype(graph_, node, i), broadcast_index(id, node.shape, place));
}

Value ExpressionLowerer::moved(const Node& node, const IndexTuple& from) {
    return read(node.operands[0], operand_dtype(graph_, node, 0), from);
}

Value ExpressionLowerer::at(NodeId id, const IndexTuple& place) {
    const std::pair key{id, place};
    if (const auto known = memo_.find(key); known != memo_.end()) return known->second;
    const bool is_tile = id != no_node && id == rows_.product_of_result();
    const Value value = is_tile ? lowering::convert(tile_of_result(id, graph_[id]), graph_[id].dtype)
                        : in_memory_.contains(id) ? from_stored(id, place)
                                                  : make(id, place);
    memo_.emplace(key, value);
    return value;
}

Value ExpressionLowerer::make(NodeId id, const IndexTuple& place) {
    const Node& node = graph_[id];
    if (node.kind == NodeKind::symbol) return load(node.symbol, place);
    if (node.kind == NodeKind::mask_of) return specified(node.symbol, place);
    if (!is_elementwise(node.kind)) return structure(id, node, place);
    return lower_elementwise(
        graph_, node, [&](int i) { return operand(node, i, place); },
        [&](NodeId mask) { return at(mask, broadcast_index(mask, node.shape, place)); });
}

Value ExpressionLowerer::structure(NodeId id, const Node& node, const IndexTuple& place) {
    switch (node.kind) {
        case NodeKind::size: return {Halide::cast<std::int64_t>(offset(id, 0))};
        case NodeKind::coordinate: return {Halide::cast<std::int64_t>((*place)[node.attributes[0]])};
        case NodeKind::view: return moved(node, place_of_view(id, node, place));
        case NodeKind::reshape: return moved(node, place_of_reshape(id, node, place));
        case NodeKind::gather: return moved(node, place_of_gather(node, place));
        case NodeKind::cat: return joined(node, place);
        default: break;
    }
    return from_stored(id, place);
}

Value ExpressionLowerer::from_stored(NodeId id, const IndexTuple& place) {
    const Stored& made = stored(id);
    return lowering::convert(lowering::from_memory(load(made, place), made.dtype), graph_[id].dtype);
}

IndexTuple ExpressionLowerer::place_of_view(NodeId id, const Node& node, const IndexTuple& place) {
    IndexTuple& moved = moved_[{id, place}];
    if (moved) return moved;
    Index index;
    const std::size_t rank = node.shape.size();
    for (std::size_t d = 0; d < graph_[node.operands[0]].shape.size(); ++d) {
        Expr at = node.offsets.empty() ? Expr(0) : offset(id, static_cast<int>(d));
        for (std::size_t j = 0; j < rank; ++j) {
            const std::size_t i = d * rank + j;
            if (node.attributes[i] != 0) at = at + (*place)[j] * step(id, i);
        }
        index.push_back(at);
    }
    return moved = std::make_shared<const Index>(std::move(index));
}

/// An index divided by an extent: the quotient, and the rest.  Processors divide a vector of integers lane by
/// lane; the product with the reciprocal of the extent is exact, as indices have 31 bits and float64 has 52.
std::pair<Expr, Expr> ExpressionLowerer::divided(const Expr& index, const Expr& extent) const {
    // Halide loses the vectors of a scan whose memory is read at such an index.
    const auto is_scan = [](const Node& node) { return node.kind == NodeKind::scan; };
    if (on_device_ || std::ranges::any_of(graph_.nodes, is_scan)) return {index / extent, index % extent};
    const Expr half = Halide::Internal::make_const(Halide::Float(64), 0.5),
               reciprocal = Halide::Internal::make_const(Halide::Float(64), 1) / Halide::cast<double>(extent);
    const Expr quotient = Halide::cast<int>((Halide::cast<double>(index) + half) * reciprocal);
    return {quotient, Halide::unsafe_promise_clamped(index - quotient * extent, 0, extent - 1)};
}

IndexTuple ExpressionLowerer::place_of_reshape(NodeId id, const Node& node, const IndexTuple& place) {
    IndexTuple& moved = moved_[{id, place}];
    if (moved) return moved;
    Expr position = 0;
    for (int d = 0; d < static_cast<int>(node.shape.size()); ++d)
        position = position * extent(id, d) + (*place)[d];
    const NodeId from = node.operands[0];
    Index index(graph_[from].shape.size());
    for (int d = static_cast<int>(index.size()); d-- > 1;)
        std::tie(position, index[d]) = divided(position, extent(from, d));
    if (!index.empty()) index[0] = position;
    return moved = std::make_shared<const Index>(std::move(index));
}

IndexTuple ExpressionLowerer::place_of_gather(const Node& node, const IndexTuple& place) {
    Index index;
    for (int d = 0; d < static_cast<int>(node.attributes.size()); ++d) {
        const auto from = static_cast<int>(node.attributes[d]);
        if (from >= 0) {
            index.push_back((*place)[from]);
            continue;
        }
        const Value found = operand(node, -from, place);
        index.push_back(clamped(Halide::cast<int>(found.expr), extent(node.operands[0], d)));
    }
    return std::make_shared<const Index>(std::move(index));
}

Value ExpressionLowerer::joined(const Node& node, const IndexTuple& place) {
    const auto dim = static_cast<int>(node.attributes[0]);
    std::optional<Value> result;
    Expr end = 0;
    for (int i = 0; i < static_cast<int>(node.operands.size()); ++i) {
        const NodeId part = node.operands[i];
        const Expr start = end, size = extent(part, dim);
        end = end + size;
        Index index = *place;
        index[dim] = clamped((*place)[dim] - start, size);
        const auto there = std::make_shared<const Index>(std::move(index));
        const Value here = read(part, node.dtype, there);
        result = result ? lowering::select({(*place)[dim] < start}, *result, here) : here;
    }
    return *result;
}

}  // namespace frisket::codegen
