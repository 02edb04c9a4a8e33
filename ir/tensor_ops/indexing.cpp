// SPDX-License-Identifier: MIT
#include "value.hpp"

#include <algorithm>

#include "../at.hpp"

namespace frisket::ir {

using ir::at;

namespace {

Value extent_of(Value x, int dim) {
    return {
        x.graph,
        x.graph->add(
            {.kind = NodeKind::size, .dtype = DType::int64, .offsets = {x.shape()[at(dim)]}, .shape = {}})};
}

/// The indices of a dimension, for messages: "extent 3: wanted -3 to 2".
std::string range_text(std::int64_t extent, bool negative) {
    const std::string all = "extent " + std::to_string(extent) + ": ";
    if (extent == 0) return all + "it has no index";
    return all + "wanted " + std::to_string(negative ? -extent : 0) + " to " + std::to_string(extent - 1);
}

/// An index tensor that is safe to read with: int64, dense, in range.
Value checked_index(Value x, int dim, Value index, bool negative, std::string_view operation) {
    GraphBuilder& graph = *x.graph;
    if (info_of(index.dtype()).is_float || index.dtype() == DType::boolean)
        graph.fail(ErrorCode::dtype, std::string(operation) + " by an index of " +
                                         std::string(name_of(index.dtype())) + ", wanted int64 or int32");
    const Value wide = cast(index, DType::int64), zero = number(graph, std::int64_t{0});
    const Value extent = extent_of(x, dim), least = negative ? -extent : zero;
    const Value is_bad = apply<op::LogicalOr>({apply<op::Lt>({wide, least}), apply<op::Ge>({wide, extent})});
    require_none(is_bad, ErrorCode::index,
                 std::string(operation) + " along dim " + std::to_string(dim) + " of shape " +
                     to_string(x.shape()) + ": index {value} at {} is out of range for " +
                     range_text(x.shape()[at(dim)], negative),
                 wide);
    const Value dense = to_dense(wide, zero);
    return negative ? where(apply<op::Lt>({dense, zero}), dense + extent, dense) : dense;
}

/// x read at indices that have the shape of the result, or broadcast to it; see NodeKind::gather.  Masked
/// indices give masked elements.
Value take(Value x, const std::vector<Value>& indices, std::vector<std::int64_t> attributes, Shape shape,
           const std::vector<std::optional<Value>>& index_masks) {
    const auto node = [&](NodeId read, DType dtype) {
        Node made{.kind = NodeKind::gather, .dtype = dtype, .operands = {read}};
        for (const Value& index : indices) made.operands.push_back(index.id);
        made.attributes = attributes;
        made.shape = shape;
        return made;
    };
    Node values = node(x.id, x.node().result_dtype());
    if (const auto mask = mask_or_none(x)) values.mask = x.graph->add(node(mask->id, DType::boolean));
    Value result{x.graph, x.graph->add(values)};
    for (const auto& mask : index_masks)
        if (mask) result = restrict(result, *mask);
    return result;
}

/// Dimensions of extent 1 put around the dimensions of x: `lead` before and `trail` after.
Value between(Value x, int lead, int trail) {
    Shape shape(at(lead), 1);
    const Shape own = x.shape();
    shape.insert(shape.end(), own.begin(), own.end());
    shape.insert(shape.end(), at(trail), 1);
    return reshape(x, shape);
}

/// matmul of tensors of these ranks.
Value product(std::string_view name, Value a, int rank_a, Value b, int rank_b) {
    if (a.rank() != rank_a || b.rank() != rank_b)
        a.graph->fail(ErrorCode::shape, std::string(name) + " of shapes " + to_string(a.shape()) + " and " +
                                            to_string(b.shape()) + ": wanted ranks " +
                                            std::to_string(rank_a) + " and " + std::to_string(rank_b) +
                                            ", write matmul(a, b) for others");
    return matmul(a, b);
}

}  // namespace

Value index_select(Value x, int dim, Value index) {
    dim = checked_dim(*x.graph, dim, x.rank(), "index_select");
    if (index.rank() > 1)
        x.graph->fail(ErrorCode::shape, "index_select by an index of shape " + to_string(index.shape()) +
                                            ": wanted one dimension, write reshape(index, {-1})");
    if (x.rank() == 0) x.graph->fail(ErrorCode::dim, "index_select of a tensor of rank 0");
    if (index.rank() == 0) index = reshape(index, {1});
    Shape shape = x.shape();
    shape[at(dim)] = index.shape()[0];
    std::vector<std::int64_t> attributes;
    attributes.reserve(at(x.rank()));
    for (int d = 0; d < x.rank(); ++d) attributes.push_back(d == dim ? -1 : d);
    const auto spread = [&](Value e) { return between(e, dim, x.rank() - dim - 1); };
    std::optional<Value> mask;
    if (const auto own = mask_or_none(index)) mask = spread(*own);
    return take(x, {spread(checked_index(x, dim, index, false, "index_select"))}, attributes, shape, {mask});
}

Value index(Value x, const std::vector<Value>& indices) {
    const int count = static_cast<int>(indices.size());
    if (count > x.rank())
        x.graph->fail(ErrorCode::index, "indexing by " + std::to_string(count) + " tensors, and there are " +
                                            std::to_string(x.rank()) + " dimensions");
    Shape common;
    for (const Value& one : indices) common = broadcast(common, one.shape());
    Shape shape = common;
    const Shape own = x.shape();
    shape.insert(shape.end(), own.begin() + count, own.end());
    const int trail = x.rank() - count;
    std::vector<std::int64_t> attributes;
    std::vector<Value> spread;
    std::vector<std::optional<Value>> masks;
    for (int d = 0; d < count; ++d) {
        attributes.push_back(-1 - d);
        spread.push_back(between(checked_index(x, d, indices[at(d)], true, "indexing"), 0, trail));
        const auto mask = mask_or_none(indices[at(d)]);
        masks.push_back(mask ? std::optional(between(*mask, 0, trail)) : mask);
    }
    for (int d = count; d < x.rank(); ++d)
        attributes.push_back(static_cast<std::int64_t>(common.size()) + d - count);
    return take(x, spread, attributes, shape, masks);
}

Value gather(Value x, int dim, Value index) {
    dim = checked_dim(*x.graph, dim, x.rank(), "gather");
    bool fits = index.rank() == x.rank();
    for (int d = 0; fits && d < x.rank(); ++d) fits = d == dim || index.shape()[at(d)] <= x.shape()[at(d)];
    if (!fits)
        x.graph->fail(ErrorCode::shape, "gather along dim " + std::to_string(dim) + " of shape " +
                                            to_string(x.shape()) + " by an index of shape " +
                                            to_string(index.shape()) +
                                            ": the index has the same rank, and no larger extent elsewhere");
    std::vector<std::int64_t> attributes;
    attributes.reserve(at(x.rank()));
    for (int d = 0; d < x.rank(); ++d) attributes.push_back(d == dim ? -1 : d);
    return take(x, {checked_index(x, dim, index, false, "gather")}, attributes, index.shape(),
                {mask_or_none(index)});
}

Value at_positions(Value x, Value positions, int dims) {
    Shape shape{-1};
    const Shape own = x.shape();
    shape.insert(shape.end(), own.begin() + dims, own.end());
    std::int64_t leading = 1;
    for (int d = 0; d < dims; ++d) leading *= x.shape()[at(d)];
    shape[0] = leading;
    return index_select(reshape(x, shape), 0, positions);
}

Value cat(const std::vector<Value>& parts, int dim) {
    GraphBuilder& graph = *parts.at(0).graph;
    const Value& first = parts[0];
    dim = checked_dim(graph, dim, first.rank(), "cat");
    if (first.rank() == 0) graph.fail(ErrorCode::dim, "cat of tensors of rank 0: write stack(...)");
    ElementType common = first.node().type();
    Shape shape = first.shape();
    shape[at(dim)] = 0;
    bool is_masked = false;
    for (const Value& part : parts) {
        Shape others = part.shape();
        if (part.rank() == first.rank()) others[at(dim)] = first.shape()[at(dim)];
        if (others != first.shape())
            graph.fail(ErrorCode::shape, "cat along dim " + std::to_string(dim) + " of shapes " +
                                             to_string(first.shape()) + " and " + to_string(part.shape()) +
                                             ": all other extents are equal");
        common = promote(common, part.node().type());
        shape[at(dim)] += part.shape()[at(dim)];
        is_masked = is_masked || part.is_masked();
    }
    Node values{.kind = NodeKind::cat, .dtype = common.dtype}, masks{.kind = NodeKind::cat};
    masks.dtype = DType::boolean;
    values.attributes = masks.attributes = {dim};
    values.shape = masks.shape = shape;
    for (const Value& part : parts) {
        values.operands.push_back(cast(part, common.dtype).id);
        if (is_masked) masks.operands.push_back(mask_of(part).id);
    }
    if (is_masked) values.mask = graph.add(masks);
    return {&graph, graph.add(values)};
}

Value stack(const std::vector<Value>& parts, int dim) {
    std::vector<Value> raised;
    for (const Value& part : parts) {
        if (part.shape() != parts[0].shape())
            part.graph->fail(ErrorCode::shape, "stack of shapes " + to_string(parts[0].shape()) + " and " +
                                                   to_string(part.shape()) + ": they must be equal");
        raised.push_back(unsqueeze(part, dim));
    }
    return cat(raised, dim);
}

std::vector<Value> split(Value x, std::int64_t size, int dim) {
    dim = checked_dim(*x.graph, dim, x.rank(), "split");
    if (size < 1)
        x.graph->fail(ErrorCode::value, "split into parts of " + std::to_string(size) + ": write 1 or more");
    std::vector<Value> parts;
    for (std::int64_t start = 0; start < x.shape()[at(dim)]; start += size)
        parts.push_back(slice(x, dim, start, start + size));
    return parts;
}

Value matmul(Value a, Value b) {
    GraphBuilder& graph = *a.graph;
    const std::string both = "matmul of shapes " + to_string(a.shape()) + " and " + to_string(b.shape());
    if (a.rank() == 0 || b.rank() == 0)
        graph.fail(ErrorCode::shape, both + ": factors have a dimension to sum over, write a * b");
    const bool is_row = a.rank() == 1, is_column = b.rank() == 1;
    if (is_row) a = unsqueeze(a, 0);
    if (is_column) b = unsqueeze(b, 1);
    if (a.shape().back() != b.shape()[at(b.rank() - 2)])
        graph.fail(ErrorCode::shape, both + ": the inner dimensions must be equal");
    if (promote(a.node().type(), b.node().type()).dtype == DType::boolean)
        graph.fail(ErrorCode::dtype, both + " is not defined for bool: write cast<float>(x)");
    const Value left = unsqueeze(a, -1), right = unsqueeze(b, -3);
    Value result = contract(left, right, {std::max(left.rank(), right.rank()) - 2});
    if (is_column) result = squeeze(result, -1);
    return is_row ? squeeze(result, is_column ? -1 : -2) : result;
}

Value mm(Value a, Value b) { return product("mm", a, 2, b, 2); }
Value bmm(Value a, Value b) { return product("bmm", a, 3, b, 3); }
Value mv(Value a, Value b) { return product("mv", a, 2, b, 1); }
Value dot(Value a, Value b) { return product("dot", a, 1, b, 1); }

Value linear(Value x, Value weights, std::optional<Value> bias) {
    if (weights.rank() != 2 || x.rank() == 0 || x.shape().back() != weights.shape()[1])
        x.graph->fail(ErrorCode::shape, "linear of shapes " + to_string(x.shape()) + " and " +
                                            to_string(weights.shape()) +
                                            ": weights have shape [out, in], and x ends in extent in");
    const Value result = matmul(x, transpose(weights, 0, 1));
    return bias ? result + *bias : result;
}

}  // namespace frisket::ir
