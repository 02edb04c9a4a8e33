// SPDX-License-Identifier: MIT
// Declares reductions, softmax and running sums.
#pragma once
#include "../tensor_ops.hpp"

/// Reductions over the specified elements, `sum(x)`, `sum(x, 1)`, `sum(x, {0, -1}, keepdim)`: a result is
/// specified where one element of its slice is.  And what runs along one dimension and keeps shape and mask.
/// Errors: DimError.
namespace frisket {

namespace op {

struct Sum : TensorOp<Sum, 1> {
    static constexpr TensorOpInfo info{.name = "sum", .type = WholeType::summed};
    ir::Value lower(ir::Value x) const { return ir::sum(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Prod : TensorOp<Prod, 1> {
    static constexpr TensorOpInfo info{.name = "prod", .type = WholeType::summed};
    ir::Value lower(ir::Value x) const { return ir::prod(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Mean : TensorOp<Mean, 1> {
    static constexpr TensorOpInfo info{.name = "mean", .type = WholeType::floats};
    ir::Value lower(ir::Value x) const { return ir::mean(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Amin : TensorOp<Amin, 1> {
    static constexpr TensorOpInfo info{.name = "amin"};
    ir::Value lower(ir::Value x) const { return ir::amin(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Amax : TensorOp<Amax, 1> {
    static constexpr TensorOpInfo info{.name = "amax"};
    ir::Value lower(ir::Value x) const { return ir::amax(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Any : TensorOp<Any, 1> {
    static constexpr TensorOpInfo info{.name = "any", .type = WholeType::boolean};
    ir::Value lower(ir::Value x) const { return ir::any(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct AllOf : TensorOp<AllOf, 1> {
    static constexpr TensorOpInfo info{.name = "all", .type = WholeType::boolean};
    ir::Value lower(ir::Value x) const { return ir::all(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Argmin : TensorOp<Argmin, 1> {
    static constexpr TensorOpInfo info{.name = "argmin", .type = WholeType::int64};
    ir::Value lower(ir::Value x) const { return ir::argmin(x, dims.one(), dims.keep()); }
    Dims dims = {};
};
struct Argmax : TensorOp<Argmax, 1> {
    static constexpr TensorOpInfo info{.name = "argmax", .type = WholeType::int64};
    ir::Value lower(ir::Value x) const { return ir::argmax(x, dims.one(), dims.keep()); }
    Dims dims = {};
};
struct Var : TensorOp<Var, 2> {
    static constexpr TensorOpInfo info{.name = "var", .type = WholeType::as_float};
    ir::Value lower(ir::Value x) const { return ir::var(x, dims.list(x.rank()), correction, dims.keep()); }
    Dims dims = {};
    double correction = 1;
};
struct StdDev : TensorOp<StdDev, 2> {
    static constexpr TensorOpInfo info{.name = "std", .type = WholeType::as_float};
    ir::Value lower(ir::Value x) const { return ir::std(x, dims.list(x.rank()), correction, dims.keep()); }
    Dims dims = {};
    double correction = 1;
};
struct Norm : TensorOp<Norm, 2> {
    static constexpr TensorOpInfo info{.name = "norm", .type = WholeType::floats};
    ir::Value lower(ir::Value x) const { return ir::norm(x, ord, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
    double ord = 2;
};
struct Logsumexp : TensorOp<Logsumexp, 1> {
    static constexpr TensorOpInfo info{.name = "logsumexp", .type = WholeType::as_float};
    ir::Value lower(ir::Value x) const { return ir::logsumexp(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Count : TensorOp<Count, 1> {
    static constexpr TensorOpInfo info{
        .name = "count", .type = WholeType::int64, .mask = TensorOpInfo::Mask::none};
    ir::Value lower(ir::Value x) const { return ir::count(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};

struct Median : TensorOp<Median, 1> {
    static constexpr TensorOpInfo info{.name = "median", .needs_eval = true};
    ir::Value lower(GraphEmitter& lowering, ir::Value x) const {
        return lowering.median(x, dims.one(), dims.keep());
    }
    Dims dims = {};
};

struct Softmax : TensorOp<Softmax, 1> {
    static constexpr TensorOpInfo info{.name = "softmax", .type = WholeType::floats};
    ir::Value lower(ir::Value x) const { return ir::softmax(x, dim); }
    int dim = 0;
};
struct Softmin : TensorOp<Softmin, 1> {
    static constexpr TensorOpInfo info{.name = "softmin", .type = WholeType::floats};
    ir::Value lower(ir::Value x) const { return ir::softmin(x, dim); }
    int dim = 0;
};
struct LogSoftmax : TensorOp<LogSoftmax, 1> {
    static constexpr TensorOpInfo info{.name = "log_softmax", .type = WholeType::floats};
    ir::Value lower(ir::Value x) const { return ir::log_softmax(x, dim); }
    int dim = 0;
};
struct Cumsum : TensorOp<Cumsum, 1> {
    static constexpr TensorOpInfo info{.name = "cumsum", .type = WholeType::summed};
    ir::Value lower(ir::Value x) const { return ir::cumsum(x, dim); }
    int dim = 0;
};
struct Cumprod : TensorOp<Cumprod, 1> {
    static constexpr TensorOpInfo info{.name = "cumprod", .type = WholeType::summed};
    ir::Value lower(ir::Value x) const { return ir::cumprod(x, dim); }
    int dim = 0;
};
struct Normalize : TensorOp<Normalize, 3> {
    static constexpr TensorOpInfo info{.name = "normalize", .type = WholeType::floats};
    ir::Value lower(ir::Value x) const { return ir::normalize(x, ord, dim, eps); }
    double ord = 2;
    int dim = 1;
    double eps = 1e-12;
};

}  // namespace op

/// Sum.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Sum, A> sum(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Sum{{}, dims.with(keep)}, a);
}
/// Product.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Prod, A> prod(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Prod{{}, dims.with(keep)}, a);
}
/// Mean.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Mean, A> mean(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Mean{{}, dims.with(keep)}, a);
}
/// The smallest element; NaN if one is.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Amin, A> amin(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Amin{{}, dims.with(keep)}, a);
}
/// The largest element; NaN if one is.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Amax, A> amax(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Amax{{}, dims.with(keep)}, a);
}
/// True where an element of a slice is not 0.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Any, A> any(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Any{{}, dims.with(keep)}, a);
}
/// Position of the first smallest element along one dimension, or row-major in the whole tensor; NaN is
/// smallest.  Errors: DimError if there are several dimensions, or the one is out of range.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Argmin, A> argmin(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Argmin{{}, dims.with(keep)}, a);
}
/// Position of the first largest element; NaN is largest.  Errors: DimError as argmin.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Argmax, A> argmax(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Argmax{{}, dims.with(keep)}, a);
}
/// Mean squared distance from the mean, with divisor max(count - correction, 0).
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Var, A> var(const A& a, Dims dims = {}, Keep keep = {},
                                              double correction = 1) {
    return detail::whole(op::Var{{}, dims.with(keep), correction}, a);
}
/// Root of var; named so that it does not hide namespace std.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::StdDev, A> std_dev(const A& a, Dims dims = {}, Keep keep = {},
                                                     double correction = 1) {
    return detail::whole(op::StdDev{{}, dims.with(keep), correction}, a);
}
/// (sum |x|^ord)^(1/ord); ord infinity: the largest |x|, -infinity: the smallest, 0: how many are not 0.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Norm, A> norm(const A& a, Dims dims = {}, Keep keep = {}, double ord = 2) {
    return detail::whole(op::Norm{{}, dims.with(keep), ord}, a);
}
/// log(sum(exp(x))), which does not overflow.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Logsumexp, A> logsumexp(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Logsumexp{{}, dims.with(keep)}, a);
}
/// Number of specified elements.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Count, A> count(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Count{{}, dims.with(keep)}, a);
}
/// The lower median; NaN if one is.  Errors: DimError as argmin.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Median, A> median(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Median{{}, dims.with(keep)}, a);
}

/// The tag and the reduction: `x[{0, all}]`, and `all(x)`, whether none is 0.
struct All {
    /// True where no element of a slice is 0.
    template <class A>
        requires AnyOperand<A>
    constexpr detail::WholeNodeOf<op::AllOf, A> operator()(const A& a, Dims dims = {}, Keep keep = {}) const {
        return detail::whole(op::AllOf{{}, dims.with(keep)}, a);
    }
};
inline constexpr All all{};

/// exp(x) / sum(exp(x)) along a dimension.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Softmax, A> softmax(const A& a, int dim) {
    return detail::whole(op::Softmax{{}, dim}, a);
}
/// softmax of -x.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Softmin, A> softmin(const A& a, int dim) {
    return detail::whole(op::Softmin{{}, dim}, a);
}
/// log(softmax(x)).
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::LogSoftmax, A> log_softmax(const A& a, int dim) {
    return detail::whole(op::LogSoftmax{{}, dim}, a);
}
/// Running sum.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Cumsum, A> cumsum(const A& a, int dim) {
    return detail::whole(op::Cumsum{{}, dim}, a);
}
/// Running product.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Cumprod, A> cumprod(const A& a, int dim) {
    return detail::whole(op::Cumprod{{}, dim}, a);
}
/// x / max(norm(x, dim), eps).
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Normalize, A> normalize(const A& a, double ord = 2, int dim = 1,
                                                          double eps = 1e-12) {
    return detail::whole(op::Normalize{{}, ord, dim, eps}, a);
}

}  // namespace frisket
