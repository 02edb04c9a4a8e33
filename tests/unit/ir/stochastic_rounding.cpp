// SPDX-License-Identifier: MIT
#include "../../../ir/interpreter/stochastic_rounding.hpp"
#include "../../../ir/ops/philox.hpp"
#include "../../../ir/passes/transforms.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <cmath>
#include <limits>

namespace stochastic_rounding_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Words = std::array<std::uint32_t, 4>;
Words philox_of(const Words& counter, const std::array<std::uint32_t, 2>& key) {
    return philox::random<philox::HostWords>(counter, key);
}

template <class T>
float up_or_down(float value, std::uint32_t bits) {
    return ir::round_stochastically(value, dtype_of<T>, bits);
}

/// The numbers of T on both sides of a value, or itself twice.
template <class T>
std::pair<double, double> neighbours(float value) {
    const T near(value);
    const double found = float(near);
    if (found == value) return {found, found};
    const bool is_away = std::abs(found) > std::abs(value);
    const auto bits = static_cast<std::uint16_t>(near.bits() + (is_away ? -1 : 1));
    const double other = float(T::from_bits(bits));
    return {std::min(found, other), std::max(found, other)};
}

/// Many roundings of one value: each is a neighbour, and their mean is the value within four sigma.
template <class T>
void check_mean(float value, std::int64_t seed) {
    constexpr int count = 40'000;
    const auto [below, above] = neighbours<T>(value);
    const ir::RandomBits random{.seed = seed, .step = 1};
    int ups = 0, others = 0;
    for (int i = 0; i < count; ++i) {
        const double found = up_or_down<T>(value, random.at(i));
        ups += found == above && above != below;
        others += found != above && found != below;
    }
    CAPTURE(value, below, above);
    CHECK(others == 0);
    const double share = above == below ? 0 : (value - below) / (above - below);
    CHECK(std::abs(ups - share * count) <= 4 * std::sqrt(share * (1 - share) * count));
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the numbers that its authors publish", "[ir]") {
    // Random123, tests/kat_vectors.
    CHECK(philox_of({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(philox_of({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}) ==
          Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(philox_of({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
          Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("elements, steps, roundings and seeds have bits of their own", "[ir]") {
    std::vector<std::uint32_t> found;
    for (const std::int64_t position : {0L, 1L, 15L, 16L, 63L, 64L, 1L << 33, (1L << 33) + 1})
        for (const std::int64_t step : {0L, 1L})
            for (const int rounding : {0, 1})
                for (const std::int64_t seed : {0L, 1L, 1L << 40, -1L})
                    found.push_back(
                        ir::RandomBits{.seed = seed, .step = step, .rounding = rounding}.at(position));
    std::ranges::sort(found);
    CHECK(std::ranges::adjacent_find(found) == found.end());
    // A part that begins with the third tile has the bits of its positions in the whole.
    for (const std::int64_t position : {0L, 1L, 63L, 64L, 1L << 33})
        CHECK(ir::RandomBits{.seed = 5, .step = 1, .first = 2}.at(position) ==
              ir::RandomBits{.seed = 5, .step = 1}.at(position + 128));
}

TEST_CASE("stochastic rounding is right on average", "[ir]") {
    std::int64_t seed = 0;
    for (const float value : {1.0F, 1.001F, -1.001F, 3.14159F, 65503.0F, 1e-3F, -0.1F, 0x1.fffffep-1F})
        check_mean<float16>(value, ++seed);
    // Denormals of float16, and numbers less than the least of them.
    for (const float value : {0x1p-14F, 0x1.ffffp-15F, 0x1.234p-16F, -0x1.8p-24F, 0x1p-25F, 0x1p-27F, 0.0F})
        check_mean<float16>(value, ++seed);
    for (const float value : {1.0F, 1.001F, -1.001F, 3.14159F, 1e30F, 1e-38F, -1e-40F, 0x1p-149F, 0.0F})
        check_mean<bfloat16>(value, ++seed);
}

TEST_CASE("what is not between two finite numbers is rounded to nearest", "[ir]") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const std::uint32_t bits : {0U, 0x7fffffffU, ~0U}) {
        for (const float value : {infinity, -infinity, 65505.0F, 65519.0F, 65520.0F, -1e10F})
            CHECK(up_or_down<float16>(value, bits) == value);
        for (const float value : {infinity, -infinity, 3.4e38F, -3.4e38F})
            CHECK(up_or_down<bfloat16>(value, bits) == value);
        CHECK(up_or_down<float16>(65504, bits) == 65504);
        CHECK(std::isnan(up_or_down<float16>(std::numeric_limits<float>::quiet_NaN(), bits)));
        CHECK(std::isnan(up_or_down<bfloat16>(std::bit_cast<float>(0x7f80'0001U), bits)));
        CHECK(std::bit_cast<std::uint32_t>(up_or_down<float16>(-0.0F, bits)) == 0x8000'0000U);
        CHECK(std::bit_cast<std::uint32_t>(up_or_down<bfloat16>(-0.0F, bits)) == 0x8000'0000U);
    }
}

namespace {

constexpr InOut<"param", bfloat16> param;
constexpr InOut<"wide"> wide;
constexpr Masked<"grad", bfloat16> grad;

/// The place of each update that is rounded at random among the updates of its target.
std::vector<std::int64_t> roundings_of(const Graph& graph) {
    std::vector<std::int64_t> roundings;
    for (const Node& node : graph.nodes)
        if (node.kind == NodeKind::updated && node.operands[update_operand::seed] != no_node)
            roundings.push_back(node.integer);
    return roundings;
}

}  // namespace

TEST_CASE("a target is rounded once, by its last update", "[ir]") {
    const Graph once = stochastic_rounding(
        describe(step<"twice">(over(grad), param *= 0.5, wide += param, param -= grad)), "param");
    CHECK(roundings_of(once) == std::vector<std::int64_t>{0});
    CHECK(std::ranges::count(once.nodes, NodeKind::updated, &Node::kind) == 2);
    const Graph apart = stochastic_rounding(
        describe(step<"apart">(everywhere(param *= 0.5), param -= on(grad, param) * grad)), "param");
    CHECK(roundings_of(apart) == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("what cannot be rounded stochastically is refused", "[ir]") {
    const Graph made = describe(step<"made">(over(grad), param -= grad, wide += grad));
    CHECK_THROWS_MATCHES(stochastic_rounding(made, "wide"), DTypeError,
                         Says("made: wide is float32, wanted float16 or bfloat16: others are not rounded "
                              "stochastically"));
    CHECK_THROWS_MATCHES(stochastic_rounding(made, "grad"), BindingError,
                         Says("made: grad is no InOut symbol of the step"));
    CHECK_THROWS_MATCHES(stochastic_rounding(stochastic_rounding(made, "param"), "param"), BindingError,
                         Says("made: rounding_seed is the name of a number that stochastic rounding adds: "
                              "give yours another"));
}

}  // namespace stochastic_rounding_test
