// SPDX-License-Identifier: MIT
#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr Masked<"other"> other;

constexpr auto two_masks = step<"two_masks">(param -= grad * on(grad, to_dense(other, 0)));

}  // namespace

TEST_CASE("a call keeps none of its arguments alive", "[codegen]") {
    int alive = 0;
    std::vector<float> memory(12, 1.0F);
    const auto argument = [&](Layout layout) {
        ++alive;
        auto values = Tensor<float>::view(memory.data(), {3, 4}, {4, 1}, [&alive] { --alive; });
        Tensor<bool> mask = full<bool>({3, 4}, true);
        mask.at({1, 2}) = false;
        return masked(values, mask).to(layout);
    };
    Tensor<float> p({3, 4});
    const auto listed = MaskedTensor<float>::coo({3, 4}, {{2, 0}, {1, 3}}, {1, 2});
    // By the list with a mask of another kind beside it, flat, and with gaps.
    jit(two_masks)(param = p, grad = listed, other = argument(Layout::strided));
    jit(two_masks)(param = p, grad = argument(Layout::bitmask), other = argument(Layout::strided));
    Tensor<float> wide({3, 8});
    jit(two_masks)(param = wide.slice(1, 0, 8, 2), grad = argument(Layout::bitmask),
                   other = argument(Layout::bitmask));
    CHECK(alive == 0);
}
