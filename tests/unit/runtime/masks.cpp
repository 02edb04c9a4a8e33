// SPDX-License-Identifier: MIT
#include "../../../runtime/layouts/layout.hpp"
#include "../../support/matchers.hpp"

namespace masks_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("masks of equal elements are the same in any two layouts") {
    const Layout a = GENERATE(every_layout()), b = GENERATE(every_layout());
    if (a == Layout::two_four || b == Layout::two_four) return;  // holds no whole rows
    const auto m = a == Layout::dense || b == Layout::dense
                       ? random_masked({37, 5}, specified(1), Layout::dense)
                       : random_masked({37, 5}, specified(0.5), Layout::rows, 3, Listed::with_duplicates);
    CHECK(runtime::same_mask(m.to(a), m.to(b)));
}

TEST_CASE("the first element in which masks differ is found in any two layouts") {
    const Layout a = GENERATE(every_layout()), b = GENERATE(every_layout());
    if (a == Layout::dense && b == Layout::dense) return;        // these do not differ
    if (a == Layout::two_four || b == Layout::two_four) return;  // holds no whole rows
    const auto large = MaskedTensor<float>::rows({100, 3}, {1, 99, 50}, ones<float>({3, 3}));
    const auto small = MaskedTensor<float>::rows({100, 3}, {1, 99}, ones<float>({2, 3}));
    const auto all = MaskedTensor<float>::dense(ones<float>({100, 3}));
    const AnyMasked in_a = a == Layout::dense ? all : large.to(a);
    const AnyMasked in_b = b == Layout::dense ? all : small.to(b);
    const auto found = runtime::first_mask_difference(in_a, in_b, in_a.shape());
    REQUIRE(found);
    const bool any_dense = a == Layout::dense || b == Layout::dense;
    CHECK(found->position == (any_dense ? 0 : 150));
    CHECK(found->specified_in_a == (b != Layout::dense));
    CHECK(found->count_a == (a == Layout::dense ? 300 : 9));
    CHECK(found->count_b == (b == Layout::dense ? 300 : 6));
    CHECK_FALSE(runtime::same_mask(in_a, in_b));
}

TEST_CASE("masks are compared in the shape that both broadcast to") {
    const auto row = masked(ones<float>({3}), Tensor<bool>({3}, {true, false, true}));
    const auto column = masked(ones<float>({2, 1}), Tensor<bool>({2, 1}, {true, true}));
    const Shape space{2, 3};
    const auto found = runtime::first_mask_difference(row, column, space);
    REQUIRE(found);
    CHECK(found->position == 1);
    CHECK_FALSE(found->specified_in_a);
    CHECK(found->count_a == 4);
    CHECK(found->count_b == 6);
    const auto whole =
        masked(ones<float>(space), Tensor<bool>({2, 3}, {true, false, true, true, false, true}));
    CHECK_FALSE(runtime::first_mask_difference(row, whole, space));
    CHECK_FALSE(runtime::first_mask_difference(row.to(Layout::coo), whole.to(Layout::bitmask), space));
    CHECK_FALSE(runtime::same_mask(row, whole));
}

TEST_CASE("lists are compared without their duplicates and order") {
    const auto a = MaskedTensor<float>::coo({9}, {{5, 1, 5}}, {1, 2, 3});
    const auto b = MaskedTensor<float>::coo({9}, {{1, 5}}, {1, 2});
    CHECK(runtime::same_mask(a, b));
    const auto prefix = MaskedTensor<float>::coo({9}, {{1}}, {1});
    const auto found = runtime::first_mask_difference(prefix, a, a.shape());
    REQUIRE(found);
    CHECK(found->position == 5);
    CHECK_FALSE(found->specified_in_a);
    CHECK(found->count_a == 1);
    CHECK(found->count_b == 2);
}

TEST_CASE("lists of a huge shape are compared without walking it") {
    const std::int64_t extent = std::int64_t{1} << 50;
    const auto a = MaskedTensor<float>::coo({extent}, {{5, extent - 1}}, {1, 2});
    const auto b = MaskedTensor<float>::coo({extent}, {{extent - 1, 5}}, {1, 2});
    CHECK(runtime::same_mask(a, b));
    CHECK(runtime::same_mask(a, a));
}

TEST_CASE("the first element in which matrices of few elements differ is found in any two layouts") {
    constexpr Layout layouts[] = {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr,
                                  Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};
    const auto large = random_masked({20, 12}, specified(0.3), Layout::two_four, 4);
    const Tensor<bool> fewer = large.mask_tensor();
    std::int64_t removed = fewer.size() - 1;
    while (!fewer.data()[removed]) --removed;
    fewer.data()[removed] = false;
    const AnyMasked small = masked(large.to_dense(0), fewer);
    for (const Layout a : layouts)
        for (const Layout b : layouts) {
            INFO(name_of(a) << " and " << name_of(b));
            CHECK(runtime::same_mask(large.to(a), large.to(b)));
            const auto found = runtime::first_mask_difference(large.to(a), small.to(b), large.shape());
            REQUIRE(found);
            CHECK(found->position == removed);
            CHECK(found->specified_in_a);
            CHECK(found->count_a == large.specified_count());
            CHECK(found->count_b == large.specified_count() - 1);
        }
}

TEST_CASE("compressed matrices of huge rows are compared and converted without walking them") {
    const std::int64_t wide = std::int64_t{1} << 50;
    const auto a = MaskedTensor<float>::csr({3, wide}, {0, 2, 2, 3}, {5, wide - 1, 7}, {1, 2, 3});
    CHECK(runtime::same_mask(a, a.to(Layout::coo)));
    CHECK(same(a.to(Layout::bsr, Blocksize{3, 2}).to(Layout::csr), a));
    CHECK(a.to(Layout::coo).to(Layout::csr).compressed_index()->indices ==
          std::vector<std::int64_t>{5, wide - 1, 7});
}

TEST_CASE("masks in the same memory are the same") {
    const auto mask = random_mask({31}, specified(0.5));
    CHECK(runtime::same_mask(masked(ones<float>({31}), mask), masked(zeros<float>({31}), mask)));
    CHECK(runtime::same_mask(AnyMasked(), AnyMasked()));
}

}  // namespace masks_test
