// SPDX-License-Identifier: MIT
// Expressions over lists of shapes of which no dense tensor can be made: each result is known.
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <cmath>
#include <limits>
#include <tuple>

namespace huge_lists_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t rows = 1'000'003, columns = 900'001;

MaskedTensor<float> matrix() {
    return MaskedTensor<float>::coo({rows, columns}, {{7, 5, rows - 1, 5}, {1, 2, 3, columns - 1}},
                                    {3, 4, 12, -2});
}

MaskedTensor<float> transposed() {
    return MaskedTensor<float>::coo({columns, rows}, {{1, 4}, {7, 9}}, {1, 2});
}

/// A half for each element, which memory has once.
Tensor<const float> repeated(const Shape& shape) {
    const Tensor<float> half = full<float>({}, 0.5F);
    return Tensor<const float>(AnyTensor(half).broadcast_to(shape));
}

}  // namespace

TEST_CASE("a product over an extent of one is a list where a factor is one", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const Tensor<float> number({1}, {2.0F});
    const auto product = matmul(unsqueeze(list, 2), number);
    CHECK(same(eval(product, how).to(Layout::coo), eval(list * 2.0F, how)));
    const auto first = eval(gradient(sum(product), list), how);
    CHECK(same(first.to(Layout::coo), eval(list * 0.0F + 2.0F, how)));
    const auto either = eval(unite(list + transpose(transposed(), 0, 1)), how);
    const Tensor<const float> numbers = repeated({rows, 1, 3});
    const auto found = eval(matmul(unsqueeze(unite(list + transpose(transposed(), 0, 1)), 2), numbers), how);
    CHECK(found.specified_count() == 3 * either.specified_count());
    CHECK(same(eval(select(found, 2, 1), how).to(Layout::coo), eval(either * 0.5F, how).to(Layout::coo)));
}

TEST_CASE("sums of gradients that are zero everywhere are zero", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const auto none = to_dense(gradient(sum(gradient(sum(list * 2.0F), list)), list), 0.0F);
    CHECK(eval(sum(square(none * 0.5F)), how).item() == 0.0F);
    CHECK(same(eval(sum(relu(none), 1), how), zeros<float>({rows})));
    // A gradient that no element has, where it is specified.
    const auto unused = gradient(sum(on(list, 1.0F)), list, allow_unused);
    CHECK(eval(sum(square(to_dense(intersect(max(unused, list)), 0.0F))), how).item() == 0.0F);
    // 0 times infinity is NaN.
    const auto few = MaskedTensor<float>::coo({4, 5}, {{1, 2}, {3, 4}}, {1.0F, 2.0F});
    const auto some = to_dense(gradient(sum(gradient(sum(few * 2.0F), few)), few), 0.0F);
    CHECK(std::isnan(eval(sum(some * std::numeric_limits<float>::infinity()), how).item()));
}

TEST_CASE("a list meets a number that is computed from other lists", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const Tensor<float> weights({2}, {2.0F, -1.0F});
    const auto dense = to_dense(list, 0.0F);
    const auto lines = stack(std::tuple(sum(dense, 1), sum(abs(dense), 1)), 0);
    CHECK(same(eval(list + matmul(amax(lines, 1), weights), how), eval(list + 12.0F, how)));
}

TEST_CASE("lists of which a result needs only that their masks are equal are not read",
          "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix(), other = matrix();
    const Tensor<float> y = zeros<float>({1, columns});
    const Tensor<const float> x = repeated({2, rows});
    const auto loss = to_dense(matmul(x, list - other), 0.0F) + repeat(y, {2, 1});
    CHECK(same(eval(gradient(loss, y), how).to_dense(0), full<float>({1, columns}, 2.0F)));
}

TEST_CASE("values move after they are computed with the mask of their list", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const Tensor<float> x = full<float>({6, rows}, 0.5F);
    const auto loss = sum(roll(matmul(x, list), 1, 0));
    const auto found = eval(flip(gradient(loss, list), {0}), how);
    CHECK(same(eval(flip(found, {0}), how).to(Layout::coo), eval(list * 0.0F + 3.0F, how)));
}

TEST_CASE("a product of stacked lists is one of their elements", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const Tensor<float> u = full<float>({rows, 2}, 0.25F), v = full<float>({columns, 2}, 1.0F);
    const Tensor<float> x = full<float>({2, 2}, 1.0F), y = full<float>({columns}, 0.5F);
    const auto large = max(list, matmul(u, transpose(v, 0, 1)));
    const auto found = eval(matmul(matmul(x, stack(std::tuple(large, large), 1)), y), how);
    const auto wanted = eval(matmul(max(list, 0.5F) * 2.0F, y), how);
    CHECK(same(eval(select(found, 1, 1), how).to_dense(0), wanted.to_dense(0)));
}

TEST_CASE("the gradient of a product of conditions reads them where the list is", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const auto list =
        MaskedTensor<float>::coo({3, rows, columns}, {{0, 1, 2}, {7, 8, 9}, {1, 2, 3}}, {3, 0, 12});
    const Tensor<float> x = full<float>({columns}, 1.0F), y = full<float>({3, rows}, 1.0F);
    const Tensor<float> z = full<float>({columns}, 2.0F);
    const auto first = gradient(matmul(list > 0.5F, x), x, y);
    const auto found = eval(gradient(first, y, z), how);
    CHECK(found.specified_count() == 3);
    CHECK(eval(sum(found)).item() == 4.0F);
}

TEST_CASE("a product is read where a number of two lists and a gradient read it", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const auto other = MaskedTensor<float>::coo({rows, columns}, {{7, 9}, {1, 4}}, {1, 4});
    const Tensor<float> u = full<float>({rows, 2}, 0.5F), v = full<float>({columns, 2}, 0.5F);
    const auto length = norm(unite(list + other) * matmul(u, transpose(v, 0, 1)));
    CHECK(eval(length, how).item() == 7.0F);
    const auto found = eval(gradient(length, other), how);
    CHECK(same(eval(found * 7.0F, how).to(Layout::coo), eval(other * 0.0F + 1.0F, how)));
}

TEST_CASE("the gradient of a product of few long lines has sums of a tensor's columns",
          "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const auto lines = MaskedTensor<float>::coo({2, rows * columns}, {{0, 1, 1}, {5, 7, 9}}, {3, 4, 12});
    const Tensor<float> x({2, 2}, {1, 2, 3, 4});
    const auto found = eval(gradient(sum(matmul(x, lines)), lines), how);
    CHECK(same(found.to(Layout::coo),
               MaskedTensor<float>::coo({2, rows * columns}, {{0, 1, 1}, {5, 7, 9}}, {4, 6, 6})));
}

TEST_CASE("the gradient of products of the rows of a list has sums of these", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const Tensor<float> x = full<float>({rows, 1, 5}, 0.5F);
    const auto found = eval(gradient(sum(matmul(unsqueeze(list, 2), x)), x), how);
    CHECK(eval(sum(found), how).item() == 5 * 17.0F);
    CHECK(eval(select(select(found, 2, 4), 1, 0), how).to_dense(0).to_vector()[5] == 2.0F);
}

TEST_CASE("parts of a mask that repeat a list are joined as lists", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const auto list =
        MaskedTensor<float>::coo({rows, 2, columns}, {{0, 1, 2}, {0, 1, 1}, {1, 2, columns - 1}}, {3, 0, 12});
    const Tensor<float> x({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const auto found = eval(gradient(sum(roll(matmul(x, list), 1, 2)), list), how);
    CHECK(found.specified_count() == 3);
    CHECK(eval(sum(found), how).item() == 16.0F + 20.0F + 20.0F);
}

TEST_CASE("gradients of gradients gather lines of lists with their mask", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = matrix();
    const Tensor<std::int64_t> of_rows({3}, {5, 7, 5}), of_columns({2}, {2, 1});
    const Tensor<float> x = full<float>({3, 2, 2}, 2.0F);
    const auto lines =
        index_select(index_select(stack(std::tuple(list, list * 2.0F), 1), 2, of_columns), 0, of_rows);
    const auto found = eval(gradient(gradient(lines, list, x), x), how);
    // Elements of [7, 1] and, twice, of [5, 2], of both parts.
    CHECK(found.specified_count() == 6);
    CHECK(eval(sum(found), how).item() == 3.0F + 6.0F);
}

TEST_CASE("bools of a list are moved with its mask", "[codegen][huge_lists]") {
    const EvalOptions how = options();
    const auto list =
        MaskedTensor<float>::coo({3, rows, columns}, {{0, 1, 2}, {7, 8, 8}, {1, 2, 3}}, {3, 0, 12});
    const Tensor<std::int64_t> ids({300}, std::vector<std::int64_t>(300, 8));
    const Tensor<float> x = full<float>({5, 300}, 1.0F);
    const auto found = eval(gradient(sum(matmul(x, index_select(list, 1, ids) > 0.5F)), x), how);
    CHECK(same(found.to_dense(0), full<float>({5, 300}, 1.0F)));
}

}  // namespace huge_lists_test
