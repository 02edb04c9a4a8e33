// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <utility>

namespace product_extents_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr Layout layouts[] = {Layout::strided, Layout::bitmask, Layout::coo, Layout::rows,    Layout::csr,
                              Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};
constexpr std::int64_t extents[] = {0, 1, 2, 4};

/// Checks that a product of tensors stored so has the shape, the mask and the elements that it has of the
/// same as values and masks.
template <class Made, class Wanted>
void check_product(const Made& made, const Wanted& wanted, const EvalOptions& how) {
    const auto found = eval(made, how);
    const auto expected = eval(wanted, {.jit = Jit::never});
    CHECK(found.shape() == expected.shape());
    CHECK(same(found, expected));
}

MaskedTensor<float> stored(const Shape& shape, double density, Layout layout, std::uint32_t seed) {
    return random_masked(shape, specified(density), layout, seed, Listed::ascending);
}

/// Both factors masked, and either with a dense one.
template <class Product>
void check_factors(const Shape& left, const Shape& right, Layout layout, double density,
                   const EvalOptions& how, Product&& product) {
    const Tensor<float> a = random_tensor(left, 3), b = random_tensor(right, 4);
    const bool is_left = can_hold(layout, left), is_right = can_hold(layout, right);
    CAPTURE(name_of(layout), to_string(left), to_string(right), density);
    if (is_left) {
        const MaskedTensor<float> m = stored(left, density, layout, 5);
        check_product(product(m, b), product(strided(m), b), how);
    }
    if (is_right) {
        const MaskedTensor<float> n = stored(right, density, layout, 6);
        check_product(product(a, n), product(a, strided(n)), how);
    }
    if (is_left && is_right) {
        const MaskedTensor<float> m = stored(left, density, layout, 7), n = stored(right, density, layout, 8);
        check_product(product(m, n), product(strided(m), strided(n)), how);
        check_product(product(m, strided(n)), product(strided(m), strided(n)), how);
        check_product(product(strided(m), n), product(strided(m), strided(n)), how);
    }
}

}  // namespace

TEST_CASE("a product of a masked column and a matrix without columns has no columns", "[codegen]") {
    const EvalOptions how = options();
    for (const Layout layout : layouts) {
        if (!can_hold(layout, {2, 1})) continue;
        CAPTURE(name_of(layout));
        const auto m = masked(Tensor<double>({2, 1}, {1, 2}), full<bool>({2, 1}, true)).to(layout);
        const MaskedTensor<double> found = eval(matmul(m, zeros<double>({1, 0})), how);
        CHECK(found.shape() == Shape{2, 0});
        CHECK(found.specified_count() == 0);
    }
}

TEST_CASE("products of any extents, 0 and 1 among them, do not depend on the layout", "[codegen]") {
    const EvalOptions how{.jit = Jit::never};
    const double density = GENERATE(0.0, 0.5, 1.0);
    for (const Layout layout : layouts)
        for (const std::int64_t rows : extents)
            for (const std::int64_t inner : extents) {
                if (layout == Layout::two_four && density > 0.5) continue;
                const auto check = [&](const Shape& left, const Shape& right, auto&& product) {
                    check_factors(left, right, layout, density, how, product);
                };
                for (const std::int64_t columns : extents) {
                    const Shape left{rows, inner}, right{inner, columns};
                    check(left, right, [](const auto& x, const auto& y) { return mm(x, y); });
                    check(left, {columns, inner}, [](const auto& x, const auto& y) { return linear(x, y); });
                    check({2, rows, inner}, {2, inner, columns},
                          [](const auto& x, const auto& y) { return bmm(x, y); });
                    check({2, rows, inner}, right, [](const auto& x, const auto& y) { return matmul(x, y); });
                }
                check({rows, inner}, {inner}, [](const auto& x, const auto& y) { return mv(x, y); });
                check({rows}, {rows, inner}, [](const auto& x, const auto& y) { return matmul(x, y); });
                check({rows}, {rows}, [](const auto& x, const auto& y) { return dot(x, y); });
                check({inner, rows, 2}, {2}, [](const auto& x, const auto& y) { return matmul(x, y); });
            }
}

TEST_CASE("compiled products of any extents are those of the interpreter", "[codegen][deep]") {
    const EvalOptions how{.jit = Jit::always};
    const Layout layout = GENERATE(Layout::coo, Layout::rows);
    for (const std::int64_t rows : {0, 1, 2})
        for (const std::int64_t inner : {0, 1, 2})
            for (const std::int64_t columns : {0, 1, 2}) {
                check_factors({rows, inner}, {inner, columns}, layout, 0.5, how,
                              [](const auto& x, const auto& y) { return mm(x, y); });
                check_factors({2, rows, inner}, {2, inner, columns}, layout, 0.5, how,
                              [](const auto& x, const auto& y) { return bmm(x, y); });
            }
}

TEST_CASE("a product of lists without elements goes on as a list", "[codegen]") {
    const EvalOptions how = options();
    for (const Layout layout : {Layout::coo, Layout::rows, Layout::csr, Layout::bsc})
        for (const std::int64_t columns : {0, 1, 3}) {
            CAPTURE(name_of(layout), columns);
            const MaskedTensor<float> m = stored({4, 2}, 0.5, layout, 9);
            const Tensor<float> right = random_tensor({2, columns}, 10);
            const auto make = [&](const auto& x) { return sum(matmul(x, right) * 2, {1}, keepdim); };
            check_product(make(m), make(strided(m)), how);
            const auto turned = [&](const auto& x) { return transpose(matmul(x, right), 0, 1) + 1; };
            check_product(turned(m), turned(strided(m)), how);
        }
}

}  // namespace product_extents_test
