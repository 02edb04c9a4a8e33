// SPDX-License-Identifier: MIT
/// Products with rows computed next to them: attention, layers of several products.  Their values are the
/// interpreter's, bit for bit, at the sizes around tiles and blocks, also where blocks are skipped.
#include <Halide.h>

#include "../../../codegen/lowering/row_fusion.hpp"
#include "../../../ir/expressions/expression_context.hpp"
#include "../../support/oracle.hpp"
#include "../../support/random.hpp"
#include "eval_numbers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

namespace fused_products_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Numbers with all digits, around 0.
Tensor<float> uneven(Shape shape, std::uint32_t seed) {
    Random random(seed);
    Tensor<float> tensor(std::move(shape));
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] =
            static_cast<float>(static_cast<double>(random.below(1 << 30) - (1 << 29)) * 0x1.1p-29);
    return tensor;
}

/// The mask of a causal attention; every seventh row sees nothing.
Tensor<bool> causal(std::int64_t queries, std::int64_t keys) {
    Tensor<bool> mask({queries, keys});
    for (std::int64_t i = 0; i < queries; ++i)
        for (std::int64_t j = 0; j < keys; ++j) mask.data()[i * keys + j] = j <= i && i % 7 != 3;
    return mask;
}

/// True for the same numbers; sign and payload of NaN do not count.
bool are_same(const AnyTensor& a, const AnyTensor& b) { return same_values(a, b); }
bool are_same(const AnyMasked& a, const AnyMasked& b) {
    return same(a.mask_tensor(), b.mask_tensor()) && same_values(a.to_dense(0), b.to_dense(0));
}

template <class E>
void check(const E& expression) {
    const auto loops = eval(expression, {.jit = Jit::always}), meant = eval(expression, {.jit = Jit::never});
    CHECK(are_same(loops, meant));
}

template <class Q, class K, class V>
void check_attention(const Q& q, const K& k, const V& v, const Tensor<bool>& mask) {
    const int last = q.rank() - 1;
    const auto scores = masked(matmul(q, transpose(k, -2, -1)) * 0.25F, mask);
    check(matmul(to_dense(softmax(scores, last), 0), v));
    check(matmul(softmax(scores, last), v));
    check(softmax(scores, last));
    const auto chosen = where(mask, matmul(q, transpose(k, -2, -1)) * 0.25F, -infinity);
    check(matmul(softmax(chosen, last), v));
}

/// Number of leading dimensions that say the rows of an expression's loops, or 0, and if it is stored by the
/// tiles of a product.
std::pair<int, bool> rows_of(ir::ExpressionContext& session, const ir::Value& result) {
    const NodeId results[] = {result.id};
    const Graph graph = session.graph().expression(results);
    const codegen::Extents extents(graph);
    const codegen::ReductionGroups groups(graph, extents);
    const codegen::RowFusion rows(graph, extents, groups, {});
    return {rows.rank(), rows.product_of_result() != no_node};
}

}  // namespace

TEST_CASE("attention is computed by tiles of rows", "[codegen]") {
    for (const std::int64_t queries : {1, 5, 6, 7, 11, 12, 13, 25})
        for (const std::int64_t keys : {1, 16, 31, 32, 33, 65}) {
            CAPTURE(queries, keys);
            check_attention(uneven({queries, 9}, 1), uneven({keys, 9}, 2), uneven({keys, 7}, 3),
                            causal(queries, keys));
        }
}

TEST_CASE("attention in batches is computed by tiles of rows", "[codegen]") {
    for (const std::int64_t queries : {12, 29}) {
        const std::int64_t keys = queries + 9;
        CAPTURE(queries);
        check_attention(uneven({3, queries, 16}, 1), uneven({3, keys, 16}, 2), uneven({3, keys, 33}, 3),
                        causal(queries, keys));
        check_attention(uneven({2, 3, queries, 16}, 1), uneven({3, keys, 16}, 2), uneven({3, keys, 5}, 3),
                        causal(queries, keys));
    }
}

TEST_CASE("attention over more keys than a panel has", "[codegen]") {
    check_attention(uneven({14, 8}, 1), uneven({4200, 8}, 2), uneven({4200, 6}, 3), causal(14, 4200));
}

TEST_CASE("blocks in which a factor is 0 count where the other is not finite", "[codegen]") {
    for (const float bad : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
        const Tensor<float> q = uneven({20, 9}, 1), k = uneven({70, 9}, 2);
        Tensor<float> v = uneven({70, 40}, 3);
        v.data()[std::int64_t{69} * 40 + 5] = bad;  // behind all that is seen
        v.data()[std::int64_t{2} * 40 + 35] = bad;
        check_attention(q, k, v, causal(20, 70));
    }
}

TEST_CASE("a layer is computed with the products before it, by rows", "[codegen]") {
    for (const std::int64_t rows : {1, 12, 37}) {
        CAPTURE(rows);
        const Tensor<float> x = uneven({rows, 20}, 1), w = uneven({20, 50}, 2), b = uneven({50}, 3),
                            u = uneven({50, 10}, 4), c = uneven({10}, 5);
        const auto hidden = relu(matmul(x, w) + b);
        check(hidden);
        check(relu(matmul(hidden, u) + c));
        check(log_softmax(matmul(hidden, u) + c, 1));
        check(sum(exp(matmul(hidden, u)), {1}));
        check(matmul(hidden, u) + sum(x, {1}, keepdim));
        check(hidden / sum(hidden, {1}, keepdim));
    }
}

TEST_CASE("a product is read by tiles where nothing else reads it, and by rows where it is part of them",
          "[codegen]") {
    ir::ExpressionContext session("rows");
    const ir::Value q = session.tensor(uneven({40, 8}, 1)), k = session.tensor(uneven({8, 50}, 2)),
                    v = session.tensor(uneven({50, 9}, 3));
    const ir::Value scores = ir::matmul(q, k), weights = ir::softmax(scores, 1);
    CHECK(rows_of(session, ir::matmul(weights, v)) == std::pair(1, true));
    CHECK(rows_of(session, weights) == std::pair(1, false));
    CHECK(rows_of(session, scores + scores) == std::pair(1, true));
    CHECK(rows_of(session, ir::matmul(ir::transpose(weights, 0, 1), q)).second);
    CHECK(rows_of(session, scores + ir::sum(scores, std::vector<int>{0}, false)).second == false);
}

}  // namespace fused_products_test
