// SPDX-License-Identifier: MIT
#include "rules.hpp"

#include <algorithm>
#include <functional>

/// Rules of reductions and running reductions.
namespace frisket::ir {

namespace {

Value constant(Value like, double value) { return number(*like.graph, value); }

/// A reduction and its result, as expressions of the shape of the operand, without masks.
struct Slices {
    Value x;                     ///< the operand
    Value result;                ///< the result of its slice
    Value upstream;              ///< the gradient of the result
    std::optional<Value> where;  ///< elements that took part
    std::vector<int> dims;

    /// A reduction of something else over the same elements, spread over its slice.
    Value total(Reduction reduction, Value each) const {
        const Value made = ir::reduce(reduction, with_mask(each, where), dims, true, each.dtype());
        return broadcast_to(bare(made), Shape(x.shape()));
    }
};

/// Equal extremes share; with NaN, all NaN are extremes.
Value extreme_share(const Slices& slices) {
    const Value x = slices.x;
    const Value is_extreme = apply<op::LogicalOr>({apply<op::Eq>({x, slices.result}), apply<op::Ne>({x, x})});
    const Value number = slices.total(Reduction::sum, cast(is_extreme, x.dtype()));
    return choose(is_extreme, slices.upstream / number, apply<op::Zero>({x}));
}

/// x with the reduced dimensions put back, each slice the same.
Value spread(Value x, const std::vector<int>& dims, const Shape& shape) {
    for (const int dim : dims) x = unsqueeze(x, dim);
    return broadcast_to(x, shape);
}

Value running(Reduction reduction, Value x, int dim, bool from_end) {
    if (from_end) x = flip(x, {dim});
    Node node{.kind = NodeKind::scan, .dtype = x.dtype(), .operands = {x.id, no_node}};
    node.reduction = reduction;
    node.attributes = {dim};
    node.shape = x.shape();
    const Value made{x.graph, x.graph->add(node)};
    return from_end ? flip(made, {dim}) : made;
}

/// `each` where the mask is true, else 0; summed from each element to the end.
Value sum_to_end(Value each, std::optional<Value> mask, int dim) {
    return running(Reduction::sum, to_dense(with_mask(each, mask), constant(each, 0.0)), dim, true);
}

/// Elements where a mask is true, put together from each of them to the end.
Value running_to_end(Reduction reduction, Value each, Value mask, int dim) {
    const Value from_end = flip(with_mask(each, mask), {dim});
    Node node{.kind = NodeKind::scan, .dtype = each.dtype(), .operands = {from_end.id, from_end.node().mask}};
    node.reduction = reduction;
    node.attributes = {dim};
    node.mask = from_end.node().mask;
    node.shape = each.shape();
    return bare(flip(Value{each.graph, each.graph->add(node)}, {dim}));
}

/// The element before each element along a dimension, or the element after it; `edge` at the end.
Value neighbour(Value x, int dim, double edge, bool is_next) {
    const std::int64_t extent = x.shape()[static_cast<std::size_t>(dim)];
    if (extent == 0) return x;
    Shape shape = x.shape();
    shape[static_cast<std::size_t>(dim)] = 1;
    const Value end = filled(*x.graph, edge, x.dtype(), shape);
    const Value rest = narrow(x, dim, is_next ? 1 : 0, extent - 1);
    return is_next ? cat({rest, end}, dim) : cat({end, rest}, dim);
}

/// 0, whose gradient reaches all elements of each slice, though the formula to which it is added leaves some
/// of them out: derivatives of higher orders are specified there.
Value zero_of_slices(Value x, const std::vector<int>& dims) {
    Value total = ir::reduce(Reduction::sum, x, dims, false, x.dtype());
    return apply<op::Zero>({spread(total, dims, x.shape())});
}

/// Result i is x[i] + factor[i] * result i - 1, or i + 1 if it runs from the end.
Value recurrence(Value x, Value factor, int dim, bool from_end) {
    if (from_end) return flip(recurrence(flip(x, {dim}), flip(factor, {dim}), dim, false), {dim});
    Node node{.kind = NodeKind::scan, .dtype = x.dtype(), .operands = {x.id, no_node, factor.id}};
    node.reduction = Reduction::contract;
    node.attributes = {dim};
    node.shape = x.shape();
    return {x.graph, x.graph->add(node)};
}

/// Result i is the product of elements 0 … i.  Element k gets the product of the elements before it times the
/// sum over i >= k of gradient i times the elements between, a recurrence.  Nothing is divided, so that
/// derivatives of every order are right where elements are 0.
Value running_product_gradient(Value x, Value gradient, int dim) {
    const Value before = neighbour(running(Reduction::prod, x, dim, false), dim, 1, false);
    const Value share = before * recurrence(gradient, neighbour(x, dim, 1, true), dim, true);
    return share + zero_of_slices(x, {dim});
}

/// The gradient of x, or of the factors, of a recurrence: for x it is a recurrence from the end.
Value recurrence_gradient(Value result, int i, Value gradient, int dim) {
    const Value factor = bare(operand(result, 2));
    const Value share = recurrence(gradient, neighbour(factor, dim, 0, true), dim, true);
    return i == 0 ? share : share * neighbour(bare(result), dim, 0, false);
}

/// The product of all other elements: before and after each element, along one dimension after another.
Value product_of_others(Value x, std::vector<int> dims) {
    const int dim = dims.back();
    const Value before = neighbour(running(Reduction::prod, x, dim, false), dim, 1, false);
    const Value others = before * neighbour(running(Reduction::prod, x, dim, true), dim, 1, true);
    dims.pop_back();
    if (dims.empty()) return others;
    const Value lines = ir::reduce(Reduction::prod, x, {dim}, false, x.dtype());
    return others * broadcast_to(unsqueeze(product_of_others(lines, dims), dim), x.shape());
}

/// The reduced elements that the gradient of the result reaches; nothing: all.
std::optional<Value> reached_elements(Value result, Value gradient, const std::vector<int>& dims,
                                      const Shape& shape) {
    const NodeId mask = gradient.node().mask;
    const auto where = operand_or_none(result, 1);
    if (mask == no_node || mask == result.node().mask) return where;
    return both(spread({gradient.graph, mask}, dims, shape), where);
}

/// A product of the gradient and the other factor, over the dimensions along which this one is the same.
Value contract_gradient(Value result, int i, Value gradient) {
    const Node node = result.node();
    const std::vector<int> dims(node.attributes.begin(), node.attributes.end());
    const Value own = operand(result, i), other = bare(operand(result, 2 - i));
    const Shape shape = own.shape(), terms = broadcast(shape, other.shape());
    const auto reached = reached_elements(result, gradient, dims, terms);
    Value upstream = cast(bare(gradient), own.dtype());
    for (const int dim : dims) upstream = unsqueeze(upstream, dim);
    std::vector<int> repeated;
    const std::size_t added = terms.size() - shape.size();
    for (std::size_t dim = 0; dim < terms.size(); ++dim)
        if (dim < added || shape[dim - added] == 1) repeated.push_back(static_cast<int>(dim));
    // Extents of 1 repeat nothing, unless all are 1: a sum of one product starts from +0.
    const auto repeats = [&](int dim) { return terms[static_cast<std::size_t>(dim)] != 1; };
    if (std::ranges::any_of(repeated, repeats)) std::erase_if(repeated, std::not_fn(repeats));
    if (repeated.empty()) return with_mask(upstream * other, reached);
    return reshape(contract(upstream, other, reached, repeated), shape);
}

}  // namespace

Value reduce_gradient(Value result, int i, Value gradient) {
    const Node node = result.node();
    if (is_product(node)) return contract_gradient(result, i, gradient);
    const Value x = operand(result, 0);
    const Shape shape = x.shape();
    const std::vector<int> dims(node.attributes.begin(), node.attributes.end());
    const auto reached = reached_elements(result, gradient, dims, shape);
    const Value upstream = cast(spread(bare(gradient), dims, shape), x.dtype());
    if (node.reduction == Reduction::sum) return with_mask(upstream, reached);
    const Slices slices{.x = bare(x),
                        .result = spread(bare(result), dims, shape),
                        .upstream = upstream,
                        .where = operand_or_none(result, 1),
                        .dims = dims};
    if (node.reduction != Reduction::prod) return with_mask(extreme_share(slices), reached);
    if (dims.empty()) return with_mask(upstream, reached);
    const Value dense = to_dense(with_mask(slices.x, slices.where), constant(x, 1.0));
    const Value others = product_of_others(dense, dims) + zero_of_slices(dense, dims);
    return with_mask(upstream * others, reached);
}

Value scan_gradient(Value result, int i, Value gradient) {
    const Node node = result.node();
    const Value x = operand(result, 0);
    const int dim = static_cast<int>(node.attributes[0]);
    const auto where = operand_or_none(result, 1);
    const auto specified = both(mask_or_none(gradient), where);
    const bool is_whole = !specified || (where && specified->id == where->id);
    if (node.reduction == Reduction::sum && where) {
        // Elements of the operand's mask are scanned: a list of it is one of the gradient.
        if (is_whole) return with_mask(running_to_end(Reduction::sum, bare(gradient), *where, dim), where);
        const Value each = to_dense(with_mask(bare(gradient), specified), constant(gradient, 0.0));
        const Value is_reached = running_to_end(Reduction::any, *specified, *where, dim);
        return with_mask(running_to_end(Reduction::sum, each, *where, dim), both(is_reached, where));
    }
    const auto reached = is_whole ? where : both(running(Reduction::any, *specified, dim, true), where);
    if (node.reduction == Reduction::sum)
        return with_mask(sum_to_end(bare(gradient), specified, dim), reached);
    const Value upstream = to_dense(with_mask(bare(gradient), specified), constant(gradient, 0.0));
    if (is_recurrence(node)) return with_mask(recurrence_gradient(result, i, upstream, dim), reached);
    const Value dense = to_dense(with_mask(bare(x), where), constant(x, 1.0));
    return with_mask(running_product_gradient(dense, upstream, dim), reached);
}

}  // namespace frisket::ir
