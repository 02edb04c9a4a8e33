// SPDX-License-Identifier: MIT
#include "value.hpp"

#include "../passes/gradient/rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace frisket::build {

namespace {

const double infinity = std::numeric_limits<double>::infinity();

Expr number_of(Expr x, double value) { return number(*x.graph, value); }

bool is_float(Expr x) { return info(x.dtype()).is_float; }

void require_float(Expr x, std::string_view operation) {
    if (is_float(x)) return;
    x.graph->fail(ErrorCode::dtype, std::string(operation) + " is not defined for " +
                                        std::string(name_of(x.dtype())) +
                                        ": write cast<float>(x), or give it a dtype");
}

/// Sums of whole numbers and bool are int64.
Expr for_sum(Expr x) { return is_float(x) ? x : cast(x, DType::int64); }
/// Whole numbers and bool as float32.
Expr as_float(Expr x) { return is_float(x) ? x : cast(x, DType::float32); }

Expr reduce_over(Reduction reduction, std::string_view name, Expr x, const Dims& dims, bool keepdim,
                 DType dtype) {
    return reduce(reduction, x, checked_dims(*x.graph, dims, x.rank(), name), keepdim, dtype);
}

/// Number of elements of each slice.
Expr size_of(Expr x, const std::vector<int>& dims) {
    std::int64_t size = 1;
    for (const int dim : dims) size *= x.shape()[static_cast<std::size_t>(dim)];
    return {x.graph,
            x.graph->add({.kind = NodeKind::size, .dtype = DType::int64, .offsets = {size}, .shape = {}})};
}

Expr scan(Reduction reduction, std::string_view name, Expr x, int dim) {
    x = for_sum(x);
    dim = checked_dim(*x.graph, dim, x.rank(), name);
    if (x.rank() == 0) return x;
    const auto mask = mask_or_none(x);
    Node node{.kind = NodeKind::scan, .dtype = x.dtype(), .operands = {x.id, mask ? mask->id : no_node}};
    if (mask) node.mask = mask->id;
    node.reduction = reduction;
    node.attributes = {dim};
    node.shape = x.shape();
    return {x.graph, x.graph->add(node)};
}

/// A function of the table that has no derivative at 0, of what is 0 nowhere else than where its result is
/// `at_zero`: there its derivative is taken to be 0, as PyTorch's of norms and deviations is.
template <class Function>
Expr flat_at_zero(Expr x, double at_zero, Function&& function) {
    const Expr is_zero = apply<op::Eq>({x, number_of(x, 0.0)});
    return choose(is_zero, number_of(x, at_zero), function(choose(is_zero, number_of(x, 1.0), x)));
}

Expr root(Expr x) {
    return flat_at_zero(x, 0, [](Expr safe) { return apply<op::Sqrt>({safe}); });
}

Expr power(Expr x, double exponent) {
    const auto function = [&](Expr safe) { return apply<op::Pow>({safe, number_of(x, exponent)}); };
    return exponent < 1 ? flat_at_zero(x, std::pow(0.0, exponent), function) : function(x);
}

/// The largest element of each slice where that is finite, else 0; dense, to be subtracted.
Expr shift_of(Expr x, const Dims& dims) {
    const Expr top = to_dense(detach(amax(x, dims, true)), number_of(x, 0.0));
    return where(apply<op::Lt>({apply<op::Abs>({top}), number_of(x, infinity)}), top, number_of(x, 0.0));
}

}  // namespace

namespace {

/// Adds a reduction of elements of this shape where `mask` is true.
Expr reduced(GraphBuilder& graph, Node node, std::optional<Expr> mask, const Shape& shape,
             const std::vector<int>& dims) {
    node.kind = NodeKind::reduce;
    node.operands[1] = mask ? mask->id : no_node;
    node.attributes.assign(dims.begin(), dims.end());
    for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim)
        if (std::ranges::find(dims, dim) == dims.end())
            node.shape.push_back(shape[static_cast<std::size_t>(dim)]);
    if (mask) {
        Node any{.kind = NodeKind::reduce, .dtype = DType::boolean, .operands = {mask->id, no_node}};
        any.reduction = Reduction::any;
        any.attributes = node.attributes;
        any.shape = node.shape;
        node.mask = graph.add(any);
    }
    return {&graph, graph.add(node)};
}

Expr contracted(Expr a, Expr b, std::optional<Expr> where, const Shape& shape, const std::vector<int>& dims) {
    return reduced(*a.graph,
                   {.dtype = a.dtype(), .operands = {a.id, no_node, b.id}, .reduction = Reduction::contract},
                   where, shape, dims);
}

}  // namespace

Expr reduce(Reduction reduction, Expr x, const std::vector<int>& dims, bool keepdim, DType dtype) {
    Expr result = reduced(*x.graph, {.dtype = dtype, .operands = {x.id, no_node}, .reduction = reduction},
                          mask_or_none(x), Shape(x.shape()), dims);
    if (keepdim)
        for (const int dim : dims) result = unsqueeze(result, dim);
    return result;
}

Expr contract(Expr a, Expr b, const std::vector<int>& dims) {
    const Expr terms = apply<op::Mul>({a, b}, MaskMode::intersection);
    const auto factor = [&](Expr x) { return x.dtype() == terms.dtype() ? x : cast(x, terms.dtype()); };
    return contracted(factor(a), factor(b), mask_or_none(terms), Shape(terms.shape()), dims);
}

Expr contract(Expr a, Expr b, std::optional<Expr> where, const std::vector<int>& dims) {
    return contracted(a, b, where, broadcast(a.shape(), b.shape()), dims);
}

Expr sum(Expr x, const Dims& dims, bool keepdim) {
    x = for_sum(x);
    return reduce_over(Reduction::sum, "sum", x, dims, keepdim, x.dtype());
}

Expr prod(Expr x, const Dims& dims, bool keepdim) {
    x = for_sum(x);
    return reduce_over(Reduction::prod, "prod", x, dims, keepdim, x.dtype());
}

Expr amin(Expr x, const Dims& dims, bool keepdim) {
    const Reduction reduction = x.dtype() == DType::boolean ? Reduction::all : Reduction::amin;
    return reduce_over(reduction, "amin", x, dims, keepdim, x.dtype());
}

Expr amax(Expr x, const Dims& dims, bool keepdim) {
    const Reduction reduction = x.dtype() == DType::boolean ? Reduction::any : Reduction::amax;
    return reduce_over(reduction, "amax", x, dims, keepdim, x.dtype());
}

Expr any(Expr x, const Dims& dims, bool keepdim) {
    return reduce_over(Reduction::any, "any", cast(x, DType::boolean), dims, keepdim, DType::boolean);
}

Expr all(Expr x, const Dims& dims, bool keepdim) {
    return reduce_over(Reduction::all, "all", cast(x, DType::boolean), dims, keepdim, DType::boolean);
}

Expr argmin(Expr x, std::optional<int> dim, bool keepdim) {
    const Dims dims = dim ? Dims(std::vector<int>{*dim}) : Dims();
    return reduce_over(Reduction::argmin, "argmin", x, dims, keepdim, DType::int64);
}

Expr argmax(Expr x, std::optional<int> dim, bool keepdim) {
    const Dims dims = dim ? Dims(std::vector<int>{*dim}) : Dims();
    return reduce_over(Reduction::argmax, "argmax", x, dims, keepdim, DType::int64);
}

Expr count(Expr x, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "count");
    return sum(mask_of(x), std::vector<int>(over), keepdim);
}

Expr mean(Expr x, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "mean");
    require_float(x, "mean");
    const Expr number = x.is_masked() ? count(x, over, keepdim) : size_of(x, over);
    return sum(x, over, keepdim) / cast(number, x.dtype());
}

Expr var(Expr x, const Dims& dims, double correction, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "var");
    x = as_float(x);
    const Expr distance = x - to_dense(mean(x, over, true), number_of(x, 0.0));
    const Expr number = x.is_masked() ? count(x, over, keepdim) : size_of(x, over);
    const Expr rest = cast(number, x.dtype()) - number_of(x, correction);
    return sum(distance * distance, over, keepdim) / apply<op::Maximum>({rest, number_of(x, 0.0)});
}

Expr std(Expr x, const Dims& dims, double correction, bool keepdim) {
    return root(var(x, dims, correction, keepdim));
}

// Source: the definition; ord infinity, -infinity and 0 as in numpy.linalg.norm of vectors.
Expr norm(Expr x, double ord, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "norm");
    require_float(x, "norm");
    const Expr size = apply<op::Abs>({x});
    if (ord == infinity) return amax(size, over, keepdim);
    if (ord == -infinity) return amin(size, over, keepdim);
    if (ord == 0) return sum(cast(apply<op::Ne>({x, number_of(x, 0.0)}), x.dtype()), over, keepdim);
    if (ord == 1) return sum(size, over, keepdim);
    if (ord == 2) return root(sum(x * x, over, keepdim));
    return power(sum(power(size, ord), over, keepdim), 1 / ord);
}

Expr logsumexp(Expr x, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "logsumexp");
    x = as_float(x);
    const Expr shift = shift_of(x, over);
    const Expr result = apply<op::Log>({sum(apply<op::Exp>({x - shift}), over, true)}) + shift;
    if (keepdim) return result;
    Shape shape;
    for (int dim = 0; dim < x.rank(); ++dim)
        if (std::ranges::find(over, dim) == over.end())
            shape.push_back(x.shape()[static_cast<std::size_t>(dim)]);
    return reshape(result, shape);
}

Expr softmax(Expr x, int dim) {
    dim = checked_dim(*x.graph, dim, x.rank(), "softmax");
    require_float(x, "softmax");
    const std::vector<int> over{dim};
    const Expr top = to_dense(detach(amax(x, over, true)), number_of(x, 0.0));
    const Expr powers = apply<op::Exp>({x - top});
    return powers / to_dense(sum(powers, over, true), number_of(x, 1.0));
}

Expr softmin(Expr x, int dim) {
    require_float(x, "softmin");
    return softmax(-x, dim);
}

Expr log_softmax(Expr x, int dim) {
    dim = checked_dim(*x.graph, dim, x.rank(), "log_softmax");
    require_float(x, "log_softmax");
    const std::vector<int> over{dim};
    const Expr below = x - to_dense(detach(amax(x, over, true)), number_of(x, 0.0));
    const Expr total = sum(apply<op::Exp>({below}), over, true);
    return below - to_dense(apply<op::Log>({total}), number_of(x, 0.0));
}

Expr cumsum(Expr x, int dim) { return scan(Reduction::sum, "cumsum", x, dim); }
Expr cumprod(Expr x, int dim) { return scan(Reduction::prod, "cumprod", x, dim); }

Expr normalize(Expr x, double ord, int dim, double eps) {
    dim = checked_dim(*x.graph, dim, x.rank(), "normalize");
    require_float(x, "normalize");
    const Expr size = norm(x, ord, std::vector<int>{dim}, true);
    return x / to_dense(apply<op::Maximum>({size, number_of(x, eps)}), number_of(x, 1.0));
}

}  // namespace frisket::build
