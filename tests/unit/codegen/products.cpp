// SPDX-License-Identifier: MIT
/// Products have one order of summation: their bits equal the results of the loop written here, whatever the
/// layout, the extents, the threads and who computes them.
#include "../../../runtime/limits.hpp"
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <cmath>
#include <limits>

namespace products_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t panel = limits::product_panel;
/// Numbers of terms: none, one, and around a tile of vectors and the panels.
constexpr std::int64_t inner_extents[] = {
    0, 1, 2, 7, 8, 9, 63, 64, 65, panel - 1, panel, panel + 1, 2 * panel + 1};

/// Numbers with all digits, so that another order of additions shows.
template <class T>
Tensor<T> uneven(Shape shape, std::uint32_t seed) {
    Random random(seed);
    Tensor<T> tensor(std::move(shape));
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] = static_cast<T>(static_cast<double>(random.below(1 << 30) - (1 << 29)) * 0x1.1p-29);
    return tensor;
}

/// A matrix of masked elements, or of whole rows, of which the unspecified are NaN.
template <class T>
MaskedTensor<T> masked_uneven(Shape shape, double density, std::uint32_t seed, bool by_rows = false) {
    Tensor<T> values = uneven<T>(shape, seed);
    Tensor<bool> mask(shape);
    Random random(seed + 1);
    for (std::int64_t i = 0; i < values.size(); ++i) {
        const bool is_same = by_rows && i % shape[1] != 0;
        mask.data()[i] = is_same ? mask.data()[i - 1] : random.chance(density);
        if (!mask.data()[i]) values.data()[i] = std::numeric_limits<T>::quiet_NaN();
    }
    return masked(values, mask);
}

/// A matrix as the loop below reads it: an element counts where it is specified.
template <class T>
struct Matrix {
    Tensor<T> values;
    Tensor<bool> mask;
    explicit Matrix(const Tensor<T>& dense) : values(dense), mask(full<bool>(dense.shape(), true)) {}
    explicit Matrix(const MaskedTensor<T>& m) : values(m.to_dense(0)), mask(m.mask_tensor()) {}
    /// The transpose: its rows are without gaps, as a loop over many columns wants them.
    Matrix transposed() const {
        Matrix turned(values.transpose(0, 1).clone());
        turned.mask = mask.transpose(0, 1).clone();
        return turned;
    }
};

/// Reduction::contract of a row of `a` and a row of `b`, the transpose of the second factor.
template <class T>
T sum_of_products(const Matrix<T>& a, const Matrix<T>& b, std::int64_t row, std::int64_t column) {
    const std::int64_t inner = a.values.shape()[1];
    double total = 0;
    T part = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
        if (k % panel == 0) {
            total += static_cast<double>(part);
            part = 0;
        }
        const std::int64_t left = row * inner + k, right = column * inner + k;
        if (a.mask.data()[left] && b.mask.data()[right])
            part = std::fma(a.values.data()[left], b.values.data()[right], part);
    }
    return static_cast<T>(total + static_cast<double>(part));
}

template <class T>
bool same_number(T a, T b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// True if a product has the bits of the loop wherever it is specified.
template <class T, class Product, class A, class B>
bool is_right(const Product& product, const A& left, const B& right, const EvalOptions& how) {
    const Matrix<T> a(left), b = Matrix<T>(right).transposed(), found(eval(product, how));
    const std::int64_t columns = b.values.shape()[0];
    for (std::int64_t at = 0; at < found.values.size(); ++at)
        if (found.mask.data()[at] &&
            !same_number(found.values.data()[at], sum_of_products(a, b, at / columns, at % columns)))
            return false;
    return true;
}

/// The extents of a result, around the tiles of all instruction sets.
struct Sides { std::int64_t rows, columns; };
constexpr Sides sides[] = {{1, 1},  {1, 17},  {13, 1},  {16, 1}, {17, 1}, {33, 1}, {5, 31}, {6, 16},
                           {7, 33}, {12, 32}, {13, 65}, {25, 3}, {9, 7},  {8, 8},  {10, 9}};

template <class T>
void check_extents(const EvalOptions& how) {
    for (const std::int64_t inner : inner_extents)
        for (const auto [rows, columns] : sides) {
            if (inner > 65 && rows * columns > 200) continue;
            CAPTURE(inner, rows, columns);
            const Tensor<T> a = uneven<T>({rows, inner}, 1), b = uneven<T>({inner, columns}, 2);
            const Tensor<T> turned_a = eval(transpose(a, 0, 1)), turned_b = eval(transpose(b, 0, 1));
            CHECK(is_right<T>(matmul(a, b), a, b, how));
            CHECK(is_right<T>(matmul(transpose(turned_a, 0, 1), b), a, b, how));
            CHECK(is_right<T>(linear(a, turned_b), a, b, how));
        }
}

template <class T>
void check_masks(const EvalOptions& how) {
    for (const std::int64_t inner : {1, 9, 64, 4097})
        for (const double density : {0.0, 0.1, 0.5, 1.0}) {
            CAPTURE(inner, density);
            const MaskedTensor<T> m = masked_uneven<T>({7, inner}, density, 1),
                                  n = masked_uneven<T>({inner, 19}, density, 3);
            const Tensor<T> a = uneven<T>({7, inner}, 5), b = uneven<T>({inner, 19}, 6);
            CHECK(is_right<T>(matmul(m, b), m, b, how));
            CHECK(is_right<T>(matmul(a, n), a, n, how));
            CHECK(is_right<T>(matmul(m, n), m, n, how));
            const MaskedTensor<T> high = masked_uneven<T>({17, inner}, density, 7),
                                  column = masked_uneven<T>({inner, 1}, density, 8);
            for (const std::int64_t columns : {7, 8, 9}) {
                const Tensor<T> few = uneven<T>({inner, columns}, 10);
                const MaskedTensor<T> some = masked_uneven<T>({inner, columns}, density, 11);
                CHECK(is_right<T>(matmul(high, few), high, few, how));
                CHECK(is_right<T>(matmul(a, some), a, some, how));
            }
            const Tensor<T> known = uneven<T>({inner, 1}, 9);
            CHECK(is_right<T>(matmul(high, known), high, known, how));
            CHECK(is_right<T>(matmul(high, column), high, column, how));
        }
}

}  // namespace

TEST_CASE("products of float32 have one order at every extent", "[codegen]") {
    check_extents<float>(options());
}
TEST_CASE("products of float64 have one order at every extent", "[codegen]") {
    check_extents<double>(options());
}
TEST_CASE("products of masked float32 skip what is not specified", "[codegen]") {
    check_masks<float>(options());
}
TEST_CASE("products of masked float64 skip what is not specified", "[codegen]") {
    check_masks<double>(options());
}

TEST_CASE("products have the same bits in every layout", "[codegen]") {
    const Layout layout = GENERATE(every_layout());
    const EvalOptions how = options();
    if (layout == Layout::two_four || layout == Layout::dense) return;  // these hold no such masks
    CAPTURE(name_of(layout));
    for (const std::int64_t inner : {8, 4104})
        for (const double density : {0.01, 0.3}) {
            const bool by_rows = layout == Layout::rows;
            const MaskedTensor<float> m = masked_uneven<float>({6, inner}, density, 1, by_rows),
                                      n = masked_uneven<float>({inner, 8}, density, 3, by_rows);
            const MaskedTensor<float> left = m.to(layout), right = n.to(layout);
            const Tensor<float> a = uneven<float>({6, inner}, 5), b = uneven<float>({inner, 20}, 6);
            CAPTURE(inner, density);
            CHECK(is_right<float>(matmul(left, b), left, b, how));
            CHECK(is_right<float>(matmul(a, right), a, right, how));
            CHECK(is_right<float>(matmul(left, right), left, right, how));
            // The loop by hand takes seconds for many places of many terms.
            if (inner > 8 && density > 0.1) continue;
            const Tensor<float> square = uneven<float>({inner, inner}, 9);
            CHECK(is_right<float>(on(left, matmul(a, square)), a, square, how));
        }
}

TEST_CASE("sampled products of many places and terms have the same bits in every layout", "[codegen][deep]") {
    const Layout layout = GENERATE(every_layout());
    if (layout == Layout::two_four || layout == Layout::dense) return;
    constexpr std::int64_t inner = 4104;
    const MaskedTensor<float> m = masked_uneven<float>({6, inner}, 0.3, 1, layout == Layout::rows);
    const Tensor<float> a = uneven<float>({6, inner}, 5), square = uneven<float>({inner, inner}, 9);
    CAPTURE(name_of(layout));
    CHECK(is_right<float>(on(m.to(layout), matmul(a, square)), a, square, options()));
}

TEST_CASE("threads share the panels of a product of few sums", "[codegen]") {
    const EvalOptions how = options();
    const std::int64_t terms = GENERATE(panel, panel + 1, 2 * panel + 1);
    const auto [rows, columns] =
        GENERATE(Sides{64, 64}, Sides{65, 64}, Sides{9, 8}, Sides{33, 1}, Sides{1, 40});
    if (rows * columns >= limits::few_sums && terms != panel + 1) return;  // the loop by hand takes long
    CAPTURE(terms, rows, columns);
    const Tensor<float> a = uneven<float>({rows, terms}, 1), b = uneven<float>({terms, columns}, 2);
    const MaskedTensor<float> m = masked_uneven<float>({rows, terms}, 0.5, 3);
    CHECK(is_right<float>(matmul(a, b), a, b, how));
    CHECK(is_right<float>(matmul(m, b), m, b, how));
    const Tensor<float> turned = eval(transpose(a, 0, 1));
    CHECK(is_right<float>(matmul(transpose(turned, 0, 1), b), a, b, how));
}

TEST_CASE("threads share the panels of batches of products of few sums", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<float> a = uneven<float>({3, 7, 2 * panel + 1}, 1),
                        b = uneven<float>({3, 2 * panel + 1, 5}, 2);
    const Tensor<float> whole = eval(matmul(a, b), how);
    for (std::int64_t i = 0; i < 3; ++i) {
        const Tensor<float> left = eval(a[{i}]), right = eval(b[{i}]), part = eval(whole[{i}]);
        CHECK(is_right<float>(part + 0.0F, left, right, how));
    }
}

TEST_CASE("a row alone has the bits that it has in the matrix", "[codegen]") {
    const EvalOptions how = options();
    for (const std::int64_t inner : {37, 300, 5000}) {
        const Tensor<float> a = uneven<float>({9, inner}, 1), b = uneven<float>({inner, 35}, 2);
        const Tensor<float> whole = eval(matmul(a, b), how);
        const Tensor<float> column = eval(b[{all, 3}]), row = eval(a[{4}]);
        const Tensor<float> by_row = eval(matmul(row, b), how), by_column = eval(mv(a, column), how),
                            number = eval(dot(row, column), how);
        CAPTURE(inner);
        for (std::int64_t j = 0; j < 35; ++j) CHECK(same_number(by_row.data()[j], whole.data()[4 * 35 + j]));
        for (std::int64_t i = 0; i < 9; ++i)
            CHECK(same_number(by_column.data()[i], whole.data()[i * 35 + 3]));
        CHECK(same_number(number.item(), whole.data()[4 * 35 + 3]));
    }
}

TEST_CASE("batches of products are products", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<float> a = uneven<float>({3, 2, 7, 70}, 1), b = uneven<float>({2, 70, 33}, 2);
    const Tensor<float> whole = eval(matmul(a, b), how);
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 2; ++j) {
            const Tensor<float> left = eval(a[{i, j}]), right = eval(b[{j}]), part = eval(whole[{i, j}]);
            CHECK(is_right<float>(part + 0.0F, left, right, how));
        }
}

TEST_CASE("what a masked factor leaves out may be infinite in the other", "[codegen]") {
    const EvalOptions how = options();
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        const MaskedTensor<float> m = masked_uneven<float>({13, 40}, 0.5, 1);
        Tensor<float> b = uneven<float>({40, 35}, 2);
        for (std::int64_t j = 0; j < 35; j += 3) b.data()[(j % 40) * 35 + j] = bad;
        CHECK(is_right<float>(matmul(m, b), m, b, how));
        const MaskedTensor<float> turned = eval(transpose(m, 0, 1));
        const Tensor<float> left = eval(transpose(b, 0, 1));
        CHECK(is_right<float>(matmul(left, turned), left, turned, how));
        const Tensor<float> few = eval(b[{all, slice(0, 8)}]);
        CHECK(is_right<float>(matmul(m, few), m, few, how));
        const MaskedTensor<float> few_rows = eval(m[{slice(0, 8)}]);
        const MaskedTensor<float> few_columns = eval(transpose(few_rows, 0, 1));
        CHECK(is_right<float>(matmul(left, few_columns), left, few_columns, how));
    }
}

TEST_CASE("a sum of products that are zero is +0", "[codegen]") {
    const EvalOptions how = options();
    const Tensor<float> small = full<float>({3, 2}, -1e-30F), tiny = full<float>({2, 3}, 1e-30F),
                        none({3, 0}), nothing({0, 3});
    for (const Tensor<float>& product :
         {Tensor<float>(eval(matmul(small, tiny), how)), Tensor<float>(eval(matmul(none, nothing), how)),
          Tensor<float>(eval(matmul(full<float>({3, 2}, -0.0F), tiny), how))})
        for (std::int64_t i = 0; i < product.size(); ++i) CHECK(same_number(product.data()[i], 0.0F));
}

TEST_CASE("a long sum of products loses nothing", "[codegen]") {
    constexpr std::int64_t length = std::int64_t{1} << 25;
    const Tensor<float> ones = full<float>({length}, 1);
    CHECK(eval(dot(ones, ones), {.jit = Jit::always}).item() == 33554432.0F);
}

TEST_CASE("whole numbers wrap in products, and 16 bits are widened", "[codegen]") {
    const EvalOptions how = options();
    const auto large = full<std::int32_t>({2, 3}, 2'000'000'000);
    const Tensor<std::int32_t> wrapped = eval(matmul(large, full<std::int32_t>({3, 2}, 3)), how);
    for (std::int64_t i = 0; i < 4; ++i)
        CHECK(wrapped.data()[i] == static_cast<std::int32_t>(18'000'000'000));
    const Tensor<float> a = uneven<float>({9, 70}, 1), b = uneven<float>({70, 20}, 2);
    const Tensor<bfloat16> short_a = a.to<bfloat16>();
    CHECK(is_right<float>(matmul(short_a, b), Tensor<float>(short_a.to<float>()), b, how));
}

TEST_CASE("gradients of products are products", "[codegen]") {
    const EvalOptions how = options();
    const MaskedTensor<float> m = masked_uneven<float>({6, 70}, 0.7, 1);
    const Tensor<float> b = uneven<float>({70, 5}, 2), weights = uneven<float>({6, 5}, 3);
    const auto loss = sum(values_of(matmul(m, b)) * weights);
    const auto turned_b = eval(transpose(b, 0, 1));
    const MaskedTensor<float> of_m = eval(gradient(loss, m), how), of_b = eval(gradient(loss, b), how);
    CHECK(same(of_m.mask_tensor(), m.mask_tensor()));
    CHECK(is_right<float>(of_m * 1.0F, weights, turned_b, how));
    const MaskedTensor<float> turned_m = eval(transpose(m, 0, 1));
    CHECK(is_right<float>(of_b * 1.0F, turned_m, weights, how));
}

}  // namespace products_test
