// SPDX-License-Identifier: MIT
#include "gradient_helpers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace gradient_ops_test {

using namespace frisket;
using namespace frisket::testing;
using ir::Value, ir::ExpressionContext;

namespace {

bool is_finite(const Tensor<double>& tensor) {
    return std::all_of(tensor.data(), tensor.data() + tensor.size(),
                       [](double x) { return std::isfinite(x); });
}

std::vector<AnyMasked> points(int arity, double low, double high, std::uint32_t seed) {
    std::vector<AnyMasked> made;
    const Tensor<bool> mask = random_mask({7}, {0.8}, seed);
    for (int i = 0; i < arity; ++i)
        made.push_back(
            AnyMasked::strided(random_reals({7}, low, high, seed + static_cast<std::uint32_t>(i)), mask));
    return made;
}

Value apply_all(OpId op, std::span<const Value> in) {
    if (info_of(op).mask == MaskRule::branch)
        return ir::where(ir::apply<op::Lt>({in[0], in[1]}), in[1], in[2]);
    if (info_of(op).parameters > 0) return ir::apply(op, {ir::number(*in[0].graph, 3.0), in[1]});
    if (in.size() == 1) return ir::apply(op, {in[0]});
    return ir::apply(op, {in[0], in[1]});
}

}  // namespace

TEST_CASE("the derivative of every operation is what differences give", "[gradient]") {
    const auto table = op_table();
    for (std::size_t i = 0; i < table.size(); ++i) {
        const OpInfo& row = table[i];
        if (!row.differentiable() || !computes_in(row, DType::float64)) continue;
        int checked = 0;
        for (const auto& [low, high] :
             {std::array{0.15, 0.85}, std::array{1.2, 3.0}, std::array{-2.7, 2.6}}) {
            const auto at = points(row.arity, low, high, static_cast<std::uint32_t>(i) + 5);
            const ir::GradcheckReport report = ir::gradcheck(
                [&](ExpressionContext&, auto in) { return apply_all(static_cast<OpId>(i), in); }, at);
            if (!is_finite(report.numerical)) continue;  // not defined there
            INFO(row.name << " between " << low << " and " << high << ": " << report.text());
            CHECK(report.pass);
            ++checked;
        }
        INFO(row.name);
        CHECK(checked > 0);
    }
}

TEST_CASE("operations whose result is no float have no gradient", "[gradient]") {
    ExpressionContext session("test");
    const Value x = session.tensor(Tensor<double>({3}, {1, 2, 3}));
    const Value y = ir::cast(ir::apply<op::Lt>({x, session.number(2.5)}), DType::float64);
    CHECK(text_of(session.run(ir::gradient(y, std::array{x})[0])) == "- - -");
}

}  // namespace gradient_ops_test
