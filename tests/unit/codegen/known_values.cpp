// SPDX-License-Identifier: MIT
#include "../../../codegen/jit/evaluate.hpp"
#include "../../../ir/expressions/expression_context.hpp"
#include "../../support/matchers.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

namespace known_values_test {

/// Compilers compute known values when loops are made, in their own way.
using namespace frisket;

namespace {

const Tensor<std::int64_t> whole = arange<std::int64_t>(17);

/// Tensors full of 0 and of 1 of which compilers know that, or of which they do not.
struct Numbers { ir::Value zero, one; };
Numbers known(ir::ExpressionContext& session, DType dtype) {
    const ir::Value x = session.tensor(whole);
    return {cast(ir::apply<op::LogicalXor>({x, x}), dtype), cast(ir::apply<op::Isfinite>({x}), dtype)};
}
Numbers in_memory(ir::ExpressionContext& session, DType dtype) {
    return {cast(session.tensor(full<float>({17}, 0)), dtype),
            cast(session.tensor(full<float>({17}, 1)), dtype)};
}

/// An operation of all such numbers.
std::vector<ir::Value> all_of(OpId op, const Numbers& numbers) {
    const auto [zero, one] = numbers;
    if (info_of(op).arity == 1) return {ir::apply(op, {zero}), ir::apply(op, {one})};
    std::vector<ir::Value> all;
    for (const ir::Value a : {zero, one})
        for (const ir::Value b : {zero, one}) all.push_back(ir::apply(op, {a, b}));
    return all;
}

bool is_same(const AnyTensor& a, const AnyTensor& b) {
    return std::memcmp(a.data(), b.data(), a.size() * bytes_of(a.dtype())) == 0;
}

}  // namespace

TEST_CASE("what compilers know and what they load give the same values to the bit", "[codegen][deep]") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    for (std::size_t i = 0; i < op_table().size(); ++i) {
        const auto op = static_cast<OpId>(i);
        if (info_of(op).arity > 2 || !accepts(info_of(op).accepts, dtype)) continue;
        INFO(info_of(op).name << ", " << name_of(dtype));
        ir::ExpressionContext session("known", [](const Graph& graph, std::span<const Argument> arguments) {
            return codegen::jit_evaluate(graph, arguments);
        });
        std::vector<ir::Value> wanted = all_of(op, known(session, dtype));
        const std::size_t count = wanted.size();
        std::ranges::copy(all_of(op, in_memory(session, dtype)), std::back_inserter(wanted));
        const std::vector<Result> found = session.run(wanted);
        for (std::size_t k = 0; k < count; ++k) CHECK(is_same(found[k].values, found[k + count].values));
    }
}

}  // namespace known_values_test
