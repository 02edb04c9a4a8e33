// SPDX-License-Identifier: MIT
#include "gradcheck_functions.hpp"

#include <map>

using namespace frisket;
using ir::Value, ir::ExpressionContext;

namespace conformance {

namespace {

/// Dense, with gradients for elements that are not specified too.
Value nonmasked(Value x) { return ir::to_dense(x, ir::number(*x.graph, 0.0), GradientPath::everywhere); }
Value masked(Value x) { return ir::to_dense(x, ir::number(*x.graph, 0.0)); }

/// Products of matrices: all elements are variables; or those that are specified.
Value dense_mm(Value a, Value b) { return ir::matmul(nonmasked(a), nonmasked(b)); }
Value sparse_mm(Value a, Value b) { return ir::matmul(a, b); }

Value mm_sparse_mm(Value x) { return dense_mm(sparse_mm(x, x), x); }

}  // namespace

ir::Differentiable gradcheck_function(const std::string& name, const AnyMasked& x) {
    const Tensor<bool> pattern = x.mask_tensor();
    const std::map<std::string, ir::Differentiable> functions = {
        {"mm_sparse_mm", [](ExpressionContext&, auto in) { return mm_sparse_mm(in[0]); }},
        {"masked_mm_sparse_mm",
         [pattern](ExpressionContext& session, auto in) {
             return mm_sparse_mm(ir::restrict(in[0], session.tensor(pattern)));
         }},
        {"to_dense", [](ExpressionContext&, auto in) { return masked(in[0]); }},
        {"to_dense_nonmasked", [](ExpressionContext&, auto in) { return nonmasked(in[0]); }},
        {"mm", [](ExpressionContext&, auto in) { return dense_mm(in[0], in[0]); }},
        {"sparse_mm", [](ExpressionContext&, auto in) { return sparse_mm(in[0], in[0]); }},
        {"sparse_sum", [](ExpressionContext&, auto in) { return ir::sum(in[0]); }},
    };
    const auto found = functions.find(name);
    if (found == functions.end())
        raise(ErrorCode::value, "gradcheck of " + name + ": there is no such function");
    return found->second;
}

}  // namespace conformance
