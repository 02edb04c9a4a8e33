// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

namespace eval_values_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Floats = std::vector<float>;
using Numbers = std::vector<std::int64_t>;
constexpr EvalOptions interpreted{.jit = Jit::never};

const Tensor<float> data({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor<bool> upper({2, 3}, {true, false, true, false, false, false});
const MaskedTensor<float> m = masked(data, upper);  // [[1, --, 3], [--, --, --]]

/// Elements of a dense expression.
template <class E>
auto elements(const E& expression) {
    return eval(expression, interpreted).to_vector();
}
/// The elements of a masked expression, -1 where nothing is specified.
template <class E>
auto filled(const E& expression) {
    return eval(to_dense(expression, -1), interpreted).to_vector();
}

}  // namespace

TEST_CASE("the listing of the design holds") {
    const Tensor<bool>& mask = upper;
    MaskedTensor<float> m = masked(data, mask);
    MaskedTensor<float> row_sums = eval(sum(m * m, {1}));  // a row with nothing specified is masked
    Tensor<float> plain = eval(to_dense(m, 0.f));
    CHECK(to_string(row_sums) == "MaskedTensor(\n  [ 10.0000,       --]\n)");
    CHECK(plain.to_vector() == Floats{1, 0, 3, 0, 0, 0});
}

TEST_CASE("an expression over tensors takes tensors, masked tensors and numbers") {
    CHECK(elements(2 * data) == Floats{2, 4, 6, 8, 10, 12});
    CHECK(elements(data == data) == std::vector<bool>(6, true));
    CHECK(filled(m * m) == Floats{1, -1, 9, -1, -1, -1});
    CHECK(filled(m + data) == Floats{2, -1, 6, -1, -1, -1});
    CHECK(filled(where(m > 2, m, 0)) == Floats{0, -1, 3, -1, -1, -1});
    CHECK(filled(on(m, 7 * data)) == Floats{7, -1, 21, -1, -1, -1});
    CHECK(filled(masked(data, data > 4)) == Floats{-1, -1, -1, -1, 5, 6});
    CHECK(elements(mask_of(m)) == upper.to_vector());
    CHECK(elements(mask_of(m * 2) && data > 2) == std::vector<bool>{false, false, true, false, false, false});
    CHECK(elements(cast<std::int64_t>(data / 2)) == Numbers{0, 1, 1, 2, 2, 3});
}

TEST_CASE("intersect and unite take the elements of both or of either") {
    const auto other = masked(data, Tensor<bool>({2, 3}, {true, true, false, false, false, false}));
    CHECK(filled(intersect(m * other)) == Floats{1, -1, -1, -1, -1, -1});
    CHECK(filled(unite(m + other)) == Floats{2, 2, 3, -1, -1, -1});
    CHECK_THROWS_AS(eval(m * other), MaskMismatch);
}

TEST_CASE("reductions go over the specified elements") {
    CHECK(filled(sum(m)) == Floats{4});
    CHECK(filled(sum(m, 1)) == Floats{4, -1});
    CHECK(filled(sum(m, {0, -1})) == Floats{4});
    CHECK(filled(sum(m, std::vector<int>{0})) == Floats{1, -1, 3});
    CHECK(eval(sum(m, {1}, keepdim)).shape() == Shape{2, 1});
    CHECK(eval(sum(m, keepdim)).shape() == Shape{1, 1});
    CHECK(filled(prod(m, 1)) == Floats{3, -1});
    CHECK(filled(mean(m, 1)) == Floats{2, -1});
    CHECK(filled(amin(m)) == Floats{1});
    CHECK(filled(amax(m)) == Floats{3});
    CHECK(filled(argmax(m, 1)) == Numbers{2, -1});
    CHECK(filled(argmin(-m)) == Numbers{2});
    CHECK(elements(any(data > 5, {1})) == std::vector<bool>{false, true});
    CHECK(elements(all(data > 3, {1})) == std::vector<bool>{false, true});
    CHECK(filled(var(m, 1)) == Floats{2, -1});
    CHECK(filled(var(m, 1, {}, 0)) == Floats{1, -1});
    CHECK(filled(std_dev(m, {1}, {}, 0)) == Floats{1, -1});
    CHECK(elements(norm(Tensor<float>({2}, {3, 4}))) == Floats{5});
    CHECK(elements(norm(Tensor<float>({2}, {3, 4}), {}, {}, 1)) == Floats{7});
    CHECK(elements(count(m, {1})) == Numbers{2, 0});
    CHECK(filled(median(m)) == Floats{1});
    CHECK(elements(median(data, 1, keepdim)) == Floats{2, 5});
    CHECK(elements(logsumexp(Tensor<float>({2}, {-1e9F, 5}))) == Floats{5});
}

TEST_CASE("what runs along a dimension keeps shape and mask") {
    CHECK(filled(cumsum(m, 1)) == Floats{1, -1, 4, -1, -1, -1});
    CHECK(elements(cumprod(cast<std::int32_t>(data), 1)) == Numbers{1, 2, 6, 4, 20, 120});
    CHECK(filled(softmax(0 * m, 1)) == Floats{0.5, -1, 0.5, -1, -1, -1});
    CHECK(filled(softmin(0 * m, 1)) == Floats{0.5, -1, 0.5, -1, -1, -1});
    CHECK(elements(exp(log_softmax(0 * data, 0))) == Floats(6, 0.5F));
    CHECK(elements(normalize(Tensor<float>({1, 2}, {3, 4}))) == Floats{0.6F, 0.8F});
}

TEST_CASE("views take the same selection of values and mask") {
    CHECK(filled(select(m, 0, 0)) == Floats{1, -1, 3});
    CHECK(elements(slice(data, 1, 0, std::nullopt, 2)) == Floats{1, 3, 4, 6});
    CHECK(elements(narrow(data, 1, 1, 1)) == Floats{2, 5});
    CHECK(filled(transpose(m)) == Floats{1, -1, -1, -1, 3, -1});
    CHECK(eval(permute(data, {1, 0})).shape() == Shape{3, 2});
    CHECK(eval(movedim(data, 0, -1)).shape() == Shape{3, 2});
    CHECK(filled(reshape(m, {3, -1})) == Floats{1, -1, 3, -1, -1, -1});
    CHECK(eval(flatten(data)).shape() == Shape{6});
    CHECK(eval(squeeze(unsqueeze(data, 0))).shape() == Shape{2, 3});
    CHECK(eval(expand(unsqueeze(data, 0), {4, -1, -1})).shape() == Shape{4, 2, 3});
    CHECK(elements(flip(data, {0, 1})) == Floats{6, 5, 4, 3, 2, 1});
    CHECK(elements(roll(data, 1, 1)) == Floats{3, 1, 2, 6, 4, 5});
    CHECK(eval(repeat(data, {2, 1})).shape() == Shape{4, 3});
    CHECK(elements(diagonal(data)) == Floats{1, 5});
}

TEST_CASE("subscripts select as in NumPy") {
    CHECK(filled(m[0]) == Floats{1, -1, 3});
    CHECK(filled(m[{0, all}]) == Floats{1, -1, 3});
    CHECK(elements(data[{all, -1}]) == Floats{3, 6});
    CHECK(elements(data(slice(0, 10, 2), 1)) == Floats{2});
    CHECK(eval(data[{newaxis, all, newaxis}]).shape() == Shape{1, 2, 1, 3});
    CHECK(eval((data * 2)[1]).to_vector() == Floats{8, 10, 12});
    CHECK(elements(data[data > 2]) == Floats{3, 4, 5, 6});
    CHECK(filled(m[data < 4]) == Floats{1, -1, 3});
    CHECK(elements(data[m > 2]) == Floats{3});
    CHECK_THROWS_AS(eval(data[{0, 0, 0}]), DimError);
    CHECK_THROWS_AS(eval(data[2]), IndexError);
}

TEST_CASE("indices are tensors of whole numbers") {
    const Tensor<std::int64_t> rows({2}, {1, -1}), columns({2}, {0, 2});
    CHECK(elements(data[rows]) == Floats{4, 5, 6, 4, 5, 6});
    CHECK(elements(data(rows, columns)) == Floats{4, 6});
    CHECK(filled(index(m, rows * 0, columns)) == Floats{1, 3});
    CHECK(elements(index_select(data, 1, columns)) == Floats{1, 3, 4, 6});
    CHECK(elements(gather(data, 1, reshape(columns, {2, 1}))) == Floats{1, 6});
}

TEST_CASE("an index out of range is named by loops as by the interpreter, in every layout of indices") {
    const auto jit = GENERATE(Jit::always, Jit::never);
    const EvalOptions how{.jit = jit};
    const Tensor<std::int64_t> far({3}, {0, -2, 7});
    CHECK_THROWS_MATCHES(
        eval(index_select(data, 0, abs(far)), how), IndexError,
        Says("eval: index_select along dim 0 of shape [2, 3]: index 2 at [1] is out of range "
             "for extent 2: wanted 0 to 1"));
    CHECK_THROWS_MATCHES(
        eval(sum(data[far]), gradient(sum(data[far]), data), how), IndexError,
        Says("eval: indexing along dim 0 of shape [2, 3]: index 7 at [2] is out of range for "
             "extent 2: wanted -2 to 1"));
    const auto layout = GENERATE(Layout::strided, Layout::coo, Layout::csr, Layout::bitmask);
    const Tensor<std::int64_t> places({2, 3}, {9, 1, 2, 0, 3, -5});
    const Tensor<bool> where({2, 3}, {false, true, true, false, false, true});
    const auto picks = MaskedTensor<std::int64_t>(AnyMasked(masked(places, where)).to(layout));
    CHECK_THROWS_MATCHES(eval(gather(data, 1, picks) * 2, how), IndexError,
                         Says("eval: gather along dim 1 of shape [2, 3]: index -5 at [1, 2] is out of range "
                              "for extent 3: wanted 0 to 2"));
}

TEST_CASE("tensors are joined along a dimension") {
    CHECK(eval(cat({data, data}, 1)).shape() == Shape{2, 6});
    CHECK(filled(cat(std::tuple(m[0], data[1]), 0)) == Floats{1, -1, 3, 4, 5, 6});
    CHECK(eval(stack({m, m})).shape() == Shape{2, 2, 3});
    CHECK(eval(stack(std::vector{data, data, data}, -1)).shape() == Shape{2, 3, 3});
    CHECK_THROWS_AS(eval(cat(std::tuple(data, transpose(data)), 0)), ShapeError);
}

TEST_CASE("a tensor is split into parts of one size and a rest") {
    const std::vector<MaskedTensor<float>> parts = eval(split(m, 2, 1));
    REQUIRE(parts.size() == 2);
    CHECK(filled(parts[0]) == Floats{1, -1, -1, -1});
    CHECK(filled(parts[1]) == Floats{3, -1});
    CHECK_THROWS_AS(eval(split(m, 0, 1)), ValueError);
}

TEST_CASE("products have a term where both factors are specified") {
    const Tensor<float> ones = full<float>({3}, 1);
    CHECK(filled(matmul(m, ones)) == Floats{4, -1});
    CHECK(filled(mv(m, ones)) == Floats{4, -1});
    CHECK(filled(mm(m, transpose(m))) == Floats{10, -1, -1, -1});
    CHECK(elements(dot(ones, ones)) == Floats{3});
    CHECK(eval(bmm(unsqueeze(data, 0), unsqueeze(transpose(data), 0))).shape() == Shape{1, 2, 2});
    CHECK(elements(linear(ones, data)) == Floats{6, 15});
    CHECK(elements(linear(ones, data, Tensor<float>({2}, {1, 2}))) == Floats{7, 17});
    CHECK_THROWS_AS(eval(mm(data, ones)), ShapeError);
}

TEST_CASE("elements for storage are computed with wider, and stored by a cast at the end") {
    const Tensor<float16> half({2, 2}, {float16(1), float16(2), float16(0.5), float16(-3)});
    const Tensor<std::uint8_t> bytes({3}, {200, 100, 7});
    for (const EvalOptions& options : {EvalOptions{.jit = Jit::never}, EvalOptions{.jit = Jit::always}}) {
        const Tensor<float> wide = eval(half * 2 + 1, options);
        CHECK(wide.to_vector() == Floats{3, 5, 2, -5});
        CHECK(eval(sum(half, {1}), options).to_vector() == Floats{3, -2.5});
        CHECK(eval(transpose(half), options).to_vector() == Floats{1, 0.5, 2, -3});
        const Tensor<std::int32_t> sums = eval(bytes + bytes, options);
        CHECK(sums.to_vector() == std::vector<std::int32_t>{400, 200, 14});
        const Tensor<std::uint8_t> low = eval(cast<std::uint8_t>(bytes + bytes), options);
        CHECK(low.to_vector() == std::vector<std::uint8_t>{144, 200, 14});
        const Tensor<bfloat16> stored = eval(cast<bfloat16>(half / 3), options);
        CHECK(stored.data()[0].bits() == bfloat16(1.0F / 3).bits());
        // An expression goes on with the rounded number, widened.
        CHECK(eval(cast<bfloat16>(half / 3) * 1, options).data()[0] ==
              static_cast<float>(bfloat16(1.0F / 3)));
        CHECK(eval(transpose(cast<float16>(data)), options).to_vector() == Floats{1, 4, 2, 5, 3, 6});
        const auto m = MaskedTensor<float16>::coo({2, 2}, {{0, 1}, {1, 0}}, {float16(4), float16(8)});
        const MaskedTensor<float> twice = eval(m * 2, options);
        CHECK(twice.to_dense(-1).to_vector() == Floats{-1, 8, 16, -1});
        const MaskedTensor<float16> halves = eval(cast<float16>(m / 2), options);
        CHECK(static_cast<float>(halves.to_dense(float16(-1)).data()[2]) == 4);
        CHECK(eval(gradient(sum(half * half), half), options).to_dense(0).to_vector() == Floats{2, 4, 1, -6});
    }
}

TEST_CASE("a number that is no number differs from itself, wherever that is read", "[eval]") {
    const Tensor<double> x({17}, std::vector<double>(17, 1.0));
    x.data()[16] = std::numeric_limits<double>::quiet_NaN();
    for (const Jit jit : {Jit::never, Jit::always}) {
        const EvalOptions options{.jit = jit};
        CHECK(eval(x != x, options).data()[16]);
        CHECK(eval(sum(x != x), options).item() == 1);
        CHECK(eval(sum(!(x == x)), options).item() == 1);
        CHECK(eval(sum(x == x), options).item() == 16);
        CHECK(eval(sum(cast<float>(x != x)), options).item() == 1);
    }
}

}  // namespace eval_values_test
