// SPDX-License-Identifier: MIT
/// Loops that compute all of a row at once, running reductions in blocks, tiles of transposed operands: their
/// values are the interpreter's at the sizes around every limit.
#include <Halide.h>

#include "../../../codegen/limits.hpp"
#include "../../../codegen/lowering/row_fusion.hpp"
#include "../../../ir/expressions/expression_context.hpp"
#include "../../../runtime/limits.hpp"
#include "../../support/random.hpp"
#include "eval_numbers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

namespace row_fusion_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t block = limits::scan_block, chunk = limits::fold_chunk;
/// Widths of rows: none, one element, and around vectors, blocks, chunks and tiles.
constexpr std::int64_t widths[] = {0,         1,  block - 1, block, block + 1, chunk - 1,  chunk,
                                   chunk + 1, 63, 64,        65,    127,       16 * block, 16 * block + 1};

bool are_close(const AnyTensor& a, const AnyTensor& b) { return allclose(a, b, 1e-5, 1e-6); }
bool are_close(const AnyMasked& a, const AnyMasked& b) {
    return same_values(a.mask_tensor(), b.mask_tensor()) && are_close(a.to_dense(0), b.to_dense(0));
}

template <class E>
void check(const E& expression) {
    const auto loops = eval(expression, {.jit = Jit::always}),
               meaning = eval(expression, {.jit = Jit::never});
    CHECK(are_close(loops, meaning));
}

template <class T>
void check_rows(const MaskedTensor<T>& m) {
    const auto shifted = m - mean(m, {1}, keepdim);
    check(softmax(m, 1));
    check(log_softmax(m, 1));
    check(shifted / sqrt(mean(shifted * shifted, {1}, keepdim) + 1e-5));
    check(log(sum(exp(m - amax(m, {1}, keepdim)), {1})));
    check(cumsum(softmax(m, 1), 1));
    check(cumsum(m, 1));
    check(cumprod(m, 1));
    check(cumsum(m, 0));
    check(cumprod(m, 0) * cumsum(m, 1));
}

/// Number of leading dimensions that say the rows of an expression's loops, or 0.
int rank_of_rows(ir::ExpressionContext& session, const ir::Value& result) {
    const NodeId results[] = {result.id};
    const Graph graph = session.graph().expression(results);
    const codegen::Extents extents(graph);
    const codegen::ReductionGroups groups(graph, extents);
    return codegen::RowFusion(graph, extents, groups, {}).rank();
}

}  // namespace

TEST_CASE("rows computed at once have the values of the interpreter", "[codegen]") {
    for (const std::int64_t width : widths) {
        INFO("rows of " << width);
        check_rows(random_masked({5, width}, specified(0.6), Layout::strided, 3));
    }
    check_rows(random_masked({1, 300}, specified(0.6), Layout::strided, 4));
    check_rows(random_masked({0, 7}, specified(0.6), Layout::strided, 5));
    check_rows(random_masked({7000, 19}, specified(0.6), Layout::strided, 6));  // for threads
    check_rows(random_masked({19, 7000}, specified(0.1), Layout::bitmask, 7));
}

TEST_CASE("rows of more dimensions have the values of the interpreter", "[codegen]") {
    const Tensor<float> x = random_tensor({3, 4, 33}), large = random_tensor({5, 70, 400}),
                        weight = random_tensor({33});
    check(softmax(x, 2));
    check(softmax(x, 1));
    check(softmax(x, 0));
    check(softmax(x * weight, 2) + sum(transpose(x, 0, 1)));
    check(softmax(large, 2));
    check(cumsum(large, 2));
    check(cumsum(large, 1));
    check(cumsum(large, 0));
    check(sum(softmax(large, 2) * large, {2}));
}

TEST_CASE("running reductions along columns of one element have the values of the interpreter", "[codegen]") {
    for (const std::int64_t rows : {1, 2, 5}) {
        const MaskedTensor<float> m = random_masked({rows, 1}, specified(0.7), Layout::strided, 8);
        const MaskedTensor<std::uint8_t> bytes = masked(full<std::uint8_t>({rows, 1}, 3), m.mask_tensor());
        check(frac(cumprod(sinh(bytes), 0) - 1));
        check(cumsum(m, 0) * cumprod(m, 0));
        check(sum(cumsum(m, 0), {0}) + sum(m, {0}));
    }
}

TEST_CASE("transposed operands have the values of the interpreter", "[codegen]") {
    for (const std::int64_t rows : {1, 15, 16, 17, 129})
        for (const std::int64_t columns : {1, 63, 64, 65, 513}) {
            const Tensor<float> x = random_tensor({rows, columns}), w = random_tensor({columns, rows});
            INFO(rows << " x " << columns);
            CHECK(same_values(eval(x + transpose(w, 0, 1), {.jit = Jit::always}),
                              eval(x + transpose(w, 0, 1), {.jit = Jit::never})));
        }
    const Tensor<float> x = random_tensor({9, 130, 150}), w = random_tensor({150, 130, 9});
    CHECK(same_values(eval(x + transpose(w, 0, 2), {.jit = Jit::always}),
                      eval(x + transpose(w, 0, 2), {.jit = Jit::never})));
}

TEST_CASE("reductions are computed by rows where each is read at its own row alone", "[codegen]") {
    ir::ExpressionContext session("rows");
    const ir::Value x = session.tensor(AnyTensor(random_tensor({5, 5}))),
                    line = session.tensor(AnyTensor(random_tensor({5})));
    const auto sum_of = [](const ir::Value& of, int dim, bool keeps) {
        return ir::sum(of, std::vector<int>{dim}, keeps);
    };
    const ir::Value kept = sum_of(x, 1, true), dropped = sum_of(x, 1, false);
    CHECK(rank_of_rows(session, ir::apply<op::Sub>({x, kept})) == 1);
    CHECK(rank_of_rows(session, ir::apply<op::Sub>({x, sum_of(x, 0, true)})) == 0);
    // A line of the rows' sums next to the columns is read at every row.
    CHECK(rank_of_rows(session, ir::apply<op::Sub>({x, dropped})) == 0);
    CHECK(rank_of_rows(session, ir::apply<op::Sub>({x, line})) == 0);
    // Rows and columns are exchanged.
    const ir::Value running = ir::cumsum(x, 1);
    CHECK(rank_of_rows(session, ir::apply<op::Sub>({x, running})) == 1);
    CHECK(rank_of_rows(session, ir::apply<op::Sub>({x, ir::transpose(running, 0, 1)})) == 0);
    // One loop does it anyway.
    CHECK(rank_of_rows(session, dropped) == 0);
    CHECK(rank_of_rows(session, sum_of(ir::apply<op::Mul>({x, kept}), 1, false)) == 1);
    // Read at its row, and whole; in one loop, one at its row and one whole.
    const ir::Value other = sum_of(ir::apply<op::Mul>({x, x}), 1, true);
    CHECK(rank_of_rows(session,
                       ir::apply<op::Sub>({ir::apply<op::Sub>({x, kept}), sum_of(other, 0, true)})) == 0);
    CHECK(rank_of_rows(session, ir::apply<op::Sub>({ir::apply<op::Sub>({x, kept}), sum_of(kept, 0, true)})) ==
          0);
}

}  // namespace row_fusion_test
