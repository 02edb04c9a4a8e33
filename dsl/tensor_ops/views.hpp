// SPDX-License-Identifier: MIT
// Declares views: selections and rearrangements of elements.
#pragma once
#include "../tensor_ops.hpp"

#include <cstdint>
#include <optional>

/// Views: the same selection of the values and of the mask.  Dimensions are checked when the expression is
/// evaluated.  Errors: DimError, and what is said.
namespace frisket {

namespace op {

struct Select : TensorOp<Select, 2> {
    static constexpr TensorOpInfo info{.name = "select"};
    ir::Value lower(ir::Value x) const { return ir::select(x, dim, at); }
    int dim = 0;
    std::int64_t at = 0;
};
struct Slice : TensorOp<Slice, 4> {
    static constexpr TensorOpInfo info{.name = "slice"};
    ir::Value lower(ir::Value x) const { return ir::slice(x, dim, start, end, step); }
    int dim = 0;
    std::optional<std::int64_t> start = {};
    std::optional<std::int64_t> end = {};
    std::int64_t step = 1;
};
struct Narrow : TensorOp<Narrow, 3> {
    static constexpr TensorOpInfo info{.name = "narrow"};
    ir::Value lower(ir::Value x) const { return ir::narrow(x, dim, start, length); }
    int dim = 0;
    std::int64_t start = 0;
    std::int64_t length = 0;
};
struct Transpose : TensorOp<Transpose, 2> {
    static constexpr TensorOpInfo info{.name = "transpose"};
    ir::Value lower(ir::Value x) const { return ir::transpose(x, dim0, dim1); }
    int dim0 = 0;
    int dim1 = 1;
};
struct Permute : TensorOp<Permute, 1> {
    static constexpr TensorOpInfo info{.name = "permute"};
    ir::Value lower(ir::Value x) const { return ir::permute(x, dims.to_vector()); }
    InlineVector<int> dims = {};
};
struct Movedim : TensorOp<Movedim, 2> {
    static constexpr TensorOpInfo info{.name = "movedim"};
    ir::Value lower(ir::Value x) const { return ir::movedim(x, source, destination); }
    int source = 0;
    int destination = 0;
};
struct Reshape : TensorOp<Reshape, 1> {
    static constexpr TensorOpInfo info{.name = "reshape"};
    ir::Value lower(ir::Value x) const { return ir::reshape(x, shape.to_vector()); }
    InlineVector<std::int64_t> shape = {};
};
struct Flatten : TensorOp<Flatten, 2> {
    static constexpr TensorOpInfo info{.name = "flatten"};
    ir::Value lower(ir::Value x) const { return ir::flatten(x, start_dim, end_dim); }
    int start_dim = 0;
    int end_dim = -1;
};
struct Squeeze : TensorOp<Squeeze, 1> {
    static constexpr TensorOpInfo info{.name = "squeeze"};
    ir::Value lower(ir::Value x) const { return ir::squeeze(x, dim); }
    std::optional<int> dim = {};
};
struct Unsqueeze : TensorOp<Unsqueeze, 1> {
    static constexpr TensorOpInfo info{.name = "unsqueeze"};
    ir::Value lower(ir::Value x) const { return ir::unsqueeze(x, dim); }
    int dim = 0;
};
struct Expand : TensorOp<Expand, 1> {
    static constexpr TensorOpInfo info{.name = "expand"};
    ir::Value lower(ir::Value x) const { return ir::expand(x, shape.to_vector()); }
    InlineVector<std::int64_t> shape = {};
};
struct Flip : TensorOp<Flip, 1> {
    static constexpr TensorOpInfo info{.name = "flip"};
    ir::Value lower(ir::Value x) const { return ir::flip(x, dims.to_vector()); }
    InlineVector<int> dims = {};
};
struct Roll : TensorOp<Roll, 2> {
    static constexpr TensorOpInfo info{.name = "roll"};
    ir::Value lower(ir::Value x) const { return ir::roll(x, shift, dim); }
    std::int64_t shift = 0;
    int dim = 0;
};
struct Repeat : TensorOp<Repeat, 1> {
    static constexpr TensorOpInfo info{.name = "repeat"};
    ir::Value lower(ir::Value x) const { return ir::repeat(x, repeats.to_vector()); }
    InlineVector<std::int64_t> repeats = {};
};
struct Diagonal : TensorOp<Diagonal, 3> {
    static constexpr TensorOpInfo info{.name = "diagonal"};
    ir::Value lower(ir::Value x) const { return ir::diagonal(x, offset, dim0, dim1); }
    std::int64_t offset = 0;
    int dim0 = 0;
    int dim1 = 1;
};

}  // namespace op

/// One index of a dimension, which goes.  Errors: IndexError if it is out of range.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Select, A> select(const A& a, int dim, std::int64_t at) {
    return detail::whole(op::Select{{}, dim, at}, a);
}
/// Python's rules for bounds, std::nullopt for open bounds.  Errors: ValueError if step < 1.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Slice, A> slice(const A& a, int dim, std::optional<std::int64_t> start,
                                                  std::optional<std::int64_t> end, std::int64_t step = 1) {
    return detail::whole(op::Slice{{}, dim, start, end, step}, a);
}
/// `length` elements from `start` on.  Errors: IndexError if they are not there.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Narrow, A> narrow(const A& a, int dim, std::int64_t start,
                                                    std::int64_t length) {
    return detail::whole(op::Narrow{{}, dim, start, length}, a);
}
/// Two dimensions exchanged.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Transpose, A> transpose(const A& a, int dim0 = 0, int dim1 = 1) {
    return detail::whole(op::Transpose{{}, dim0, dim1}, a);
}
/// Dimension d of the result is dimension dims[d].
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Permute, A> permute(const A& a, InlineVector<int> dims) {
    return detail::whole(op::Permute{{}, dims}, a);
}
/// One dimension moved to another position; the rest keep their order.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Movedim, A> movedim(const A& a, int source, int destination) {
    return detail::whole(op::Movedim{{}, source, destination}, a);
}
/// Elements in row-major order as another shape; one extent may be -1.  Errors: ShapeError if the element
/// counts differ.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Reshape, A> reshape(const A& a, InlineVector<std::int64_t> shape) {
    return detail::whole(op::Reshape{{}, shape}, a);
}
/// Dimensions start_dim to end_dim as one, row-major.  Errors: DimError if they are out of range or in the
/// wrong order.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Flatten, A> flatten(const A& a, int start_dim = 0, int end_dim = -1) {
    return detail::whole(op::Flatten{{}, start_dim, end_dim}, a);
}
/// Drops a dimension of extent 1, or all of them.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Squeeze, A> squeeze(const A& a, std::optional<int> dim = {}) {
    return detail::whole(op::Squeeze{{}, dim}, a);
}
/// With a new dimension of extent 1.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Unsqueeze, A> unsqueeze(const A& a, int dim) {
    return detail::whole(op::Unsqueeze{{}, dim}, a);
}
/// Repeated to a larger shape; -1 keeps an extent.  Errors: ShapeError if it does not broadcast to that.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Expand, A> expand(const A& a, InlineVector<std::int64_t> shape) {
    return detail::whole(op::Expand{{}, shape}, a);
}
/// Backwards along these dimensions.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Flip, A> flip(const A& a, InlineVector<int> dims) {
    return detail::whole(op::Flip{{}, dims}, a);
}
/// Moved along a dimension by `shift`; elements that leave at the end come in at the start.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Roll, A> roll(const A& a, std::int64_t shift, int dim) {
    return detail::whole(op::Roll{{}, shift, dim}, a);
}
/// Repeats x the given number of times along each dimension.  Errors: ShapeError if there is not a number of
/// 0 or more for each.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Repeat, A> repeat(const A& a, InlineVector<std::int64_t> repeats) {
    return detail::whole(op::Repeat{{}, repeats}, a);
}
/// Elements whose indices in dim0 and dim1 differ by `offset`: a dimension, which becomes the last.
template <class A>
    requires AnyOperand<A>
constexpr detail::WholeNodeOf<op::Diagonal, A> diagonal(const A& a, std::int64_t offset = 0, int dim0 = 0,
                                                        int dim1 = 1) {
    return detail::whole(op::Diagonal{{}, offset, dim0, dim1}, a);
}

/// Parts of `size` along a dimension, the last one smaller: not an expression, but a list of them, for eval.
template <class A>
struct Split {
    static constexpr ExprType expr_type = A::expr_type;
    A a;
    std::int64_t size = 1;
    int dim = 0;
};

namespace detail {
template <class A>
using SplitOf = typename CheckedNode<Split<Operand<A>>, A>::Type;
}  // namespace detail

/// Parts for eval.  Errors: ValueError if size < 1; DimError if the dimension is out of range.
template <class A>
    requires AnyOperand<A>
constexpr detail::SplitOf<A> split(const A& a, std::int64_t size, int dim = 0) {
    return detail::checked(Split<detail::Operand<A>>{detail::operand(a), size, dim});
}

}  // namespace frisket
