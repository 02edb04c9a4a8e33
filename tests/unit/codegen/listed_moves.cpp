// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <tuple>

namespace listed_moves_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("views of lists are lists", "[codegen]") {
    const Layout layout =
        GENERATE(Layout::coo, Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four);
    const double density = GENERATE(0.0, 0.3);
    const EvalOptions how = options();
    CAPTURE(name_of(layout), density);
    const MaskedTensor<float> m = random_masked({24, 8}, specified(density), layout, 5);
    check_as_strided(m, how, [](const auto& x) { return x(slice(3, 20, 4)); });
    check_as_strided(m, how, [](const auto& x) { return x(slice(3, 20), slice(1, 7, 2)) * 2; });
    check_as_strided(m, how, [](const auto& x) { return transpose(x, 0, 1); });
    check_as_strided(m, how, [](const auto& x) { return flip(x, {0, 1}); });
    check_as_strided(m, how, [](const auto& x) { return select(x, 0, 5); });
    check_as_strided(m, how, [](const auto& x) { return select(x * x, 1, -1); });
    check_as_strided(m, how, [](const auto& x) { return diagonal(x, 1); });
    check_as_strided(m, how, [](const auto& x) { return reshape(transpose(x, 0, 1), {4, 6, 8}); });
    check_as_strided(m, how, [](const auto& x) { return transpose(x + x, 0, 1)(slice(2, 5)) - 1; });
    check_as_strided(m, how, [](const auto& x) { return sum(x(slice(3, 20)), {0}); });
    check_as_strided(m, how, [](const auto& x) { return amax(transpose(x, 0, 1), {1}); });
    check_as_strided(m, how, [](const auto& x) { return x(slice(0, 8)) + on(x, x)(slice(0, 8)); });
}

TEST_CASE("lists stand one after the other as a list", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({24, 8}, specified(0.3), Layout::coo, 5);
    const MaskedTensor<float> other = random_masked({24, 3}, specified(0.5), Layout::csr, 6);
    check_as_strided(m, how, [](const auto& x) { return cat(std::tuple(x, x * 2), 0); });
    check_as_strided(m, how, [](const auto& x) { return stack(std::tuple(x, x), 1); });
    const auto found = eval(cat(std::tuple(m, other, m), 1), how);
    CHECK(found.layout() == Layout::coo);
    CHECK(same(found, eval(cat(std::tuple(strided(m), strided(other), strided(m)), 1), how)));
}

TEST_CASE("what is moved and computed again is masked as it was, in products too", "[codegen]") {
    const EvalOptions how = options();
    const double density = GENERATE(0.1, 0.5);
    const MaskedTensor<float> m = random_masked({12, 5}, specified(density), Layout::coo, 8);
    check_as_strided(m, how, [](const auto& x) { return linear(x, abs(roll(x, -1, 0))); });
    const auto swapped = [](const auto& x) { return linear(abs(roll(x, -1, 0)), x); };
    CHECK(same(eval(swapped(m), how), oracle(swapped(m))));
    check_as_strided(m, how, [](const auto& x) { return transpose(abs(roll(x, -1, 0)), 0, 1); });
    check_as_strided(m, how, [](const auto& x) { return cat(std::tuple(abs(roll(x, 1, 1)), x)); });
}

TEST_CASE("values of one element with a longer list as their mask are whole", "[codegen]") {
    const EvalOptions how = options();
    const auto end = GENERATE(1, 2);  // row of the one element that is specified
    const auto m = MaskedTensor<float>::coo({3, 1}, {{end}, {0}}, {5});
    const auto make = [](const auto& x) {
        const auto corner = diagonal(x, -1);
        return cat(std::tuple(corner, hypot(corner, corner)));
    };
    CHECK(same(eval(make(m), how), oracle(make(m))));
    CHECK(same(eval(make(strided(m)), how), oracle(make(m))));
}

TEST_CASE("what is moved of a list meets what is moved of dense tensors", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({24, 8}, specified(0.3), Layout::coo, 5);
    const Tensor<float> dense = arange<float>(24 * 8).reshape({24, 8});
    check_as_strided(m, how, [&](const auto& x) { return x(slice(3, 20)) * dense(slice(3, 20)); });
    check_as_strided(m, how, [&](const auto& x) { return transpose(x, 0, 1) + transpose(dense, 0, 1); });
    const auto make = [&](const auto& x) { return to_dense(x(slice(0, 9)), 1) + dense(slice(1, 10)); };
    CHECK(same(eval(make(m), how), eval(make(strided(m)), how)));
    CHECK(same(eval(make(m), how), oracle(make(m))));
}

TEST_CASE("what is zero where nothing is specified adds nothing", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = random_masked({24, 8}, specified(0.3), Layout::coo, 5);
    const auto by_rows = [](const auto& x) { return sum(to_dense(x, 0), {1}); };
    CHECK(same(eval(by_rows(m), how), eval(by_rows(strided(m)), how)));
    CHECK(same(eval(by_rows(m), how), oracle(by_rows(m))));
    CHECK(same(eval(sum(to_dense(m, 0)), how), eval(sum(to_dense(strided(m), 0)), how)));
    CHECK(eval(sum(to_dense(huge_coo(), 0), {0}), how).at({9}) == -2);
    CHECK(eval(sum(to_dense(huge_coo(), 0)), how).item() == 17);
}

TEST_CASE("what is moved of lists takes memory for what is stored alone", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = huge_coo();
    CHECK(
        same(eval(transpose(m, 0, 1), how),
             MaskedTensor<float>::coo({1 << 20, huge}, {{1, 2, 3, 9}, {7, 5, huge - 1, 5}}, {3, 4, 12, -2})));
    CHECK(same(eval(m(slice(5, 9)), how),
               MaskedTensor<float>::coo({4, 1 << 20}, {{0, 0, 2}, {2, 9, 1}}, {4, -2, 3})));
    CHECK(same(eval(select(m, 0, 5) * 2, how), MaskedTensor<float>::coo({1 << 20}, {{2, 9}}, {8, -4})));
    CHECK(same(eval(select(m, 1, 3), how), MaskedTensor<float>::coo({huge}, {{huge - 1}}, {12})));
    const auto both = eval(cat(std::tuple(m, m), 0), how);
    CHECK(both.shape() == Shape{2 * huge, 1 << 20});
    CHECK(both.specified_count() == 8);
}

TEST_CASE("values of a list that lie apart are moved and multiplied as they are", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<float> apart = Tensor<float>({8}, {1, 90, 2, 91, 3, 92, 4, 93}).slice(0, 0, 8, 2);
    const auto m = MaskedTensor<float>::coo({4, 6}, {{0, 1, 1, 3}, {5, 0, 2, 4}}, apart);
    const auto wanted = MaskedTensor<float>::coo({4, 6}, {{0, 1, 1, 3}, {5, 0, 2, 4}}, {1, 2, 3, 4});
    const auto other = MaskedTensor<float>::coo({4, 6}, {{2}, {2}}, {7});
    const auto check = [&](auto&& make) { CHECK(same(eval(make(m), how), eval(make(wanted), how))); };
    check([](const auto& x) { return x(slice(1, 4)); });
    check([](const auto& x) { return transpose(x, 0, 1); });
    check([](const auto& x) { return cat(std::tuple(x, x), 0); });
    check([](const auto& x) { return sum(x, {1}); });
    check([&](const auto& x) { return unite(x + other); });
    check([](const auto& x) { return matmul(x, transpose(x, 0, 1)); });
}

}  // namespace listed_moves_test
