// SPDX-License-Identifier: MIT
#include "gradcheck_functions.hpp"

#include <map>

using namespace frisket;
using building::Expr, building::ExpressionContext;

namespace conformance {

namespace {

/// Dense, with gradients for elements that are not specified too.
Expr nonmasked(Expr x) {
    return building::to_dense(x, building::number(*x.graph, 0.0), GradientPath::everywhere);
}
Expr masked(Expr x) { return building::to_dense(x, building::number(*x.graph, 0.0)); }

/// Products of matrices: all elements are variables; or those that are specified.
Expr dense_mm(Expr a, Expr b) { return building::matmul(nonmasked(a), nonmasked(b)); }
Expr sparse_mm(Expr a, Expr b) { return building::matmul(a, b); }

Expr mm_sparse_mm(Expr x) { return dense_mm(sparse_mm(x, x), x); }

}  // namespace

building::Differentiable gradcheck_function(const std::string& name, const AnyMasked& x) {
    const Tensor<bool> pattern = x.mask_tensor();
    const std::map<std::string, building::Differentiable> functions = {
        {"mm_sparse_mm", [](ExpressionContext&, auto in) { return mm_sparse_mm(in[0]); }},
        {"masked_mm_sparse_mm",
         [pattern](ExpressionContext& session, auto in) {
             return mm_sparse_mm(building::restrict(in[0], session.tensor(pattern)));
         }},
        {"to_dense", [](ExpressionContext&, auto in) { return masked(in[0]); }},
        {"to_dense_nonmasked", [](ExpressionContext&, auto in) { return nonmasked(in[0]); }},
        {"mm", [](ExpressionContext&, auto in) { return dense_mm(in[0], in[0]); }},
        {"sparse_mm", [](ExpressionContext&, auto in) { return sparse_mm(in[0], in[0]); }},
        {"sparse_sum", [](ExpressionContext&, auto in) { return building::sum(in[0]); }},
    };
    const auto found = functions.find(name);
    if (found == functions.end())
        raise(ErrorCode::value, "gradcheck of " + name + ": there is no such function");
    return found->second;
}

}  // namespace conformance
