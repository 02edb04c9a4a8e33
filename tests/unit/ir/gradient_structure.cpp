// SPDX-License-Identifier: MIT
#include "gradient_helpers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <utility>

namespace gradient_structure_test {

using namespace frisket;
using namespace frisket::testing;
using namespace frisket::ir;

namespace {

/// A function of x, of shape [3, 4], and z, of shape [4, 2].
struct Row {
    const char* name;
    Value (*function)(ExpressionContext& session, Value x, Value z);
};

Value indices(ExpressionContext& session, Shape shape, std::vector<std::int64_t> elements) {
    return session.tensor(Tensor<std::int64_t>(std::move(shape), elements));
}

const Row reductions[] = {
    {"sum", [](ExpressionContext&, Value x, Value) { return sum(x); }},
    {"sum of a dim", [](ExpressionContext&, Value x, Value) { return sum(x, std::vector{1}); }},
    {"sum with keepdim", [](ExpressionContext&, Value x, Value) { return sum(x, std::vector{0}, true); }},
    {"prod", [](ExpressionContext&, Value x, Value) { return prod(x, std::vector{1}); }},
    {"prod of all", [](ExpressionContext&, Value x, Value) { return prod(x); }},
    {"mean", [](ExpressionContext&, Value x, Value) { return mean(x, std::vector{0}); }},
    {"amin", [](ExpressionContext&, Value x, Value) { return amin(x, std::vector{1}); }},
    {"amax", [](ExpressionContext&, Value x, Value) { return amax(x); }},
    {"var", [](ExpressionContext&, Value x, Value) { return var(x, std::vector{0}, 0); }},
    {"var of all", [](ExpressionContext&, Value x, Value) { return var(x); }},
    {"std", [](ExpressionContext&, Value x, Value) { return ir::std(x, {}, 0); }},
    {"norm", [](ExpressionContext&, Value x, Value) { return norm(x, 2, std::vector{1}); }},
    {"norm 1", [](ExpressionContext&, Value x, Value) { return norm(x, 1); }},
    {"norm 3", [](ExpressionContext&, Value x, Value) { return norm(x, 3); }},
    {"norm inf", [](ExpressionContext&, Value x, Value) { return norm(x, INFINITY, std::vector{0}); }},
    {"logsumexp", [](ExpressionContext&, Value x, Value) { return logsumexp(x, std::vector{1}); }},
    {"softmax", [](ExpressionContext&, Value x, Value) { return softmax(x, 1); }},
    {"softmin", [](ExpressionContext&, Value x, Value) { return softmin(x, 0); }},
    {"log_softmax", [](ExpressionContext&, Value x, Value) { return log_softmax(x, 0); }},
    {"cumsum", [](ExpressionContext&, Value x, Value) { return cumsum(x, 1); }},
    {"cumprod", [](ExpressionContext&, Value x, Value) { return cumprod(x, 0); }},
    {"normalize", [](ExpressionContext&, Value x, Value) { return normalize(x, 2, 1, 1e-12); }},
    {"median", [](ExpressionContext& session, Value x, Value) { return session.median(x, 1); }},
};

const Row moves[] = {
    {"select", [](ExpressionContext&, Value x, Value) { return select(x, 0, 1); }},
    {"slice", [](ExpressionContext&, Value x, Value) { return slice(x, 1, 1, 4, 2); }},
    {"permute", [](ExpressionContext&, Value x, Value) { return permute(x, {1, 0}); }},
    {"reshape", [](ExpressionContext&, Value x, Value) { return reshape(x, {2, 6}); }},
    {"unsqueeze", [](ExpressionContext&, Value x, Value) { return unsqueeze(x, 1); }},
    {"expand", [](ExpressionContext&, Value x, Value) { return expand(x, {2, 3, 4}); }},
    {"expand of a column",
     [](ExpressionContext&, Value x, Value) { return expand(narrow(x, 1, 2, 1), {3, 5}); }},
    {"flip", [](ExpressionContext&, Value x, Value) { return flip(x, {0}); }},
    {"flip both", [](ExpressionContext&, Value x, Value) { return flip(transpose(x, 0, 1), {0, 1}); }},
    {"roll", [](ExpressionContext&, Value x, Value) { return roll(x, 1, 1); }},
    {"repeat", [](ExpressionContext&, Value x, Value) { return repeat(x, {2, 1, 3}); }},
    {"diagonal", [](ExpressionContext&, Value x, Value) { return diagonal(x, 1); }},
    {"cat", [](ExpressionContext&, Value x, Value z) { return cat({x, transpose(z, 0, 1), x}, 0); }},
    {"stack", [](ExpressionContext&, Value x, Value) { return stack({x, x * x}, 1); }},
    {"split", [](ExpressionContext&, Value x, Value) { return split(x, 3, 1)[1]; }},
    {"index_select", [](ExpressionContext& session, Value x,
                        Value) { return index_select(x, 1, indices(session, {3}, {2, 0, 2})); }},
    {"index",
     [](ExpressionContext& session, Value x, Value) {
         return ir::index(x, {indices(session, {3}, {-1, 0, -1}), indices(session, {2, 1}, {1, 3})});
     }},
    {"gather", [](ExpressionContext& session, Value x,
                  Value) { return gather(x, 1, indices(session, {2, 2}, {0, 0, 3, 1})); }},
    {"index_bool", [](ExpressionContext& session, Value x,
                      Value) { return session.index_bool(x, apply<op::Gt>({x, session.number(0.0)})); }},
};

const Row meetings[] = {
    {"matmul", [](ExpressionContext&, Value x, Value z) { return matmul(x, z); }},
    {"matmul of dense",
     [](ExpressionContext& s, Value x, Value z) { return matmul(to_dense(x, s.number(2.0)), z); }},
    {"linear", [](ExpressionContext&, Value x, Value z) { return linear(x, transpose(z, 0, 1), {}); }},
    {"broadcasting",
     [](ExpressionContext& s, Value x, Value z) { return x * to_dense(select(z, 1, 0), s.number(1.5)); }},
    {"union of add", [](ExpressionContext&, Value x,
                        Value z) { return apply<op::Add>({x, select(z, 1, 0)}, MaskMode::unite); }},
    {"union of mul",
     [](ExpressionContext&, Value x, Value z) {
         return apply<op::Mul>({narrow(x, 0, 0, 2), transpose(z, 0, 1)}, MaskMode::unite);
     }},
    {"intersection",
     [](ExpressionContext&, Value x, Value z) {
         return apply<op::Div>({narrow(x, 0, 0, 2), transpose(z, 0, 1)}, MaskMode::intersection);
     }},
    {"where", [](ExpressionContext& s, Value x,
                 Value) { return where(apply<op::Gt>({x, s.number(0.3)}), x * x, -x); }},
    {"clamp", [](ExpressionContext& s, Value x, Value) { return clamp(x, s.number(-0.9), s.number(0.8)); }},
    {"to_dense", [](ExpressionContext& s, Value x, Value) { return to_dense(x, s.number(3.0)); }},
    {"on",
     [](ExpressionContext&, Value x, Value z) { return on(z, to_dense(mean(x), number(*x.graph, 0.0))); }},
    {"variance by hand",
     [](ExpressionContext& s, Value x, Value) {
         const Value distance = x - to_dense(mean(x, std::vector{0}, true), s.number(0.0));
         return mean(distance * distance, std::vector{0});
     }},
    {"entropy", [](ExpressionContext&, Value x,
                   Value) { return sum(softmax(x, 1) * apply<op::Log>({softmax(x, 1)}), std::vector{1}); }},
};

void check(const Row& row, std::span<const AnyMasked> at) {
    const GradcheckReport report = gradcheck(
        [&](ExpressionContext& session, auto in) { return row.function(session, in[0], in[1]); }, at);
    INFO(row.name << ": " << report.text());
    CHECK(report.pass);
}

void check_all(std::span<const Row> rows) {
    for (const Row& row : rows)
        for (const double density : {1.0, 0.6}) {
            const std::array at{random_point({3, 4}, 3, -2, 2, {density}),
                                random_point({4, 2}, 4, -2, 2, {density})};
            check(row, at);
        }
}

/// The gradient of a gradient, weighted: as a penalty on gradients needs.
Value twice(Value y, Value x) {
    const Value first = gradient(y, std::array{x})[0];
    return sum(first * first * first);
}

const Row second_derivatives[] = {
    {"of powers", [](ExpressionContext&, Value x, Value) { return twice(sum(x * x * x), x); }},
    {"of var", [](ExpressionContext&, Value x, Value) { return twice(var(x), x); }},
    {"of softmax", [](ExpressionContext&, Value x, Value) { return twice(sum(softmax(x, 1) * x), x); }},
    {"of logsumexp", [](ExpressionContext&, Value x, Value) { return twice(logsumexp(x), x); }},
    {"of matmul",
     [](ExpressionContext&, Value x, Value z) { return twice(sum(apply<op::Sin>({matmul(x, z)})), z); }},
    {"of views", [](ExpressionContext&, Value x,
                    Value) { return twice(sum(prod(slice(x, 1, 0, 3, 2), std::vector{1})), x); }},
    {"of indices",
     [](ExpressionContext& s, Value x, Value) {
         return twice(sum(apply<op::Exp>({index_select(x, 1, indices(s, {3}, {2, 0, 2}))})), x);
     }},
    {"of cumsum",
     [](ExpressionContext&, Value x, Value) { return twice(sum(apply<op::Sin>({cumsum(x, 1)})), x); }},
};

}  // namespace

TEST_CASE("the gradients of reductions are what differences give", "[gradient]") { check_all(reductions); }
TEST_CASE("the gradients of views and indexing are what differences give", "[gradient]") { check_all(moves); }
TEST_CASE("the gradients of products, masks and choices are what differences give", "[gradient]") {
    check_all(meetings);
}
TEST_CASE("gradients have gradients", "[gradient]") { check_all(second_derivatives); }

TEST_CASE("products have the right gradient at zeros", "[gradient]") {
    const Row rows[] = {{"prod", [](ExpressionContext&, Value x, Value) { return prod(x, std::vector{1}); }},
                        {"cumprod", [](ExpressionContext&, Value x, Value) { return cumprod(x, 1); }}};
    const Tensor<double> values({4, 5}, {1.5, 0, 2, -3, .5, 0, 1, 0, 2, 3, 0, 0, 0, 4, 5, 6, 7, .8, 9, 0});
    const Tensor<bool> mask({4, 5}, {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1});
    const std::array at{AnyMasked::strided(values, mask), random_point({4, 2}, 4)};
    for (const Row& row : rows) check(row, at);
}

}  // namespace gradient_structure_test
