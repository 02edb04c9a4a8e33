// SPDX-License-Identifier: MIT
#include "rules.hpp"

#include <algorithm>
#include <functional>

/// Rules of reductions and running reductions.
namespace frisket::build {

namespace {

Expr constant(Expr like, double value) { return number(*like.graph, value); }

/// A reduction and its result, as expressions of the shape of the operand, without masks.
struct Slices {
    Expr x;                     ///< the operand
    Expr result;                ///< the result of its slice
    Expr upstream;              ///< the gradient of the result
    std::optional<Expr> where;  ///< elements that took part
    std::vector<int> dims;

    /// A reduction of something else over the same elements, spread over its slice.
    Expr total(Reduction reduction, Expr each) const {
        const Expr made = build::reduce(reduction, with_mask(each, where), dims, true, each.dtype());
        return broadcast_to(bare(made), Shape(x.shape()));
    }
};

/// Equal extremes share; of NaN, all NaN are.
Expr extreme_share(const Slices& slices) {
    const Expr x = slices.x;
    const Expr is_extreme = apply<op::LogicalOr>({apply<op::Eq>({x, slices.result}), apply<op::Ne>({x, x})});
    const Expr number = slices.total(Reduction::sum, cast(is_extreme, x.dtype()));
    return where(is_extreme, slices.upstream / number, constant(x, 0.0));
}

/// The product of the others, without dividing by 0: that of those that are not 0, and, if one other is 0,
/// times that one, which is 0 and has a derivative.
Expr product_share(const Slices& slices) {
    const Expr x = slices.x, zero = constant(x, 0.0), one = constant(x, 1.0);
    const Expr is_zero = apply<op::Eq>({x, zero});
    const Expr safe = choose(is_zero, one, x), zeros = cast(is_zero, x.dtype());
    const Expr vanishing = choose(is_zero, x, zero);
    const Expr other_zeros = slices.total(Reduction::sum, zeros) - zeros;
    const Expr other_vanishing = slices.total(Reduction::sum, vanishing) - vanishing;
    const Expr at_most_one = choose(apply<op::Eq>({other_zeros, one}), other_vanishing, zero);
    const Expr others = slices.total(Reduction::prod, safe) / safe;
    const Expr factor = choose(apply<op::Eq>({other_zeros, zero}), one, at_most_one);
    return slices.upstream * (others * factor);
}

/// x with what was reduced away put back, each slice the same.
Expr spread(Expr x, const std::vector<int>& dims, const Shape& shape) {
    for (const int dim : dims) x = unsqueeze(x, dim);
    return broadcast_to(x, shape);
}

Expr running(Reduction reduction, Expr x, int dim, bool from_end) {
    if (from_end) x = flip(x, {dim});
    Node node{.kind = NodeKind::scan, .dtype = x.dtype(), .operands = {x.id, no_node}};
    node.reduction = reduction;
    node.attributes = {dim};
    node.shape = x.shape();
    const Expr made{x.graph, x.graph->add(node)};
    return from_end ? flip(made, {dim}) : made;
}

/// `each` where the mask is true, else 0; summed from each element to the end.
Expr sum_to_end(Expr each, std::optional<Expr> mask, int dim) {
    return running(Reduction::sum, to_dense(with_mask(each, mask), constant(each, 0.0)), dim, true);
}

/// Result i is the product of elements 0 … i.  Up to the first zero, element k gets the sum over i >= k of
/// gradient i * result i, divided by it; the first zero gets the same with results made without it; later
/// elements are always multiplied by it, and get 0.
Expr running_product_gradient(Expr x, Expr gradient, std::optional<Expr> specified, int dim) {
    const Expr zero = constant(x, 0.0), one = constant(x, 1.0);
    const Expr is_zero = apply<op::Eq>({x, zero});
    const Expr zeros = running(Reduction::sum, cast(is_zero, x.dtype()), dim, false);
    const Expr is_before = apply<op::Eq>({zeros, zero});
    const Expr is_first = apply<op::LogicalAnd>({is_zero, apply<op::Eq>({zeros, one})});
    const Expr safe = where(is_first, one, x);
    const Expr terms = gradient * running(Reduction::prod, safe, dim, false);
    const Expr before = sum_to_end(terms, both(specified, is_before), dim) / safe;
    const Expr first = sum_to_end(terms, specified, dim);
    return where(is_first, first, where(is_before, before, zero));
}

/// The elements of what was reduced that the gradient of the result reaches; nothing: all.
std::optional<Expr> reached_elements(Expr result, Expr gradient, const std::vector<int>& dims,
                                     const Shape& shape) {
    const NodeId mask = gradient.node().mask;
    const auto where = operand_or_none(result, 1);
    if (mask == no_node || mask == result.node().mask) return where;
    return both(spread({gradient.graph, mask}, dims, shape), where);
}

/// A product of the gradient and the other factor, over the dimensions along which this one is the same.
Expr contract_gradient(Expr result, int i, Expr gradient) {
    const Node node = result.node();
    const std::vector<int> dims(node.attributes.begin(), node.attributes.end());
    const Expr own = operand(result, i), other = bare(operand(result, 2 - i));
    const Shape shape = own.shape(), terms = broadcast(shape, other.shape());
    const auto reached = reached_elements(result, gradient, dims, terms);
    Expr upstream = cast(bare(gradient), own.dtype());
    for (const int dim : dims) upstream = unsqueeze(upstream, dim);
    std::vector<int> repeated;
    const std::size_t added = terms.size() - shape.size();
    for (std::size_t dim = 0; dim < terms.size(); ++dim)
        if (dim < added || shape[dim - added] == 1) repeated.push_back(static_cast<int>(dim));
    // Extents of 1 repeat nothing, unless there are no others: a sum of one product starts from +0.
    const auto repeats = [&](int dim) { return terms[static_cast<std::size_t>(dim)] != 1; };
    if (std::ranges::any_of(repeated, repeats)) std::erase_if(repeated, std::not_fn(repeats));
    if (repeated.empty()) return with_mask(upstream * other, reached);
    return reshape(contract(upstream, other, reached, repeated), shape);
}

}  // namespace

Expr reduce_gradient(Expr result, int i, Expr gradient) {
    const Node node = result.node();
    if (is_product(node)) return contract_gradient(result, i, gradient);
    const Expr x = operand(result, 0);
    const Shape shape = x.shape();
    const std::vector<int> dims(node.attributes.begin(), node.attributes.end());
    const auto reached = reached_elements(result, gradient, dims, shape);
    const Expr upstream = cast(spread(bare(gradient), dims, shape), x.dtype());
    if (node.reduction == Reduction::sum) return with_mask(upstream, reached);
    const Slices slices{.x = bare(x),
                        .result = spread(bare(result), dims, shape),
                        .upstream = upstream,
                        .where = operand_or_none(result, 1),
                        .dims = dims};
    const bool is_product = node.reduction == Reduction::prod;
    return with_mask(is_product ? product_share(slices) : extreme_share(slices), reached);
}

Expr scan_gradient(Expr result, int /*i*/, Expr gradient) {
    const Node node = result.node();
    const Expr x = operand(result, 0);
    const int dim = static_cast<int>(node.attributes[0]);
    const auto where = operand_or_none(result, 1);
    const auto specified = both(mask_or_none(gradient), where);
    const bool is_whole = !specified || (where && specified->id == where->id);
    const auto reached = is_whole ? where : both(running(Reduction::any, *specified, dim, true), where);
    if (node.reduction == Reduction::sum)
        return with_mask(sum_to_end(bare(gradient), specified, dim), reached);
    const Expr dense = to_dense(with_mask(bare(x), where), constant(x, 1.0));
    return with_mask(running_product_gradient(dense, bare(gradient), specified, dim), reached);
}

}  // namespace frisket::build
