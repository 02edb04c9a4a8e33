// SPDX-License-Identifier: MIT
// Declares products of matrices and vectors.
#pragma once
#include "../tensor_ops.hpp"

#include <optional>
#include <vector>

/// Products: a term is there where both factors are specified; a sum of no terms is masked.
/// Errors, when the expression is evaluated: ShapeError.
namespace frisket {

namespace op {

struct Matmul : TensorOp<Matmul> {
    static constexpr TensorOpInfo info{.name = "matmul", .type = WholeType::numbers};
    ir::Value lower(ir::Value a, ir::Value b) const { return ir::matmul(a, b); }
};
struct Mm : TensorOp<Mm> {
    static constexpr TensorOpInfo info{.name = "mm", .type = WholeType::numbers};
    ir::Value lower(ir::Value a, ir::Value b) const { return ir::mm(a, b); }
};
struct Mv : TensorOp<Mv> {
    static constexpr TensorOpInfo info{.name = "mv", .type = WholeType::numbers};
    ir::Value lower(ir::Value a, ir::Value b) const { return ir::mv(a, b); }
};
struct Bmm : TensorOp<Bmm> {
    static constexpr TensorOpInfo info{.name = "bmm", .type = WholeType::numbers};
    ir::Value lower(ir::Value a, ir::Value b) const { return ir::bmm(a, b); }
};
struct Dot : TensorOp<Dot> {
    static constexpr TensorOpInfo info{.name = "dot", .type = WholeType::numbers};
    ir::Value lower(ir::Value a, ir::Value b) const { return ir::dot(a, b); }
};
struct Linear : TensorOp<Linear> {
    static constexpr TensorOpInfo info{.name = "linear", .type = WholeType::numbers};
    ir::Value lower(const std::vector<ir::Value>& parts) const {
        return ir::linear(parts[0], parts[1], parts.size() > 2 ? std::optional(parts[2]) : std::nullopt);
    }
};

}  // namespace op

/// Product of vectors, matrices and batches of them, which broadcast.
/// Errors: ShapeError if a factor has rank 0, or inner extents differ.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::WholeNodeOf<op::Matmul, A, B> matmul(const A& a, const B& b) {
    return detail::whole(op::Matmul{}, a, b);
}
/// Product of two matrices.  Errors: ShapeError if ranks are not 2, or inner extents differ.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::WholeNodeOf<op::Mm, A, B> mm(const A& a, const B& b) {
    return detail::whole(op::Mm{}, a, b);
}
/// Product of a matrix and a vector.  Errors: as mm.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::WholeNodeOf<op::Mv, A, B> mv(const A& a, const B& b) {
    return detail::whole(op::Mv{}, a, b);
}
/// Products of two batches of matrices.  Errors: as mm.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::WholeNodeOf<op::Bmm, A, B> bmm(const A& a, const B& b) {
    return detail::whole(op::Bmm{}, a, b);
}
/// Product of two vectors, a number.  Errors: as mm.
template <class A, class B>
    requires AnyOperand<A, B>
constexpr detail::WholeNodeOf<op::Dot, A, B> dot(const A& a, const B& b) {
    return detail::whole(op::Dot{}, a, b);
}
/// x W^T + bias, for weights of shape [out, in].  Errors: ShapeError if x does not end in extent in.
template <class X, class W, class... Bias>
    requires(AnyOperand<X, W> && sizeof...(Bias) <= 1)
constexpr detail::WholePartsOf<op::Linear, X, W, Bias...> linear(const X& x, const W& weights,
                                                                 const Bias&... bias) {
    return detail::whole_of(op::Linear{}, x, weights, bias...);
}

}  // namespace frisket
