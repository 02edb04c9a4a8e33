// SPDX-License-Identifier: MIT
/// The tests' own helpers: a helper that sees nothing would let every other test pass.
#include <utility>

#include "../../support/matchers.hpp"

namespace support_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("a red zone shows a byte written before or behind its buffer") {
    const int misalignment = GENERATE(0, 4, 8, 60);
    const GuardedBuffer buffer(20, {.misalignment = misalignment});
    auto* data = static_cast<std::uint8_t*>(buffer.data());
    CHECK(reinterpret_cast<std::uintptr_t>(data) % 64 == static_cast<std::uintptr_t>(misalignment));
    std::memset(data, 0xff, 20);
    CHECK(buffer.is_intact());
    for (const int beside : {-1, -200, 20, 250}) {
        const std::uint8_t before = std::exchange(data[beside], static_cast<std::uint8_t>(data[beside] + 1));
        CHECK_FALSE(buffer.is_intact());
        data[beside] = before;
    }
    CHECK(buffer.is_intact());
}

TEST_CASE("a guarded tensor holds its elements at the end of a page as well") {
    const Guarded<float> guarded(arange<float>(5), {.at_page_end = true});
    CHECK(guarded.tensor().to_vector() == std::vector<float>{0, 1, 2, 3, 4});
    CHECK((reinterpret_cast<std::uintptr_t>(guarded.tensor().data()) + 20) % 4096 == 0);
    CHECK(guarded.is_intact());
}

TEST_CASE("poison fills what is unspecified and nothing else") {
    const auto m = masked(arange<float>(4), Tensor<bool>({4}, {true, false, true, false}));
    poison(m, Poison::signalling);
    std::uint32_t bits[4];
    std::memcpy(bits, m.values().data(), sizeof bits);
    CHECK(bits[1] == poison_bits<float>(Poison::signalling));
    CHECK(bits[3] == bits[1]);
    CHECK(m.to_dense(0).to_vector() == std::vector<float>{0, 0, 2, 0});
}

TEST_CASE("the matcher of untouched elements sees one that changed") {
    const auto g = MaskedTensor<float>::coo({2, 2}, {{0}, {1}}, {3});
    const Tensor<float> before = arange<float>(4).reshape({2, 2});
    const Tensor<float> after = before.clone();
    after.at({0, 1}) = 7;
    CHECK_THAT(after, MatchesWhereUnspecified(g, before));
    CHECK_THAT(after, !HasTheBytesOf(before));
    after.at({1, 0}) = -after.at({1, 0});
    CHECK_THAT(after, !MatchesWhereUnspecified(g, before));
    const auto matcher = MatchesWhereUnspecified(g, before);
    CHECK_FALSE(matcher.match(after));
    CHECK(matcher.describe() == "is unchanged where unspecified: differs at [1, 0]");
}

TEST_CASE("random tensors are the same for the same seed") {
    CHECK(same(random_tensor({100}, 3), random_tensor({100}, 3)));
    CHECK_FALSE(same(random_tensor({100}, 3), random_tensor({100}, 4)));
    const Layout layout = GENERATE(every_layout());
    const auto m = random_masked({50, 4}, specified(0.25), layout, 3);
    CHECK(same(m, random_masked({50, 4}, specified(0.25), layout, 3)));
    if (layout != Layout::dense) {
        CHECK(m.specified_count() > 20);
        CHECK(m.specified_count() < 100);
    }
}

}  // namespace support_test
