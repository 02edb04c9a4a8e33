// SPDX-License-Identifier: MIT
#include "value.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace frisket::ir {

namespace {

const double infinity = std::numeric_limits<double>::infinity();

Value number_of(Value x, double value) { return number(*x.graph, value); }

bool is_float(Value x) { return info_of(x.dtype()).is_float; }

void require_float(Value x, std::string_view operation) {
    if (is_float(x)) return;
    x.graph->fail(ErrorCode::dtype, std::string(operation) + " is not defined for " +
                                        std::string(name_of(x.dtype())) +
                                        ": write cast<float>(x), or give it a dtype");
}

/// Sums of integers and bool are int64.
Value for_sum(Value x) { return is_float(x) ? x : cast(x, DType::int64); }
/// Integers and bool as float32.
Value as_float(Value x) { return is_float(x) ? x : cast(x, DType::float32); }

Value reduce_over(Reduction reduction, std::string_view name, Value x, const Dims& dims, bool keepdim,
                  DType dtype) {
    return reduce(reduction, x, checked_dims(*x.graph, dims, x.rank(), name), keepdim, dtype);
}

/// Number of elements of each slice.
Value size_of(Value x, const std::vector<int>& dims) {
    std::int64_t size = 1;
    for (const int dim : dims) size *= x.shape()[static_cast<std::size_t>(dim)];
    // Loops count in int32.
    if (size > std::numeric_limits<std::int32_t>::max()) return cast(number(*x.graph, size), DType::int64);
    return {x.graph,
            x.graph->add({.kind = NodeKind::size, .dtype = DType::int64, .offsets = {size}, .shape = {}})};
}

Value scan(Reduction reduction, std::string_view name, Value x, int dim) {
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

/// A function of the table without a derivative at 0, of an operand that is 0 only where the result is
/// `at_zero`: there its derivative is taken to be 0, as PyTorch's of norms and deviations is.
template <class Function>
Value flat_at_zero(Value x, double at_zero, Function&& function) {
    const Value is_zero = apply<op::Eq>({x, number_of(x, 0.0)});
    return choose(is_zero, number_of(x, at_zero), function(choose(is_zero, number_of(x, 1.0), x)));
}

Value root(Value x) {
    return flat_at_zero(x, 0, [](Value safe) { return apply<op::Sqrt>({safe}); });
}

Value power(Value x, double exponent) {
    const auto function = [&](Value safe) { return apply<op::Pow>({safe, number_of(x, exponent)}); };
    return exponent < 1 ? flat_at_zero(x, std::pow(0.0, exponent), function) : function(x);
}

Value smallest(Value x, const Dims& dims, bool keepdim) {
    const Reduction reduction = x.dtype() == DType::boolean ? Reduction::all : Reduction::amin;
    return reduce_over(reduction, "amin", x, dims, keepdim, x.dtype());
}

Value largest(Value x, const Dims& dims, bool keepdim) {
    const Reduction reduction = x.dtype() == DType::boolean ? Reduction::any : Reduction::amax;
    return reduce_over(reduction, "amax", x, dims, keepdim, x.dtype());
}

/// Without the reduced dimensions, which have extent 1.
Value dropped(Value x, const std::vector<int>& dims) {
    Shape shape;
    for (int dim = 0; dim < x.rank(); ++dim)
        if (std::ranges::find(dims, dim) == dims.end())
            shape.push_back(x.shape()[static_cast<std::size_t>(dim)]);
    return reshape(x, shape);
}

/// The dtype of a result that is computed from x.
DType dtype_of_result(Value x) { return strong(as_float(x).node().type()).dtype; }

/// The value in float64: a root or a quotient of sums is rounded to the dtype of the result once.
Value widened(Value x) { return cast(x, DType::float64); }

/// A sum of squares of x * scale.
struct SumOfSquares {
    Value scaled;
    Value sum;
    std::optional<Value> scale = {};

    Value root_of(Value quotient) const { return scale ? root(quotient) / *scale : root(quotient); }
};

/// Squares of float32 fit float64.  Where squares of float64 do not, the scale is a power of two.
SumOfSquares sum_of_squares(Value x, bool is_float64, const std::vector<int>& dims, bool keepdim) {
    if (!is_float64) return {x, sum(x * x, dims, keepdim)};
    constexpr int shift = 600;
    const auto power_of_two = [&](int exponent) { return number_of(x, std::ldexp(1.0, exponent)); };
    const Value total = to_dense(detach(sum(x * x, dims, true)), number_of(x, 1.0));
    const Value is_huge = apply<op::Gt>({total, power_of_two(1000)}),
                is_tiny = apply<op::Lt>({total, power_of_two(-900)});
    const Value scale =
        where(is_huge, power_of_two(-shift), where(is_tiny, power_of_two(shift), widened(number_of(x, 1.0))));
    const Value scaled = x * scale;
    return {scaled, sum(scaled * scaled, dims, keepdim), keepdim ? scale : dropped(scale, dims)};
}

/// The mean of floats, in float64.
Value wide_mean(Value x, const std::vector<int>& dims, bool keepdim) {
    const Value number = x.is_masked() ? count(x, dims, keepdim) : size_of(x, dims);
    return reduce(Reduction::sum, x, dims, keepdim, DType::float64) / widened(number);
}

/// Distances from the mean, in float64.
Value distance_of(Value x, const std::vector<int>& dims) {
    return x - to_dense(wide_mean(x, dims, true), number_of(x, 0.0));
}

/// A sum of squared distances from a mean of float64, which is rounded, as one of distances from the mean.
Value centred(Value squares, Value distance, DType dtype, const std::vector<int>& dims, bool keepdim) {
    if (dtype != DType::float64) return squares;
    const Value rest = detach(sum(distance, dims, keepdim));
    const Value number = distance.is_masked() ? count(distance, dims, keepdim) : size_of(distance, dims);
    return squares - rest * rest / widened(number);
}

/// Divisor of a variance.
Value degrees_of(Value x, const std::vector<int>& dims, double correction, bool keepdim) {
    const Value number = x.is_masked() ? count(x, dims, keepdim) : size_of(x, dims);
    return apply<op::Maximum>({widened(number) - number_of(x, correction), number_of(x, 0.0)});
}

/// (sum |x|^ord)^(1/ord) of sizes in float64: they are divided by the largest or, of a negative power, the
/// smallest.
Value wide_norm(Value size, double ord, const std::vector<int>& dims, bool keepdim) {
    const Value best = ord > 0 ? largest(size, dims, true) : smallest(size, dims, true);
    const Value unit = to_dense(detach(best), number_of(size, 0.0));
    const Value is_usable = apply<op::LogicalAnd>(
        {apply<op::Gt>({unit, number_of(size, 0.0)}), apply<op::Lt>({unit, number_of(size, infinity)})});
    const Value scale = where(is_usable, unit, number_of(size, 1.0));
    const Value made = power(sum(power(size / scale, ord), dims, keepdim), 1 / ord);
    return made * (keepdim ? scale : dropped(scale, dims));
}

/// A norm, in float64, of x of this dtype.
Value wide_norm(Value x, DType dtype, double ord, const std::vector<int>& dims, bool keepdim) {
    if (ord == 2) {
        const Value wide = widened(x);
        const SumOfSquares squares = sum_of_squares(wide, dtype == DType::float64, dims, keepdim);
        return squares.root_of(squares.sum);
    }
    const Value size = apply<op::Abs>({x});
    if (std::isinf(ord)) {
        require_elements(x, dims, "norm");
        return widened(ord > 0 ? largest(size, dims, keepdim) : smallest(size, dims, keepdim));
    }
    if (ord == 0) return sum(widened(apply<op::Ne>({x, number_of(x, 0.0)})), dims, keepdim);
    if (ord == 1) return sum(widened(size), dims, keepdim);
    return wide_norm(widened(size), ord, dims, keepdim);
}

/// The largest element of each slice where that is finite, else 0; dense, to be subtracted.
Value shift_of(Value x, const Dims& dims) {
    const Value top = to_dense(detach(largest(x, dims, true)), number_of(x, 0.0));
    return where(apply<op::Lt>({apply<op::Abs>({top}), number_of(x, infinity)}), top, number_of(x, 0.0));
}

}  // namespace

namespace {

/// Adds a reduction of elements of this shape where `mask` is true.
Value reduced(GraphBuilder& graph, Node node, std::optional<Value> mask, const Shape& shape,
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

Value contracted(Value a, Value b, std::optional<Value> where, const Shape& shape,
                 const std::vector<int>& dims) {
    return reduced(*a.graph,
                   {.dtype = a.dtype(), .operands = {a.id, no_node, b.id}, .reduction = Reduction::contract},
                   where, shape, dims);
}

}  // namespace

Value reduce(Reduction reduction, Value x, const std::vector<int>& dims, bool keepdim, DType dtype) {
    Value result = reduced(*x.graph, {.dtype = dtype, .operands = {x.id, no_node}, .reduction = reduction},
                           mask_or_none(x), Shape(x.shape()), dims);
    if (keepdim)
        for (const int dim : dims) result = unsqueeze(result, dim);
    return result;
}

Value contract(Value a, Value b, const std::vector<int>& dims) {
    const Value terms = apply<op::Mul>({a, b}, MaskMode::intersection);
    const auto factor = [&](Value x) { return x.dtype() == terms.dtype() ? x : cast(x, terms.dtype()); };
    return contracted(factor(a), factor(b), mask_or_none(terms), Shape(terms.shape()), dims);
}

Value contract(Value a, Value b, std::optional<Value> where, const std::vector<int>& dims) {
    return contracted(a, b, where, broadcast(a.shape(), b.shape()), dims);
}

Value sum(Value x, const Dims& dims, bool keepdim) {
    x = for_sum(x);
    return reduce_over(Reduction::sum, "sum", x, dims, keepdim, x.dtype());
}

Value prod(Value x, const Dims& dims, bool keepdim) {
    x = for_sum(x);
    return reduce_over(Reduction::prod, "prod", x, dims, keepdim, x.dtype());
}

Value amin(Value x, const Dims& dims, bool keepdim) {
    require_elements(x, dims, "amin");
    return smallest(x, dims, keepdim);
}

Value amax(Value x, const Dims& dims, bool keepdim) {
    require_elements(x, dims, "amax");
    return largest(x, dims, keepdim);
}

Value any(Value x, const Dims& dims, bool keepdim) {
    return reduce_over(Reduction::any, "any", cast(x, DType::boolean), dims, keepdim, DType::boolean);
}

Value all(Value x, const Dims& dims, bool keepdim) {
    return reduce_over(Reduction::all, "all", cast(x, DType::boolean), dims, keepdim, DType::boolean);
}

Value argmin(Value x, std::optional<int> dim, bool keepdim) {
    const Dims dims = dim ? Dims(std::vector<int>{*dim}) : Dims();
    require_elements(x, dims, "argmin");
    return reduce_over(Reduction::argmin, "argmin", x, dims, keepdim, DType::int64);
}

Value argmax(Value x, std::optional<int> dim, bool keepdim) {
    const Dims dims = dim ? Dims(std::vector<int>{*dim}) : Dims();
    require_elements(x, dims, "argmax");
    return reduce_over(Reduction::argmax, "argmax", x, dims, keepdim, DType::int64);
}

Value count(Value x, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "count");
    return sum(mask_of(x), std::vector<int>(over), keepdim);
}

Value mean(Value x, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "mean");
    require_float(x, "mean");
    return cast(wide_mean(x, over, keepdim), dtype_of_result(x));
}

Value var(Value x, const Dims& dims, double correction, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "var");
    const DType dtype = dtype_of_result(x);
    const Value distance = distance_of(widened(x), over);
    const Value squares = centred(sum(distance * distance, over, keepdim), distance, dtype, over, keepdim);
    return cast(squares / degrees_of(x, over, correction, keepdim), dtype);
}

Value std(Value x, const Dims& dims, double correction, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "std_dev");
    const DType dtype = dtype_of_result(x);
    const SumOfSquares squares =
        sum_of_squares(distance_of(widened(x), over), dtype == DType::float64, over, keepdim);
    const Value sum = centred(squares.sum, squares.scaled, dtype, over, keepdim);
    return cast(squares.root_of(sum / degrees_of(x, over, correction, keepdim)), dtype);
}

// Source: the definition; ord infinity, -infinity and 0 as in numpy.linalg.norm of vectors.
Value norm(Value x, double ord, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "norm");
    require_float(x, "norm");
    const DType dtype = dtype_of_result(x);
    return cast(wide_norm(x, dtype, ord, over, keepdim), dtype);
}

Value logsumexp(Value x, const Dims& dims, bool keepdim) {
    const std::vector<int> over = checked_dims(*x.graph, dims, x.rank(), "logsumexp");
    x = as_float(x);
    const Value shift = shift_of(x, over);
    const Value result = apply<op::Log>({sum(apply<op::Exp>({x - shift}), over, true)}) + shift;
    return keepdim ? result : dropped(result, over);
}

Value softmax(Value x, int dim) {
    dim = checked_dim(*x.graph, dim, x.rank(), "softmax");
    require_float(x, "softmax");
    const std::vector<int> over{dim};
    const Value top = to_dense(detach(largest(x, over, true)), number_of(x, 0.0));
    const Value powers = apply<op::Exp>({x - top});
    return powers / to_dense(sum(powers, over, true), number_of(x, 1.0));
}

Value softmin(Value x, int dim) {
    require_float(x, "softmin");
    return softmax(-x, dim);
}

Value log_softmax(Value x, int dim) {
    dim = checked_dim(*x.graph, dim, x.rank(), "log_softmax");
    require_float(x, "log_softmax");
    const std::vector<int> over{dim};
    const Value below = x - to_dense(detach(largest(x, over, true)), number_of(x, 0.0));
    const Value total = sum(apply<op::Exp>({below}), over, true);
    return below - to_dense(apply<op::Log>({total}), number_of(x, 0.0));
}

Value cumsum(Value x, int dim) { return scan(Reduction::sum, "cumsum", x, dim); }
Value cumprod(Value x, int dim) { return scan(Reduction::prod, "cumprod", x, dim); }

Value normalize(Value x, double ord, int dim, double eps) {
    dim = checked_dim(*x.graph, dim, x.rank(), "normalize");
    require_float(x, "normalize");
    const DType dtype = dtype_of_result(x);
    const Value size = wide_norm(x, dtype, ord, {dim}, true);
    const Value divisor = to_dense(apply<op::Maximum>({size, number_of(x, eps)}), number_of(x, 1.0));
    if (dtype == DType::float64) return x / divisor;
    // Rounded to float32, a product with the inverse in float64 is as good, and takes half of the time.
    return cast(widened(x) * apply<op::Reciprocal>({divisor}), dtype);
}

}  // namespace frisket::ir
