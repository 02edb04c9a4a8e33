// SPDX-License-Identifier: MIT
#include "plan_helpers.hpp"

#include <algorithm>

namespace plans_share_values_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Number of bodies of a call that have an operation.
template <class Op>
int bodies_with(const planning::Plan& plan) {
    const auto has = [](const Graph& graph) {
        return std::ranges::any_of(
            graph.nodes, [](const Node& node) { return node.kind == NodeKind::op && node.op == op_id<Op>; });
    };
    int count = 0;
    for (const planning::PlanStage& stage : plan.stages)
        if (const auto* const body = std::get_if<planning::BodyStage>(&stage.action))
            count += has(body->graph);
    if (!plan.rest) return count;
    return count + (plan.rest->plan.empty() ? has(plan.rest->graph) : bodies_with<Op>(plan.rest->plan[0]));
}

}  // namespace

TEST_CASE("what list kernels and later stages read is made once", "[plan]") {
    const MaskedTensor<float> coo = listed(Layout::coo), csr = listed(Layout::csr), csc = listed(Layout::csc);
    const Tensor<float> r = full<float>({3, 1}, 0.5F), h = full<float>({4, 2}, 0.5F),
                        g = full<float>({3, 2}, 0.5F);
    const auto exps = [](const auto& expression) { return bodies_with<op::Exp>(*planned(expression).plan); };
    // Functions, and elements of other tensors, of lists whose layout results keep.
    CHECK(exps(softmax(csr, 1)) == 1);
    CHECK(exps(softmax(coo, 1)) == 1);
    CHECK(exps(softmax(csc, 1)) == 2);
    CHECK(exps(on(csr, r) / sum(exp(csr + r), {1}, keepdim)) == 1);
    CHECK(exps(exp(csr) / sum(csr * exp(csr), {1}, keepdim)) == 1);
    CHECK(bodies_with<op::Add>(*planned((csr + r) * sum(csr + r, {1}, keepdim)).plan) == 1);
    CHECK(bodies_with<op::Add>(*planned((csr + 1) * sum(csr + 1, {1}, keepdim)).plan) == 2);
    // Factors of products that are seen in several ways.
    const auto e = exp(h);
    CHECK(exps(to_dense(matmul(csr, e), 0) + to_dense(matmul(coo, e), 0)) == 1);
    // Many operations on a sum, which two tensors that lists read at their indices are computed from.
    const auto v = exp(matmul(h, full<float>({2, 2}, 0.5F)));
    const auto many = ((v + 1) * (v + 2) - (v + 3) * (v + 4)) / (v * v + (v - 5) * (v - 6));
    CHECK(exps(csr * sum(many, {1}) - csr * amax(many, {1})) == 1);
}

}  // namespace plans_share_values_test
