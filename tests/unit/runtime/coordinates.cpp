// SPDX-License-Identifier: MIT
#include <thread>

#include <catch2/catch_template_test_macros.hpp>

#include "../../../runtime/layouts/layout.hpp"
#include "../../support/matchers.hpp"

namespace coordinates_test {

using namespace frisket;
using namespace frisket::testing;

using Floats = std::vector<float>;

static Floats floats(const AnyTensor& tensor) { return Tensor<const float>(tensor).to_vector(); }

TEST_CASE("a sorted list without duplicates is used as it is") {
    const auto m = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    const runtime::Coordinates found = runtime::coordinates_of(m);
    CHECK(found.values.data() == m.values().data());
    CHECK(found.positions.narrow().data() == m.index()->narrow().data());
    CHECK(found.positions.size() == 3);
    CHECK(found.positions[1] == 4);
    CHECK(m.coalesce().index() == m.index());
}

TEST_CASE("values with gaps are brought together") {
    const Tensor<float> values = arange<float>(6).slice(0, 0, 6, 2);
    const runtime::Coordinates found =
        runtime::coordinates_of(MaskedTensor<float>::coo({4}, {{0, 1, 3}}, values));
    CHECK(found.values.is_contiguous());
    CHECK(floats(found.values) == Floats{0, 2, 4});
}

TEST_CASE("duplicates are summed from the first to the last that was given") {
    // 1e8 + 1 is 1e8 in float32: every other order has another sum.
    const auto m = MaskedTensor<float>::coo({4}, {{2, 0, 2, 2, 0}}, {1, 5, 1e8F, -1e8F, 6});
    const runtime::Coordinates found = runtime::coordinates_of(m);
    CHECK(found.positions.size() == 2);
    CHECK(found.positions[0] == 0);
    CHECK(found.positions[1] == 2);
    CHECK(floats(found.values) == Floats{11, 0});
    CHECK(floats(
              runtime::coordinates_of(MaskedTensor<float>::coo({4}, {{2, 2, 2}}, {1e8F, -1e8F, 1})).values) ==
          Floats{1});
}

TEST_CASE("sums are of the values' dtype: integers wrap and bools are or") {
    const auto bytes = MaskedTensor<std::uint8_t>::coo({4}, {{2, 2}}, {200, 100});
    CHECK(bytes.to_dense(0).at({2}) == 44);
    const auto ints = MaskedTensor<std::int32_t>::coo({4}, {{2, 2}}, {2147483647, 1});
    CHECK(ints.to_dense(0).at({2}) == -2147483647 - 1);
    const auto bools = MaskedTensor<bool>::coo({4}, {{2, 2, 3, 3}}, {true, true, false, false});
    CHECK(bools.to_dense(true).to_vector() == std::vector<bool>{true, true, true, false});
}

TEMPLATE_TEST_CASE("duplicates of floats of 16 bits are added in float32 and rounded once", "", float16,
                   bfloat16) {
    // From 256 and 2048 on, one more is less than half of the distance between two numbers.
    for (const std::int64_t count : {1, 2, 257, 1000, 2049, 5000}) {
        const std::vector<TestType> ones(static_cast<std::size_t>(2 * count), TestType(1.0F));
        const std::vector<std::int64_t> third(static_cast<std::size_t>(count), 3);
        const std::vector<TestType> half(ones.begin(), ones.begin() + count);
        const auto right = static_cast<float>(TestType(static_cast<float>(count)));
        CAPTURE(count);
        const auto rows = MaskedTensor<TestType>::rows({7, 2}, third, ones);
        CHECK(floats(runtime::coordinates_of(rows).values.to(DType::float32)) == Floats{right, right});
        const auto coo = MaskedTensor<TestType>::coo({7}, {third}, half);
        CHECK(floats(coo.to(Layout::strided).values().to(DType::float32))[3] == right);
    }
}

TEST_CASE("rows that come twice are summed whole") {
    const auto m = MaskedTensor<float>::rows({4, 1, 2}, {3, 1, 3}, {1, 2, 3, 4, 10, 20});
    const runtime::Coordinates found = runtime::coordinates_of(m);
    CHECK(found.positions.size() == 2);
    CHECK(found.positions[0] == 1);
    CHECK(found.values.shape() == Shape{2, 1, 2});
    CHECK(floats(found.values) == Floats{3, 4, 11, 22});
    CHECK(m.specified_count() == 4);
}

TEST_CASE("coalescing keeps the meaning") {
    const Layout layout = GENERATE(every_layout());
    const auto m = random_masked({37, 8}, specified(0.5), layout, 3, Listed::with_duplicates);
    const auto coalesced = m.coalesce();
    CHECK(coalesced.layout() == layout);
    CHECK(same(m, coalesced));
    if (coalesced.index()) CHECK(coalesced.index()->is_coalesced());
}

TEST_CASE("a coalesced tensor outlives the one it was made from") {
    auto m = MaskedTensor<float>::coo({4}, {{2, 0, 2}}, {1, 2, 3});
    const auto coalesced = m.coalesce();
    m = MaskedTensor<float>();
    CHECK(coalesced.index()->size() == 2);
    CHECK(coalesced.to_dense(0).to_vector() == Floats{2, 0, 4, 0});
}

TEST_CASE("positions past 32 bits are kept wide") {
    const std::int64_t extent = std::int64_t{1} << 33;
    const auto m = MaskedTensor<float>::coo({extent, 4}, {{extent - 1, 0, extent - 1}, {3, 2, 3}}, {1, 2, 3});
    const runtime::Coordinates found = runtime::coordinates_of(m);
    CHECK_FALSE(found.positions.is_narrow());
    CHECK(found.positions.wide()[1] == extent * 4 - 1);
    CHECK(floats(found.values) == Floats{2, 4});
    CHECK(m.specified_count() == 2);
    CHECK(same(m, m.coalesce()));
}

TEST_CASE("a million stored elements with duplicates coalesce to the sums in the order given") {
    const std::int64_t count = 1'000'000;
    Random random(9);
    std::vector<std::int64_t> positions(count);
    for (auto& position : positions) position = random.below(count);
    const auto m = MaskedTensor<float>::coo({count}, {positions}, random_tensor({count}));
    const runtime::Coordinates found = runtime::coordinates_of(m);
    CHECK(found.positions.size() < count);
    const Tensor<float> sums(Shape{count});
    const std::vector<float> values = Tensor<const float>(m.values()).to_vector();
    for (std::int64_t i = 0; i < count; ++i) sums.data()[positions[i]] += values[i];
    CHECK(same(m.to_dense(0), sums));
}

TEST_CASE("every layout has coordinates, sorted") {
    const Layout layout = GENERATE(every_layout());
    const auto m = random_masked({37, 8}, specified(0.5), layout, 3, Listed::with_duplicates);
    const runtime::Coordinates found = runtime::coordinates_of(m);
    const std::int64_t length = layout == Layout::rows ? 8 : 1;
    REQUIRE(found.positions.size() * length == m.specified_count());
    const auto filled = m.to_dense(0).to_vector();
    const auto values = floats(found.values);
    for (std::int64_t i = 0; i < found.positions.size(); ++i) {
        if (i > 0) CHECK(found.positions[i - 1] < found.positions[i]);
        for (std::int64_t k = 0; k < length; ++k)
            CHECK(values[i * length + k] == filled[found.positions[i] * length + k]);
    }
}

}  // namespace coordinates_test
