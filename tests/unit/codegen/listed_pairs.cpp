// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

namespace listed_pairs_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("a product of two lists at the places of a list has the bits of the whole one", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    // Rows of more than 2^22 columns have no sums for each column.
    const std::int64_t columns = GENERATE(64, 65, 4097, (std::int64_t{1} << 23) + 1);
    CAPTURE(name_of(layout), columns);
    const MaskedTensor<float> a = random_masked({40, 30}, specified(0.3), layout, 5);
    std::vector<std::vector<std::int64_t>> of_b(2), of_places(2);
    std::vector<float> values, ones;
    for (std::int64_t i = 0; i < 30 * 8; ++i) {
        of_b[0].push_back(i / 8);
        of_b[1].push_back((i * 977) % columns);
        values.push_back(0.1F * static_cast<float>(i % 13 - 6));
    }
    for (std::int64_t i = 0; i < 40 * 5; ++i) {
        of_places[0].push_back(i / 5);
        of_places[1].push_back((i * 331 * 977) % columns);
        ones.push_back(static_cast<float>(i % 5));
    }
    const MaskedTensor<float> b = MaskedTensor<float>::coo({30, columns}, of_b, values).coalesce().to(layout);
    const MaskedTensor<float> places =
        MaskedTensor<float>::coo({40, columns}, of_places, ones).coalesce().to(layout);
    const MaskedTensor<float> whole = eval(matmul(a, b), how);
    const auto met = eval(intersect(places * matmul(a, b)), how);
    CHECK(met.specified_count() == eval(intersect(places * whole), how).specified_count());
    CHECK(eval(sum(met), how).item() == eval(sum(intersect(places * whole)), how).item());
    CHECK(stored_values(met) == stored_values(eval(intersect(places * whole), how)));
    const auto on_places = eval(on(places, to_dense(matmul(a, b), 0)), how);
    CHECK(stored_values(on_places) == stored_values(eval(on(places, to_dense(whole, 0)), how)));
}

TEST_CASE("gradients of a product of two lists are at the places of each", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    const MaskedTensor<float> a = random_masked({12, 9}, specified(0.3), layout, 5),
                              b = random_masked({9, 10}, specified(0.3), layout, 6);
    const auto loss = sum(square(matmul(a, b)));
    check_close(eval(gradient(loss, a), how), oracle(gradient(loss, a)));
    check_close(eval(gradient(loss, b), how), oracle(gradient(loss, b)));
    const auto dense = sum(to_dense(matmul(a, b), 0.0F));
    check_close(eval(gradient(dense, a), how), oracle(gradient(dense, a)));
    check_close(eval(gradient(matmul(a, b), a), how), oracle(gradient(matmul(a, b), a)));
    const auto chain = sum(matmul(matmul(a, b), transpose(b, 0, 1)));
    check_close(eval(gradient(chain, a), how), oracle(gradient(chain, a)));
    check_close(eval(gradient(chain, b), how), oracle(gradient(chain, b)));
}

TEST_CASE("products of two huge lists at places take memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const std::int64_t extent = 1 << 20;
    const auto list = [&](std::vector<std::int64_t> rows, std::vector<std::int64_t> columns,
                          std::vector<float> values) {
        return MaskedTensor<float>::coo({extent, extent}, {std::move(rows), std::move(columns)}, values);
    };
    const MaskedTensor<float> a = list({0, 5, 5}, {5, 7, extent - 1}, {2, 3, 4}),
                              b = list({5, 7, extent - 1}, {1, 9, 9}, {10, 20, 30});
    const auto loss = sum(square(matmul(a, b)));
    CHECK(stored_values(eval(gradient(matmul(a, b), a), how)) == std::vector<float>{10, 20, 30});
    CHECK(stored_values(eval(gradient(loss, a), how)) ==
          std::vector<float>{2 * 20 * 10, 2 * 180 * 20, 2 * 180 * 30});
    CHECK(eval(sum(intersect(list({5}, {9}, {1}) * matmul(a, b))), how).item() == 180);
}

TEST_CASE("where a product of two lists has a term is known without its values", "[codegen]") {
    const EvalOptions how = options();
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::csc);
    const MaskedTensor<float> a = random_masked({12, 9}, specified(0.3), layout, 5),
                              b = random_masked({9, 10}, specified(0.3), layout, 6);
    const auto counted = [&](const auto& one, const auto& other) {
        CHECK(same(eval(count(matmul(one, other), 0), how), oracle(count(matmul(one, other), 0))));
        check_close(eval(on(matmul(one, other), 2.0F), how), oracle(on(matmul(one, other), 2.0F)));
    };
    counted(a, b);
    counted(transpose(b, 0, 1), transpose(a, 0, 1));
    // Places of the product are found where a term is 0, or terms cancel.
    const auto lists = [&](std::vector<float> values) {
        return MaskedTensor<float>::coo({2, 2}, {{0, 0}, {0, 1}}, values);
    };
    CHECK(eval(count(matmul(lists({1, -1}), transpose(lists({1, 1}), 0, 1))), how).item() == 1);
    CHECK(eval(count(matmul(lists({0, 0}), transpose(lists({1, 1}), 0, 1))), how).item() == 1);
    const std::int64_t extent = 1 << 20;
    const MaskedTensor<float> wide =
        MaskedTensor<float>::coo({extent, extent}, {{0, 5, 5}, {5, 7, extent - 1}}, {2, 3, 4});
    CHECK(eval(count(matmul(wide, wide)), how).item() == 2);
    CHECK(eval(sum(on(matmul(wide, wide), 2.0F)), how).item() == 4);
}

TEST_CASE("a matrix at the places of a list is multiplied with a line as with a matrix", "[codegen]") {
    const EvalOptions how = options();
    const std::int64_t extent = 1 << 20;
    const Tensor<float> u = full<float>({extent, 2}, 0.5F), x = full<float>({extent}, 2.0F);
    const MaskedTensor<float> wide = coo_of(extent, extent);
    CHECK(eval(sum(matmul(on(wide, matmul(u, transpose(u, 0, 1))), x)), how).item() == 4 * 0.5F * 2);
    CHECK(eval(sum(matmul(x, on(wide, matmul(u, transpose(u, 0, 1))))), how).item() == 4 * 0.5F * 2);
}

TEST_CASE("a result that is specified nowhere is a list without elements", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> wide = coo_of(1 << 20, 1 << 20);
    const auto twice = eval(gradient(gradient(sum(wide), wide), wide), how);
    CHECK(twice.layout() == Layout::coo);
    CHECK(twice.shape() == wide.shape());
    CHECK(twice.specified_count() == 0);
    const Tensor<std::int64_t> ids({3}, {7, 5, 7});
    const auto rows = index_select(gradient(gradient(sum(wide), wide), wide), 0, ids);
    CHECK(eval(log_softmax(rows, 1), how).specified_count() == 0);
}

}  // namespace listed_pairs_test
