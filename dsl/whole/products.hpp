// SPDX-License-Identifier: MIT
#pragma once
#include "../whole.hpp"

#include <optional>
#include <vector>

/// Products: a term is there where both factors are specified; a sum of no terms is masked.
/// Errors, when the expression is evaluated: ShapeError.
namespace frisket {

namespace op {

struct Matmul : WholeOp<Matmul> {
    static constexpr WholeInfo info{.name = "matmul", .type = WholeType::numbers};
    build::Expr lower(build::Expr a, build::Expr b) const { return build::matmul(a, b); }
};
struct Mm : WholeOp<Mm> {
    static constexpr WholeInfo info{.name = "mm", .type = WholeType::numbers};
    build::Expr lower(build::Expr a, build::Expr b) const { return build::mm(a, b); }
};
struct Mv : WholeOp<Mv> {
    static constexpr WholeInfo info{.name = "mv", .type = WholeType::numbers};
    build::Expr lower(build::Expr a, build::Expr b) const { return build::mv(a, b); }
};
struct Bmm : WholeOp<Bmm> {
    static constexpr WholeInfo info{.name = "bmm", .type = WholeType::numbers};
    build::Expr lower(build::Expr a, build::Expr b) const { return build::bmm(a, b); }
};
struct Dot : WholeOp<Dot> {
    static constexpr WholeInfo info{.name = "dot", .type = WholeType::numbers};
    build::Expr lower(build::Expr a, build::Expr b) const { return build::dot(a, b); }
};
struct Linear : WholeOp<Linear> {
    static constexpr WholeInfo info{.name = "linear", .type = WholeType::numbers};
    build::Expr lower(const std::vector<build::Expr>& parts) const {
        return build::linear(parts[0], parts[1], parts.size() > 2 ? std::optional(parts[2]) : std::nullopt);
    }
};

}  // namespace op

/// Vectors, matrices and batches of them, which broadcast.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto matmul(const A& a, const B& b) {
    return detail::whole(op::Matmul{}, a, b);
}
/// Of matrices.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto mm(const A& a, const B& b) {
    return detail::whole(op::Mm{}, a, b);
}
/// Of a matrix and a vector.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto mv(const A& a, const B& b) {
    return detail::whole(op::Mv{}, a, b);
}
/// Of batches of matrices.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto bmm(const A& a, const B& b) {
    return detail::whole(op::Bmm{}, a, b);
}
/// Of vectors.
template <class A, class B>
    requires OneOfOurs<A, B>
constexpr auto dot(const A& a, const B& b) {
    return detail::whole(op::Dot{}, a, b);
}
/// x W^T + bias, for weights of shape [out, in].
template <class X, class W, class... Bias>
    requires(OneOfOurs<X, W> && sizeof...(Bias) <= 1)
constexpr auto linear(const X& x, const W& weights, const Bias&... bias) {
    return detail::whole_of(op::Linear{}, x, weights, bias...);
}

}  // namespace frisket
