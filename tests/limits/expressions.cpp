// SPDX-License-Identifier: MIT
#include "../../codegen/jit/evaluate.hpp"
#include "../support/matchers.hpp"
#include "table.hpp"

#include <frisket/frisket.hpp>

#include <string>

namespace expressions_test {

using namespace frisket;
using namespace frisket::testing;
using ir::ExpressionContext;
using ir::Value;

namespace {

/// Whole numbers below 64, so that sums of thousands of products are exact in any order.
AnyTensor tensor_of(DType dtype, const Shape& shape, std::int64_t seed) {
    AnyTensor made(DType::float64, shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        static_cast<double*>(made.data())[i] = static_cast<double>((i * 29 + i / 64 + seed) % 61);
    return made.to(dtype);
}

using Make = std::vector<Value> (*)(ExpressionContext&, const AnyTensor&);

/// Difference between loops and the interpreter in expressions of a tensor; empty: equal bytes.
std::string fault_of(const AnyTensor& x, Make make) {
    const auto run = [&](ExpressionContext::Evaluate evaluate) {
        ExpressionContext session("compared", std::move(evaluate));
        const std::vector<Value> made = make(session, x);
        return session.run(made);
    };
    const auto found = run([](const Graph& graph, std::span<const Argument> arguments) {
        return codegen::jit_evaluate(graph, arguments);
    });
    const auto wanted = run(&evaluate);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!same(found[i].values.clone(), wanted[i].values.clone()))
            return "result " + std::to_string(i) + " of " + to_string(x.shape());
    return "";
}

const std::vector<std::int64_t>& sizes() {
    static const auto made = sizes_of(Of::whole, limits::least_for_threads);
    return made;
}

}  // namespace

TEST_CASE("elementwise expressions compute every element of every dtype, at every size around a limit") {
    for (const DTypeInfo& row : dtypes)
        for (const std::int64_t size : sizes()) {
            INFO(row.name << ", " << size);
            CHECK(fault_of(tensor_of(row.dtype, {size}, 0), [](ExpressionContext& s, const AnyTensor& x) {
                      const Value a = s.tensor(x);
                      return std::vector<Value>{a + s.number(1.5), cast(a, DType::boolean)};
                  }) == "");
        }
    for (const DType stored : {DType::uint8, DType::float16, DType::bfloat16}) {
        const AnyTensor x = tensor_of(DType::float32, {limits::least_for_threads + 1}, 0);
        ExpressionContext session("cast", [](const Graph& graph, std::span<const Argument> arguments) {
            return codegen::jit_evaluate(graph, arguments);
        });
        const Result found = session.run(cast(session.tensor(x), stored));
        CHECK(same(found.values, x.to(stored)));
    }
}

TEST_CASE("views and joins of tensors move every element, at every size around a limit") {
    for (const std::int64_t size : sizes()) {
        INFO(size);
        CHECK(fault_of(tensor_of(DType::int32, {size}, 0), [](ExpressionContext& s, const AnyTensor& x) {
                  const Value a = s.tensor(x);
                  return std::vector<Value>{
                      flip(a, {0}),          roll(a, 5, 0),
                      slice(a, 0, 1, {}, 2), cat(std::vector{a, a}, 0),
                      repeat(a, {3}),        reshape(a, {1, -1}) * s.number(std::int64_t{2})};
              }) == "");
    }
    for (const std::int64_t rows : around(limits::fold_task_rows)) {
        const std::int64_t columns = limits::least_for_threads / rows + 1;
        CHECK(fault_of(
                  tensor_of(DType::int32, {rows, columns}, 0), [](ExpressionContext& s, const AnyTensor& x) {
                      const Value a = s.tensor(x);
                      return std::vector<Value>{transpose(a, 0, 1), stack(std::vector{a, a}, 1),
                                                flip(a, {0, 1}), flatten(transpose(a, 0, 1)), diagonal(a)};
                  }) == "");
    }
}

TEST_CASE("running reductions and softmax reach the last element, at every size around a limit") {
    for (const std::int64_t size : sizes()) {
        INFO(size);
        CHECK(fault_of(tensor_of(DType::int64, {size}, 0), [](ExpressionContext& s, const AnyTensor& x) {
                  const Value a = s.tensor(x);
                  return std::vector<Value>{
                      cumsum(a, 0), cumprod(a * s.number(std::int64_t{2}) + s.number(std::int64_t{1}), 0)};
              }) == "");
        const Tensor<double> equal = full<double>({size}, 3);
        ExpressionContext session("softmax", [](const Graph& graph, std::span<const Argument> arguments) {
            return codegen::jit_evaluate(graph, arguments);
        });
        const Result found = session.run(softmax(session.tensor(equal), 0));
        CHECK(allclose(found.values, full<double>({size}, 1 / static_cast<double>(size)), 1e-12, 0));
    }
}

TEST_CASE("indexing reads every index, at every size around a limit") {
    for (const std::int64_t size : sizes()) {
        INFO(size);
        CHECK(fault_of(tensor_of(DType::int64, {size}, 0), [](ExpressionContext& s, const AnyTensor& x) {
                  const Value a = s.tensor(x);
                  const Value small = slice(a, 0, 0, 61) * s.number(std::int64_t{3});
                  return std::vector<Value>{index_select(small, 0, a), gather(small, 0, a)};
              }) == "");
    }
}

TEST_CASE("products add every term of every element, on both sides of what is added at once") {
    for (const std::int64_t inner : sizes_of(Of::folded, limits::fold_chunk))
        for (const std::int64_t outer : {std::int64_t{7}, std::int64_t{65}}) {
            INFO(outer << " x " << inner);
            CHECK(fault_of(tensor_of(DType::float32, {outer, inner}, 0),
                           [](ExpressionContext& s, const AnyTensor& x) {
                               const Value a = s.tensor(x), b = s.tensor(x.transpose(0, 1));
                               return std::vector<Value>{matmul(a, b), linear(a, a, {}), matmul(b, a)};
                           }) == "");
        }
    const AnyTensor large = tensor_of(DType::float32, {257, 521}, 3);
    CHECK(fault_of(large, [](ExpressionContext& s, const AnyTensor& x) {
              const Value a = s.tensor(x);
              return std::vector<Value>{matmul(a, transpose(a, 0, 1))};
          }) == "");
}

}  // namespace expressions_test
