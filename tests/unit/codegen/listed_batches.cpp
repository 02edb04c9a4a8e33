// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

namespace listed_batches_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A list of one batch or of several; without a batch where `batches` is 0.
MaskedTensor<float> list_of(std::int64_t batches, std::int64_t rows, std::int64_t columns, unsigned seed) {
    const Shape shape = batches == 0 ? Shape{rows, columns} : Shape{batches, rows, columns};
    return random_masked(shape, specified(0.3), Layout::coo, seed);
}

Tensor<float> tensor_of(std::int64_t batches, std::int64_t rows, std::int64_t columns, unsigned seed) {
    return random_tensor<float>(batches == 0 ? Shape{rows, columns} : Shape{batches, rows, columns}, seed);
}

/// Checks that a product of a list and another factor has the bits of the product of strided operands.
template <class List, class Other>
void check_product(const List& list, const Other& other, const EvalOptions& how) {
    const auto check = [](const auto& listed, const auto& whole) {
        CHECK(listed.layout() == Layout::coo);
        CHECK(same(listed, whole));
    };
    const EvalOptions never{.jit = Jit::never};
    check(eval(matmul(list, other), how), eval(matmul(strided(list), other), never));
    check(eval(matmul(transpose(other, -2, -1), transpose(list, -2, -1)), how),
          eval(matmul(transpose(other, -2, -1), transpose(strided(list), -2, -1)), never));
}

/// Lists of several batches, and of extents of which no tensor can be made.
struct Wide {
    static constexpr std::int64_t extent = 1 << 20;
    MaskedTensor<float> a = MaskedTensor<float>::coo(
        {2, extent, extent}, {{0, 0, 1, 1}, {7, 7, 5, extent - 1}, {1, 9, 2, 3}}, {3, 4, 12, -2});
    MaskedTensor<float> b = MaskedTensor<float>::coo(
        {2, extent, extent}, {{0, 0, 1, 1}, {1, 9, 2, 4}, {6, 6, extent - 1, 3}}, {10, 20, 30, 40});
    Tensor<float> h = full<float>({2, extent, 3}, 0.5F);
};

}  // namespace

TEST_CASE("products of batches of lists have the bits of what is strided", "[codegen]") {
    const EvalOptions how = options();
    // Sums of products are added by panels of 16 terms.
    const auto [batches, inner] =
        GENERATE(std::pair(1, 17), std::pair(2, 15), std::pair(3, 16), std::pair(3, 17), std::pair(5, 33));
    CAPTURE(batches, inner);
    const MaskedTensor<float> list = list_of(batches, 7, inner, 1), one = list_of(0, 7, inner, 2);
    SECTION("times dense matrices, one for each batch or one for all") {
        check_product(list, tensor_of(batches, inner, 4, 3), how);
        check_product(list, tensor_of(0, inner, 4, 3), how);
        check_product(one, tensor_of(batches, inner, 4, 3), how);
    }
    SECTION("times lists") {
        const auto of_lists = [&](const auto& a, const auto& b) {
            const EvalOptions never{.jit = Jit::never};
            CHECK(same(eval(matmul(a, b), how), eval(matmul(strided(a), strided(b)), never)));
        };
        of_lists(list, list_of(batches, inner, 6, 4));
        of_lists(list, list_of(0, inner, 6, 4));
        of_lists(one, list_of(batches, inner, 6, 4));
    }
}

TEST_CASE("batches of lists are multiplied along other dimensions than those they are stored in",
          "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = list_of(3, 7, 17, 1);
    // [7, 17, 3] and [17, 7, 3] in the order in which the product reads them.
    const Tensor<float> of_rows = tensor_of(7, 3, 4, 2), of_columns = tensor_of(17, 3, 4, 3);
    const auto check = [&](auto&& make) {
        CHECK(same(eval(make(list), how), eval(make(strided(list)), how)));
    };
    check([&](const auto& x) { return matmul(transpose(transpose(x, 0, 1), 1, 2), of_rows); });
    check([&](const auto& x) { return matmul(transpose(x, 0, 2), of_columns); });
    check([&](const auto& x) { return matmul(x, transpose(x, 1, 2)); });
}

TEST_CASE("products of batches of lists have gradients at their places", "[codegen]") {
    const EvalOptions how = options();
    const std::int64_t batches = GENERATE(1, 3);
    const MaskedTensor<float> a = list_of(batches, 7, 9, 1), b = list_of(batches, 9, 6, 2);
    const Tensor<float> h = tensor_of(batches, 9, 4, 3), v = random_tensor<float>({9}, 4);
    const auto loss = sum(square(matmul(a, h)));
    const auto of_lists = sum(square(matmul(a, b)));
    check_close(eval(gradient(loss, a), how), oracle(gradient(loss, a)));
    check_close(eval(gradient(loss, h), how), oracle(gradient(loss, h)));
    check_close(eval(gradient(of_lists, a), how), oracle(gradient(of_lists, a)));
    check_close(eval(gradient(of_lists, b), how), oracle(gradient(of_lists, b)));
    check_close(eval(gradient(sum(matmul(a, v)), a), how), oracle(gradient(sum(matmul(a, v)), a)));
    const Tensor<float> shared = random_tensor<float>({9, 4}, 5);
    const auto of_shared = [&](const auto& list) {
        return eval(gradient(sum(square(matmul(list, shared))), shared), how);
    };
    CHECK(same(of_shared(a), of_shared(strided(a))));
    const Tensor<float> u = random_tensor<float>({7, 3}, 6);
    const auto of_gradient = matmul(gradient(sum(matmul(transpose(u, 0, 1), a)), a), v);
    check_close(eval(of_gradient, how), oracle(of_gradient));
}

TEST_CASE("lines of several dimensions of batches are factors at the places of a list", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> list = random_masked({5, 7, 3}, specified(0.05), Layout::coo, 1);
    const Tensor<float> made = random_tensor<float>({3, 6}, 2), column = random_tensor<float>({6, 1}, 3),
                        wide = random_tensor<float>({6, 4}, 4);
    const auto lines = matmul(list, made);  // [5, 7, 6]
    const auto check = [&](const auto& product) { CHECK(same(eval(product, how), oracle(product))); };
    check(matmul(column, unsqueeze(lines, 2)));
    check(matmul(unsqueeze(lines, 3), transpose(column)));
    check(matmul(unsqueeze(lines, 2), wide));
    check(matmul(transpose(wide), unsqueeze(lines, 3)));
    check(matmul(unsqueeze(lines, 3), unsqueeze(lines, 2)));
}

TEST_CASE("gradients of means over batches of products have the interpreter's values", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> a = random_masked({3, 23, 23}, specified(0.1), Layout::coo, 1);
    const Tensor<float> x = random_tensor<float>({5, 23}, 2);
    const auto soft = softmax(a, 0);
    const auto of_soft = gradient(mean(tanh(matmul(x, soft)), {0}), soft);
    check_close(eval(of_soft, how), oracle(of_soft));
}

TEST_CASE("batches of lists are moved, joined and squeezed where they are multiplied", "[codegen]") {
    const EvalOptions never{.jit = Jit::never};  // plans as of compiled calls
    const auto check = [&](const auto& make) {
        const Wide wide;
        CHECK_NOTHROW(eval(make(wide.a), never));
        const auto small = list_of(2, 11, 11, 1);
        check_close(eval(make(small), never), oracle(make(small)));
    };
    const auto rows = [](const auto& a, std::int64_t columns) {
        return full<float>({a.shape()[1], columns}, 0.5F);
    };
    check([&](const auto& a) {
        return matmul(transpose(roll(a, 1, 0), 0, 2), full<float>({a.shape()[1], 2, 2}, 0.5F));
    });
    check([&](const auto& a) { return matmul(roll(mean(a, {0}, keepdim), -3, 2), rows(a, 2)); });
    check([&](const auto& a) {
        return gradient(matmul(unsqueeze(a, 2), rows(a, 3)), a, full<float>({2, a.shape()[1], 1, 3}, 0.5F));
    });
    check([&](const auto& a) {
        const auto of_nothing = gradient(sum(cast<float>(any(a, {0}))), a);
        return unite(of_nothing + a) * matmul(rows(a, 2), transpose(rows(a, 2), 0, 1));
    });
    check([&](const auto& a) {
        const auto moved = unite(roll(mean(a, {0}, keepdim), 1, 1) + mean(a, {0}, keepdim));
        return unite(moved + mean(a, {0}, keepdim) * 2);
    });
    check([&](const auto& a) {
        const auto u = full<float>({2, a.shape()[1]}, 0.5F), v = full<float>({a.shape()[1]}, 2.0F);
        const auto w = full<float>({a.shape()[1]}, 3.0F);
        return gradient(gradient(matmul(a, v), v, u), u, w);
    });
    check([&](const auto& a) {
        const auto w = rows(a, 6);
        return gradient(gradient(matmul(softmax(a, 1), w), w), a);
    });
    check([&](const auto& a) {
        const auto scaled = a * to_dense(matmul(a, rows(a, 1)), 0.0F);
        return gradient(gradient(sum(matmul(scaled, rows(a, 3))), a), a);
    });
}

TEST_CASE("products of batches of huge lists take memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const Wide wide;
    CHECK(stored_values(eval(matmul(wide.a, wide.b), how)) == std::vector<float>{3 * 10 + 4 * 20, 12 * 30});
    CHECK(eval(sum(matmul(wide.a, wide.h)), how).item() == 3 * 0.5F * (3 + 4 + 12 - 2));
    CHECK(stored_values(eval(gradient(sum(square(matmul(wide.a, wide.b))), wide.a), how)) ==
          std::vector<float>{2 * 110 * 10, 2 * 110 * 20, 2 * 360 * 30});
    CHECK(stored_values(eval(gradient(sum(matmul(wide.a, wide.h)), wide.a), how)) ==
          std::vector<float>(4, 1.5F));
    const Tensor<float> u = full<float>({Wide::extent, 3}, 0.5F), v = full<float>({Wide::extent}, 2.0F);
    const auto of_gradient = gradient(sum(matmul(transpose(u, 0, 1), wide.a)), wide.a);
    CHECK(stored_values(eval(matmul(of_gradient, v), how)) == std::vector<float>{6, 3, 3});
}

}  // namespace listed_batches_test
