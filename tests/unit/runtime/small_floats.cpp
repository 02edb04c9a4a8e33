// SPDX-License-Identifier: MIT
/// float16 and bfloat16, exhaustively, and elements in other dtypes.
#include <cmath>

#include <catch2/catch_template_test_macros.hpp>

#include "../../support/matchers.hpp"

namespace small_floats_test {

using namespace frisket;
using namespace frisket::testing;

using Floats = std::vector<float>;

/// Value of a pattern of 16 bits, by its definition.
template <class T>
static double meaning_of(std::uint16_t bits) {
    constexpr int mantissa_bits = std::is_same_v<T, float16> ? 10 : 7;
    constexpr int bias = std::is_same_v<T, float16> ? 15 : 127;
    const int exponent = (bits & 0x7fff) >> mantissa_bits, most = 2 * bias + 1;
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == most) return mantissa != 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
    return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

TEMPLATE_TEST_CASE("each of the 65536 patterns widens exactly and comes back", "", float16, bfloat16) {
    std::int64_t wrong = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto number = TestType::from_bits(static_cast<std::uint16_t>(bits));
        const float wide = number;
        const double wanted = meaning_of<TestType>(static_cast<std::uint16_t>(bits));
        if (std::isnan(wanted)) {
            const TestType back(wide);
            wrong += !std::isnan(wide) || !std::isnan(static_cast<float>(back)) ||
                     std::signbit(wide) != ((bits & 0x8000) != 0) || ((back.bits() ^ bits) & 0x8000) != 0;
        } else {
            wrong += static_cast<double>(wide) != wanted || std::signbit(wide) != std::signbit(wanted) ||
                     TestType(wide).bits() != bits || TestType(wanted).bits() != bits;
        }
    }
    CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("what lies between two neighbours goes to the nearer one, at the middle to the even one",
                   "", float16, bfloat16) {
    const auto at = [](std::uint32_t bits) { return TestType::from_bits(static_cast<std::uint16_t>(bits)); };
    const std::uint32_t infinite = TestType(INFINITY).bits();
    std::int64_t wrong = 0;
    for (std::uint32_t bits = 0; bits < infinite; ++bits) {
        const double low = meaning_of<TestType>(static_cast<std::uint16_t>(bits));
        const double gap = bits + 1 == infinite ? low - static_cast<double>(static_cast<float>(at(bits - 1)))
                                                : static_cast<double>(static_cast<float>(at(bits + 1))) - low;
        const double middle = low + gap / 2;
        const std::uint32_t even = (bits & 1) != 0 ? bits + 1 : bits;
        for (const double sign : {1.0, -1.0}) {
            const std::uint32_t bit = sign < 0 ? 0x8000 : 0;
            wrong += TestType(sign * middle).bits() != (even | bit);
            wrong += TestType(sign * std::nextafter(middle, 0)).bits() != (bits | bit);
            wrong += TestType(sign * std::nextafter(middle, INFINITY)).bits() != ((bits + 1) | bit);
            wrong += TestType(static_cast<float>(sign * (low + gap / 4))).bits() != (bits | bit);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("small floats round at their ends as IEEE 754 says") {
    CHECK(static_cast<float>(float16(65504.F)) == 65504.F);
    CHECK(static_cast<float>(float16(65519.9F)) == 65504.F);
    CHECK(float16(65520.F).bits() == 0x7c00);
    CHECK(float16(-1e30).bits() == 0xfc00);
    CHECK(float16(0x1p-25F).bits() == 0);
    CHECK(float16(std::nextafter(0x1p-25F, 1.F)).bits() == 1);
    CHECK(float16(-1e-30F).bits() == 0x8000);
    CHECK(float16(5e-324).bits() == 0);
    CHECK(bfloat16(3.4e38F).bits() == 0x7f80);
    CHECK(bfloat16(1).bits() == 0x3f80);
    CHECK(float16(true).bits() == 0x3c00);
    // Rounded once: by way of float this would be a tie, which goes down.
    CHECK(float16(1 + 0x1p-11 + 0x1p-40).bits() == 0x3c01);
    static_assert(static_cast<float>(float16(0.1F)) == 0.0999755859375F);
    static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);
    CHECK(float16(1.5F) + float16(2.F) == 3.5F);
}

TEST_CASE("values are computed in the dtype that the table names") {
    CHECK(compute_dtype(DType::uint8) == DType::int32);
    CHECK(compute_dtype(DType::float16) == DType::float32);
    CHECK(compute_dtype(DType::bfloat16) == DType::float32);
    for (const DType same : {DType::boolean, DType::int32, DType::int64, DType::float32, DType::float64})
        CHECK(compute_dtype(same) == same);
    for (std::size_t i = 0; i < std::size(dtypes); ++i) CHECK(static_cast<std::size_t>(dtypes[i].dtype) == i);
}

TEMPLATE_TEST_CASE("tensors of small floats are made, printed, copied, compared and stored in any layout", "",
                   float16, bfloat16) {
    const Tensor<TestType> tensor({2}, {TestType(1.5F), TestType(-2.F)});
    CHECK(to_string(tensor) == "Tensor(\n  [  1.5000,  -2.0000]\n)");
    CHECK(same(tensor, tensor.clone()));
    CHECK(allclose(tensor, tensor.clone()));
    CHECK_FALSE(allclose(tensor, full<TestType>({2}, TestType(1.5F))));
    CHECK(arange<TestType>(3).template to<float>().to_vector() == Floats{0, 1, 2});
    const Layout layout = GENERATE(every_layout());
    const auto m = random_masked<TestType>({12, 8}, specified(0.4), layout, 3, Listed::with_duplicates);
    CHECK(m.dtype() == dtype_of<TestType>);
    CHECK(same(m, m.clone()));
    if (layout != Layout::dense) CHECK(same(m.to(Layout::coo).to(Layout::strided), m));
    const auto listed = MaskedTensor<TestType>::coo({2}, {{1, 1}}, {TestType(0.25F), TestType(2.F)});
    CHECK(static_cast<float>(listed.to_dense(TestType(9.F)).at({1})) == 2.25F);
}

TEST_CASE("elements become those of another dtype") {
    const Tensor<float> floats({6}, {1.9F, -1.9F, 0, NAN, 1e20F, -1e20F});
    constexpr auto least = std::numeric_limits<std::int32_t>::min();
    CHECK(floats.to<std::int32_t>().to_vector() == std::vector<std::int32_t>{1, -1, 0, least, least, least});
    constexpr auto longest = std::numeric_limits<std::int64_t>::min();
    CHECK(floats.to<std::int64_t>().to_vector() ==
          std::vector<std::int64_t>{1, -1, 0, longest, longest, longest});
    CHECK(floats.to<bool>().to_vector() == std::vector<bool>{true, true, false, true, true, true});
    CHECK(Tensor<float>({3}, {300.5F, -1, NAN}).to<std::uint8_t>().to_vector() ==
          std::vector<std::uint8_t>{44, 255, 0});
    CHECK(Tensor<std::int64_t>({2}, {(std::int64_t{1} << 32) + 5, -1}).to<std::int32_t>().to_vector() ==
          std::vector<std::int32_t>{5, -1});
    CHECK(Tensor<bool>({2}, {true, false}).to<double>().to_vector() == std::vector<double>{1, 0});
    CHECK(Tensor<float16>({1}, {float16(2.5F)}).to<bfloat16>().to<std::int32_t>().item() == 2);
    CHECK(Tensor<double>({1}, {2147483647.5}).to<std::int32_t>().item() == 2147483647);
    const Tensor<float> matrix = arange<float>(6).reshape({2, 3});
    CHECK(matrix.transpose(0, 1).to<double>().to_vector() == std::vector<double>{0, 3, 1, 4, 2, 5});
    CHECK(matrix.to<float>().data() != matrix.data());
    CHECK(matrix.to(DType::int64).dtype() == DType::int64);
    CHECK(Tensor<const float>(matrix).to<float>().is_writable());
    CHECK(Tensor<float>().to<bool>().size() == 0);
}

TEST_CASE("an item is the one element of a tensor") {
    CHECK(full<float>({1, 1}, 3).item() == 3);
    CHECK(full<bool>({}, true).item());
    CHECK_THROWS_MATCHES(
        arange<float>(2).item(), ShapeError,
        Says("item: shape [2] has 2 elements, an item is one: use at(index), or reduce it first"));
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo})
        CHECK(masked(full<float>({}, 3), full<bool>({}, true)).to(layout).item() == 3);
    CHECK(MaskedTensor<float>::coo({1}, {{0, 0}}, {3, 4}).item() == 7);
    CHECK_THROWS_MATCHES(masked(full<float>({}, NAN), full<bool>({}, false)).item(), UnspecifiedError,
                         Says("item: the element is unspecified, it has no value: use to_dense(fill)"));
    CHECK_THROWS_MATCHES(MaskedTensor<float>::coo({3}, {{0}}, {3}).item(), ShapeError,
                         Says("item: shape [3] has 3 elements, an item is one: reduce the tensor first"));
}

TEST_CASE("views with negative strides and with strides of 0 are read everywhere") {
    float memory[] = {0, 1, 2, 3, 4, 5};
    const auto backwards = Tensor<const float>::view(memory + 5, {2, 3}, {-3, -1});
    const auto repeated = Tensor<const float>::view(memory + 1, {2, 3}, {0, 2});
    CHECK(backwards.to<std::int32_t>().to_vector() == std::vector<std::int32_t>{5, 4, 3, 2, 1, 0});
    CHECK(repeated.to_vector() == Floats{1, 3, 5, 1, 3, 5});
    CHECK(to_string(repeated) == to_string(repeated.clone()));
    CHECK(same(backwards, Tensor<float>({2, 3}, {5, 4, 3, 2, 1, 0})));
    const auto mask = random_mask({2, 3}, specified(0.5), 4);
    for (const Tensor<const float>& view : {backwards, repeated})
        for (const Layout layout : {Layout::bitmask, Layout::coo, Layout::csr, Layout::bsc}) {
            const auto m = masked(view, mask);
            CHECK(same(m.to(layout), masked(view.clone(), mask)));
            CHECK(m.to(layout).to_dense(7).to_vector() == m.to_dense(7).to_vector());
        }
}

}  // namespace small_floats_test
