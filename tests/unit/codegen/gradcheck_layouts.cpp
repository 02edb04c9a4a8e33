// SPDX-License-Identifier: MIT
// Gradients of inputs in every layout against differences, through the results that the planner makes: lists
// among them.
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace gradcheck_layouts_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Input of a check, and its name in messages.
struct Input {
    std::string name;
    MaskedTensor<double> m;
};

/// A matrix of 4 x 4 in every layout, and in bsr and bsc with blocks that a values_mask leaves out in part.
std::vector<Input> inputs() {
    std::vector<Input> made;
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows,
                                Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four})
        made.push_back({std::string(name_of(layout)),
                        random_masked<double>({4, 4}, Density(0.4), layout, 3, Listed::ascending)});
    const MaskedTensor<double> m = random_masked<double>({4, 4}, Density(0.4), Layout::strided, 5);
    for (const Layout layout : {Layout::bsr, Layout::bsc})
        made.push_back({std::string(name_of(layout)) + " with a values_mask", m.to(layout, Blocksize{2, 2})});
    return made;
}

/// Checks a function of a masked matrix and of a dense one with it, whose gradient may be a list.
template <class Function>
void check_all(const Function& function) {
    const Tensor<double> w = random_tensor<double>({4, 4}, 7);
    const Jit jit = GENERATE(Jit::always, Jit::never);
    for (const Input& input : inputs()) {
        CAPTURE(input.name);
        const ir::Differentiable body = [&](ir::ExpressionContext& session,
                                            std::span<const ir::Value> variables) {
            GraphEmitter emitter(session);
            const auto result = function(Variable{variables[0]}, Variable{variables[1]});
            return ir::Value{&session.graph(), frisket::detail::emit(emitter, result)};
        };
        const std::vector<AnyMasked> list{input.m, MaskedTensor<double>::dense(w)};
        const auto report =
            ir::gradcheck(body, list, {.masked = true}, frisket::detail::evaluator({.jit = jit}));
        INFO(report.text());
        CHECK(report.pass);
    }
}

}  // namespace

TEST_CASE("gradients of elementwise losses agree with differences in every layout", "[codegen][gradcheck]") {
    check_all([](auto m, auto w) { return sum(square(m * m) - sin(m) * values_of(w)); });
}
TEST_CASE("gradients reach unspecified elements as differences do in every layout", "[codegen][gradcheck]") {
    for (const Input& input : inputs()) {
        CAPTURE(input.name);
        const ir::Differentiable body = [](ir::ExpressionContext& session,
                                           std::span<const ir::Value> variables) {
            return ir::to_dense(variables[0], session.number(0.0), GradientPath::everywhere);
        };
        const std::vector<AnyMasked> list{input.m};
        const auto report =
            ir::gradcheck(body, list, {.masked = false}, frisket::detail::evaluator({.jit = Jit::never}));
        INFO(report.text());
        CHECK(report.pass);
    }
}
TEST_CASE("gradients of reductions agree with differences in every layout", "[codegen][gradcheck]") {
    check_all(
        [](auto m, auto w) { return sum(square(to_dense(sum(m * m, {1}), 0)) * sum(values_of(w), {1})); });
}
TEST_CASE("gradients of products with lists agree with differences in every layout", "[codegen][gradcheck]") {
    check_all([](auto m, auto w) { return sum(square(to_dense(matmul(m, values_of(w)), 0))); });
    check_all(
        [](auto m, auto w) { return sum(square(to_dense(matmul(transpose(m, 0, 1), values_of(w)), 0))); });
}
TEST_CASE("gradients of products of a list with itself agree with differences in every layout",
          "[codegen][gradcheck]") {
    check_all([](auto m, auto w) { return sum(square(to_dense(matmul(m, m), 0)) * values_of(w)); });
    check_all([](auto m, auto w) {
        return sum(square(to_dense(matmul(m, transpose(m, 0, 1)), 0)) * values_of(w));
    });
}
TEST_CASE("gradients of a product of three lists agree with differences in every layout",
          "[codegen][gradcheck][deep]") {
    check_all([](auto m, auto w) {
        return sum(to_dense(matmul(matmul(transpose(m, 0, 1), m), m), 0) * values_of(w));
    });
}
TEST_CASE("gradients of sampled products agree with differences in every layout", "[codegen][gradcheck]") {
    check_all(
        [](auto m, auto w) { return sum(square(m - matmul(values_of(w), transpose(values_of(w), 0, 1)))); });
}

}  // namespace gradcheck_layouts_test
