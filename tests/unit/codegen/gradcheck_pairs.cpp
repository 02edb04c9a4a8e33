// SPDX-License-Identifier: MIT
// Gradients of pairs of operations on lists against differences, in every layout.
#include "../../../ir/passes/gradient/gradcheck.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace gradcheck_pairs_test {

using namespace frisket;
using namespace frisket::testing;
using ir::Value;

namespace {

/// An operation of a masked matrix and a dense one that returns a masked matrix of the same shape.
struct Operation {
    const char* name;
    std::function<Value(Value m, Value w)> make;
};

Value zero(Value x) { return ir::number(*x.graph, 0.0); }

const Operation operations[] = {
    {"square", [](Value m, Value) { return ir::apply<op::Mul>({m, m}); }},
    {"by column",
     [](Value m, Value) {
         return ir::apply<op::Sub>({m, ir::to_dense(ir::mean(m, std::vector<int>{1}, true), zero(m))});
     }},
    {"by row", [](Value m, Value w) { return ir::apply<op::Mul>({m, ir::select(w, 0, 0)}); }},
    {"softmax", [](Value m, Value) { return ir::softmax(m, 1); }},
    {"softmax of columns", [](Value m, Value) { return ir::softmax(m, 0); }},
    {"softmax in another shape",
     [](Value m, Value) { return ir::reshape(ir::softmax(ir::reshape(m, {2, 8}), 1), {4, 4}); }},
    {"transpose", [](Value m, Value) { return ir::transpose(m, 0, 1); }},
    {"flip", [](Value m, Value) { return ir::flip(m, {0}); }},
    {"roll", [](Value m, Value) { return ir::roll(m, 1, 1); }},
    {"cumsum", [](Value m, Value) { return ir::cumsum(m, 1); }},
    {"cumsum of columns", [](Value m, Value) { return ir::cumsum(m, 0); }},
    {"cat of slices",
     [](Value m, Value) { return ir::cat({ir::narrow(m, 0, 1, 3), ir::narrow(m, 0, 0, 1)}, 0); }},
    {"rows by index",
     [](Value m, Value w) {
         const Value is_last = ir::apply<op::Ge>({ir::select(w, 0, 0), ir::number(*w.graph, 0.0)});
         const Value ids = ir::apply<op::Mul>({ir::cast(is_last, DType::int64), ir::number(*w.graph, 3)});
         return ir::index_select(m, 0, ids);
     }},
    {"times dense", [](Value m, Value w) { return ir::matmul(m, w); }},
    {"dense times", [](Value m, Value w) { return ir::matmul(w, m); }},
    {"times itself", [](Value m, Value) { return ir::matmul(m, ir::transpose(m, 0, 1)); }},
    {"sampled product", [](Value m, Value w) { return ir::on(m, ir::matmul(w, ir::transpose(w, 0, 1))); }},
    {"unite",
     [](Value m, Value) { return ir::apply<op::Add>({m, ir::transpose(m, 0, 1)}, MaskMode::unite); }},
    {"intersect",
     [](Value m, Value) { return ir::apply<op::Mul>({m, ir::flip(m, {0})}, MaskMode::intersection); }},
};

/// Checks an operation of another one's result.
void check_pair(const Operation& first, const Operation& second, const MaskedTensor<double>& m,
                const Tensor<double>& w) {
    const ir::Differentiable body = [&](ir::ExpressionContext&, std::span<const Value> variables) {
        const Value dense = ir::bare(variables[1]);
        const Value made = second.make(first.make(variables[0], dense), dense);
        const Value filled = ir::to_dense(made, zero(made));
        return ir::sum(ir::apply<op::Mul>({ir::apply<op::Mul>({filled, filled}), dense}));
    };
    const std::vector<AnyMasked> inputs{m, MaskedTensor<double>::dense(w)};
    const auto report =
        ir::gradcheck(body, inputs, {.masked = true}, frisket::detail::evaluator({.jit = Jit::never}));
    INFO(report.text());
    CHECK(report.pass);
}

constexpr std::array layouts{Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows,
                             Layout::csr,   Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};

/// Checks every pair of operations in `count` of the ten layouts.  The layouts differ from pair to pair.
void check_pairs(std::size_t count) {
    std::vector<MaskedTensor<double>> masked;
    // Losses are of the eighth degree: differences of small numbers are near their derivatives.
    for (const Layout layout : layouts) {
        const auto m = random_masked<double>({4, 4}, Density(0.4), layout, 3, Listed::ascending);
        masked.emplace_back(AnyMasked(eval(m * 0.25)).to(layout));
    }
    const Tensor<double> w = eval(random_tensor<double>({4, 4}, 7) * 0.25);
    std::size_t pair = 0;
    for (const Operation& first : operations)
        for (const Operation& second : operations) {
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t at = (pair + i * layouts.size() / count) % layouts.size();
                CAPTURE(name_of(layouts[at]), first.name, second.name);
                check_pair(first, second, masked[at], w);
            }
            ++pair;
        }
}

}  // namespace

TEST_CASE("gradients of pairs of operations on lists agree with differences in three layouts each",
          "[codegen][gradcheck]") {
    check_pairs(3);
}

TEST_CASE("gradients of pairs of operations on lists agree with differences in every layout",
          "[codegen][gradcheck][deep]") {
    check_pairs(layouts.size());
}

}  // namespace gradcheck_pairs_test
