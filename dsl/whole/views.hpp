// SPDX-License-Identifier: MIT
#pragma once
#include "../whole.hpp"

#include <cstdint>
#include <optional>

/// Views: the same selection of the values and of the mask.  Dimensions are checked when the expression is
/// evaluated.  Errors: DimError, and what is said.
namespace frisket {

namespace op {

struct Select : WholeOp<Select> {
    static constexpr WholeInfo info{.name = "select"};
    build::Expr lower(build::Expr x) const { return build::select(x, dim, at); }
    int dim = 0;
    std::int64_t at = 0;
};
struct Slice : WholeOp<Slice> {
    static constexpr WholeInfo info{.name = "slice"};
    build::Expr lower(build::Expr x) const { return build::slice(x, dim, start, end, step); }
    int dim = 0;
    std::optional<std::int64_t> start = {};
    std::optional<std::int64_t> end = {};
    std::int64_t step = 1;
};
struct Narrow : WholeOp<Narrow> {
    static constexpr WholeInfo info{.name = "narrow"};
    build::Expr lower(build::Expr x) const { return build::narrow(x, dim, start, length); }
    int dim = 0;
    std::int64_t start = 0;
    std::int64_t length = 0;
};
struct Transpose : WholeOp<Transpose> {
    static constexpr WholeInfo info{.name = "transpose"};
    build::Expr lower(build::Expr x) const { return build::transpose(x, dim0, dim1); }
    int dim0 = 0;
    int dim1 = 1;
};
struct Permute : WholeOp<Permute> {
    static constexpr WholeInfo info{.name = "permute"};
    build::Expr lower(build::Expr x) const { return build::permute(x, dims.to_vector()); }
    Few<int> dims = {};
};
struct Movedim : WholeOp<Movedim> {
    static constexpr WholeInfo info{.name = "movedim"};
    build::Expr lower(build::Expr x) const { return build::movedim(x, source, destination); }
    int source = 0;
    int destination = 0;
};
struct Reshape : WholeOp<Reshape> {
    static constexpr WholeInfo info{.name = "reshape"};
    build::Expr lower(build::Expr x) const { return build::reshape(x, shape.to_vector()); }
    Few<std::int64_t> shape = {};
};
struct Flatten : WholeOp<Flatten> {
    static constexpr WholeInfo info{.name = "flatten"};
    build::Expr lower(build::Expr x) const { return build::flatten(x, start_dim, end_dim); }
    int start_dim = 0;
    int end_dim = -1;
};
struct Squeeze : WholeOp<Squeeze> {
    static constexpr WholeInfo info{.name = "squeeze"};
    build::Expr lower(build::Expr x) const { return build::squeeze(x, dim); }
    std::optional<int> dim = {};
};
struct Unsqueeze : WholeOp<Unsqueeze> {
    static constexpr WholeInfo info{.name = "unsqueeze"};
    build::Expr lower(build::Expr x) const { return build::unsqueeze(x, dim); }
    int dim = 0;
};
struct Expand : WholeOp<Expand> {
    static constexpr WholeInfo info{.name = "expand"};
    build::Expr lower(build::Expr x) const { return build::expand(x, shape.to_vector()); }
    Few<std::int64_t> shape = {};
};
struct Flip : WholeOp<Flip> {
    static constexpr WholeInfo info{.name = "flip"};
    build::Expr lower(build::Expr x) const { return build::flip(x, dims.to_vector()); }
    Few<int> dims = {};
};
struct Roll : WholeOp<Roll> {
    static constexpr WholeInfo info{.name = "roll"};
    build::Expr lower(build::Expr x) const { return build::roll(x, shift, dim); }
    std::int64_t shift = 0;
    int dim = 0;
};
struct Repeat : WholeOp<Repeat> {
    static constexpr WholeInfo info{.name = "repeat"};
    build::Expr lower(build::Expr x) const { return build::repeat(x, repeats.to_vector()); }
    Few<std::int64_t> repeats = {};
};
struct Diagonal : WholeOp<Diagonal> {
    static constexpr WholeInfo info{.name = "diagonal"};
    build::Expr lower(build::Expr x) const { return build::diagonal(x, offset, dim0, dim1); }
    std::int64_t offset = 0;
    int dim0 = 0;
    int dim1 = 1;
};

}  // namespace op

/// One index of a dimension, which goes.  Errors: IndexError.
template <class A>
    requires OneOfOurs<A>
constexpr auto select(const A& a, int dim, std::int64_t at) {
    return detail::whole(op::Select{{}, dim, at}, a);
}
/// Python's rules for bounds, std::nullopt for open ones; step >= 1.  Errors: ValueError.
template <class A>
    requires OneOfOurs<A>
constexpr auto slice(const A& a, int dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                     std::int64_t step = 1) {
    return detail::whole(op::Slice{{}, dim, start, end, step}, a);
}
/// Errors: IndexError if it does not fit.
template <class A>
    requires OneOfOurs<A>
constexpr auto narrow(const A& a, int dim, std::int64_t start, std::int64_t length) {
    return detail::whole(op::Narrow{{}, dim, start, length}, a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto transpose(const A& a, int dim0 = 0, int dim1 = 1) {
    return detail::whole(op::Transpose{{}, dim0, dim1}, a);
}
/// Dimension d of the result is dimension dims[d].
template <class A>
    requires OneOfOurs<A>
constexpr auto permute(const A& a, Few<int> dims) {
    return detail::whole(op::Permute{{}, dims}, a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto movedim(const A& a, int source, int destination) {
    return detail::whole(op::Movedim{{}, source, destination}, a);
}
/// Row-major; one extent may be -1.  Errors: ShapeError.
template <class A>
    requires OneOfOurs<A>
constexpr auto reshape(const A& a, Few<std::int64_t> shape) {
    return detail::whole(op::Reshape{{}, shape}, a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto flatten(const A& a, int start_dim = 0, int end_dim = -1) {
    return detail::whole(op::Flatten{{}, start_dim, end_dim}, a);
}
/// Without a dimension of extent 1, or without any.
template <class A>
    requires OneOfOurs<A>
constexpr auto squeeze(const A& a, std::optional<int> dim = {}) {
    return detail::whole(op::Squeeze{{}, dim}, a);
}
/// With a new dimension of extent 1.
template <class A>
    requires OneOfOurs<A>
constexpr auto unsqueeze(const A& a, int dim) {
    return detail::whole(op::Unsqueeze{{}, dim}, a);
}
/// Repeated to a larger shape; -1 keeps an extent.  Errors: ShapeError.
template <class A>
    requires OneOfOurs<A>
constexpr auto expand(const A& a, Few<std::int64_t> shape) {
    return detail::whole(op::Expand{{}, shape}, a);
}
/// Backwards along these dimensions.
template <class A>
    requires OneOfOurs<A>
constexpr auto flip(const A& a, Few<int> dims) {
    return detail::whole(op::Flip{{}, dims}, a);
}
template <class A>
    requires OneOfOurs<A>
constexpr auto roll(const A& a, std::int64_t shift, int dim) {
    return detail::whole(op::Roll{{}, shift, dim}, a);
}
/// So many times along each dimension.
template <class A>
    requires OneOfOurs<A>
constexpr auto repeat(const A& a, Few<std::int64_t> repeats) {
    return detail::whole(op::Repeat{{}, repeats}, a);
}
/// Becomes the last dimension.
template <class A>
    requires OneOfOurs<A>
constexpr auto diagonal(const A& a, std::int64_t offset = 0, int dim0 = 0, int dim1 = 1) {
    return detail::whole(op::Diagonal{{}, offset, dim0, dim1}, a);
}

/// Parts of `size` along a dimension, the last one smaller: not an expression, but a list of them, for eval.
template <class A>
struct Split {
    A a;
    std::int64_t size = 1;
    int dim = 0;
};

/// Errors: ValueError if size < 1.
template <class A>
    requires OneOfOurs<A>
constexpr auto split(const A& a, std::int64_t size, int dim = 0) {
    return Split<detail::Operand<A>>{detail::operand(a), size, dim};
}

}  // namespace frisket
