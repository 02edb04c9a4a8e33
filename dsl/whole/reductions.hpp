// SPDX-License-Identifier: MIT
#pragma once
#include "../whole.hpp"

/// Reductions over the specified elements, `sum(x)`, `sum(x, 1)`, `sum(x, {0, -1}, keepdim)`: a result is
/// specified where one element of its slice is.  And what runs along one dimension and keeps shape and mask.
/// Errors: DimError.
namespace frisket {

namespace op {

struct Sum : WholeOp<Sum> {
    static constexpr WholeInfo info{.name = "sum", .type = WholeType::summed};
    build::Expr lower(build::Expr x) const { return build::sum(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Prod : WholeOp<Prod> {
    static constexpr WholeInfo info{.name = "prod", .type = WholeType::summed};
    build::Expr lower(build::Expr x) const { return build::prod(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Mean : WholeOp<Mean> {
    static constexpr WholeInfo info{.name = "mean", .type = WholeType::floats};
    build::Expr lower(build::Expr x) const { return build::mean(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Amin : WholeOp<Amin> {
    static constexpr WholeInfo info{.name = "amin"};
    build::Expr lower(build::Expr x) const { return build::amin(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Amax : WholeOp<Amax> {
    static constexpr WholeInfo info{.name = "amax"};
    build::Expr lower(build::Expr x) const { return build::amax(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Any : WholeOp<Any> {
    static constexpr WholeInfo info{.name = "any", .type = WholeType::boolean};
    build::Expr lower(build::Expr x) const { return build::any(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct AllOf : WholeOp<AllOf> {
    static constexpr WholeInfo info{.name = "all", .type = WholeType::boolean};
    build::Expr lower(build::Expr x) const { return build::all(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Argmin : WholeOp<Argmin> {
    static constexpr WholeInfo info{.name = "argmin", .type = WholeType::int64};
    build::Expr lower(build::Expr x) const { return build::argmin(x, dims.one(), dims.keep()); }
    Dims dims = {};
};
struct Argmax : WholeOp<Argmax> {
    static constexpr WholeInfo info{.name = "argmax", .type = WholeType::int64};
    build::Expr lower(build::Expr x) const { return build::argmax(x, dims.one(), dims.keep()); }
    Dims dims = {};
};
struct Var : WholeOp<Var> {
    static constexpr WholeInfo info{.name = "var", .type = WholeType::as_float};
    build::Expr lower(build::Expr x) const {
        return build::var(x, dims.list(x.rank()), correction, dims.keep());
    }
    Dims dims = {};
    double correction = 1;
};
struct StdDev : WholeOp<StdDev> {
    static constexpr WholeInfo info{.name = "std", .type = WholeType::as_float};
    build::Expr lower(build::Expr x) const {
        return build::std(x, dims.list(x.rank()), correction, dims.keep());
    }
    Dims dims = {};
    double correction = 1;
};
struct Norm : WholeOp<Norm> {
    static constexpr WholeInfo info{.name = "norm", .type = WholeType::floats};
    build::Expr lower(build::Expr x) const { return build::norm(x, ord, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
    double ord = 2;
};
struct Logsumexp : WholeOp<Logsumexp> {
    static constexpr WholeInfo info{.name = "logsumexp", .type = WholeType::as_float};
    build::Expr lower(build::Expr x) const { return build::logsumexp(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};
struct Count : WholeOp<Count> {
    static constexpr WholeInfo info{.name = "count", .type = WholeType::int64, .mask = WholeInfo::Mask::none};
    build::Expr lower(build::Expr x) const { return build::count(x, dims.list(x.rank()), dims.keep()); }
    Dims dims = {};
};

struct Median : WholeOp<Median> {
    static constexpr WholeInfo info{.name = "median", .needs_eval = true};
    build::Expr lower(Lowering& lowering, build::Expr x) const {
        return lowering.median(x, dims.one(), dims.keep());
    }
    Dims dims = {};
};

struct Softmax : WholeOp<Softmax> {
    static constexpr WholeInfo info{.name = "softmax", .type = WholeType::floats};
    build::Expr lower(build::Expr x) const { return build::softmax(x, dim); }
    int dim = 0;
};
struct Softmin : WholeOp<Softmin> {
    static constexpr WholeInfo info{.name = "softmin", .type = WholeType::floats};
    build::Expr lower(build::Expr x) const { return build::softmin(x, dim); }
    int dim = 0;
};
struct LogSoftmax : WholeOp<LogSoftmax> {
    static constexpr WholeInfo info{.name = "log_softmax", .type = WholeType::floats};
    build::Expr lower(build::Expr x) const { return build::log_softmax(x, dim); }
    int dim = 0;
};
struct Cumsum : WholeOp<Cumsum> {
    static constexpr WholeInfo info{.name = "cumsum", .type = WholeType::summed};
    build::Expr lower(build::Expr x) const { return build::cumsum(x, dim); }
    int dim = 0;
};
struct Cumprod : WholeOp<Cumprod> {
    static constexpr WholeInfo info{.name = "cumprod", .type = WholeType::summed};
    build::Expr lower(build::Expr x) const { return build::cumprod(x, dim); }
    int dim = 0;
};
struct Normalize : WholeOp<Normalize> {
    static constexpr WholeInfo info{.name = "normalize", .type = WholeType::floats};
    build::Expr lower(build::Expr x) const { return build::normalize(x, ord, dim, eps); }
    double ord = 2;
    int dim = 1;
    double eps = 1e-12;
};

}  // namespace op

/// Sum; whole numbers and bool: an int64.
template <class A>
    requires OneOfOurs<A>
constexpr auto sum(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Sum{{}, dims.with(keep)}, a);
}
/// Product; whole numbers and bool: an int64.
template <class A>
    requires OneOfOurs<A>
constexpr auto prod(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Prod{{}, dims.with(keep)}, a);
}
/// Mean, of floats.
template <class A>
    requires OneOfOurs<A>
constexpr auto mean(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Mean{{}, dims.with(keep)}, a);
}
/// The smallest element; NaN if one is.
template <class A>
    requires OneOfOurs<A>
constexpr auto amin(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Amin{{}, dims.with(keep)}, a);
}
/// The largest element; NaN if one is.
template <class A>
    requires OneOfOurs<A>
constexpr auto amax(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Amax{{}, dims.with(keep)}, a);
}
/// Whether one is not 0.
template <class A>
    requires OneOfOurs<A>
constexpr auto any(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Any{{}, dims.with(keep)}, a);
}
/// Position of the first smallest element along one dimension, or row-major in the whole tensor.
template <class A>
    requires OneOfOurs<A>
constexpr auto argmin(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Argmin{{}, dims.with(keep)}, a);
}
/// The same of the largest.
template <class A>
    requires OneOfOurs<A>
constexpr auto argmax(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Argmax{{}, dims.with(keep)}, a);
}
/// Mean squared distance from the mean, with divisor max(count - correction, 0).
template <class A>
    requires OneOfOurs<A>
constexpr auto var(const A& a, Dims dims = {}, Keep keep = {}, double correction = 1) {
    return detail::whole(op::Var{{}, dims.with(keep), correction}, a);
}
/// Its root; the name that does not hide namespace std.
template <class A>
    requires OneOfOurs<A>
constexpr auto std_dev(const A& a, Dims dims = {}, Keep keep = {}, double correction = 1) {
    return detail::whole(op::StdDev{{}, dims.with(keep), correction}, a);
}
/// (sum |x|^ord)^(1/ord); ord infinity: the largest |x|, -infinity: the smallest, 0: how many are not 0.
template <class A>
    requires OneOfOurs<A>
constexpr auto norm(const A& a, Dims dims = {}, Keep keep = {}, double ord = 2) {
    return detail::whole(op::Norm{{}, dims.with(keep), ord}, a);
}
/// log(sum(exp(x))), which does not overflow.
template <class A>
    requires OneOfOurs<A>
constexpr auto logsumexp(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Logsumexp{{}, dims.with(keep)}, a);
}
/// Number of specified elements: dense.
template <class A>
    requires OneOfOurs<A>
constexpr auto count(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Count{{}, dims.with(keep)}, a);
}
/// The lower median; NaN if one is.  Not in steps.
template <class A>
    requires OneOfOurs<A>
constexpr auto median(const A& a, Dims dims = {}, Keep keep = {}) {
    return detail::whole(op::Median{{}, dims.with(keep)}, a);
}

/// The tag and the reduction: `x[{0, all}]`, and `all(x)`, whether none is 0.
struct All {
    template <class A>
        requires OneOfOurs<A>
    constexpr auto operator()(const A& a, Dims dims = {}, Keep keep = {}) const {
        return detail::whole(op::AllOf{{}, dims.with(keep)}, a);
    }
};
inline constexpr All all{};

/// exp(x) / sum(exp(x)) along a dimension.
template <class A>
    requires OneOfOurs<A>
constexpr auto softmax(const A& a, int dim) {
    return detail::whole(op::Softmax{{}, dim}, a);
}
/// softmax of -x.
template <class A>
    requires OneOfOurs<A>
constexpr auto softmin(const A& a, int dim) {
    return detail::whole(op::Softmin{{}, dim}, a);
}
/// log(softmax(x)).
template <class A>
    requires OneOfOurs<A>
constexpr auto log_softmax(const A& a, int dim) {
    return detail::whole(op::LogSoftmax{{}, dim}, a);
}
/// Running sum; whole numbers and bool: int64.
template <class A>
    requires OneOfOurs<A>
constexpr auto cumsum(const A& a, int dim) {
    return detail::whole(op::Cumsum{{}, dim}, a);
}
/// Running product.
template <class A>
    requires OneOfOurs<A>
constexpr auto cumprod(const A& a, int dim) {
    return detail::whole(op::Cumprod{{}, dim}, a);
}
/// x / max(norm(x, dim), eps).
template <class A>
    requires OneOfOurs<A>
constexpr auto normalize(const A& a, double ord = 2, int dim = 1, double eps = 1e-12) {
    return detail::whole(op::Normalize{{}, ord, dim, eps}, a);
}

}  // namespace frisket
