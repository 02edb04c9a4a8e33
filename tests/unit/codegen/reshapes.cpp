// SPDX-License-Identifier: MIT
// Reshapes that loops read: each element is found by divisions.
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <utility>

namespace reshapes_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("a reshape reads elements in their order, whatever the extents", "[codegen][reshapes]") {
    // The product of 49 and the nearest float64 to 1 / 49 is less than 1.
    const std::int64_t a = GENERATE(1, 2, 49, 103), b = GENERATE(1, 16, 49, 187);
    CAPTURE(a, b);
    const Tensor<float> x = random_tensor<float>({a, b, 3}, 1);
    const EvalOptions how{.jit = Jit::always};
    for (const Shape& shape : {Shape{b, 3 * a}, Shape{3, b, a}, Shape{a * b * 3}, Shape{b, a, 3}}) {
        const Tensor<float> wanted = eval(x + 1.0F, how).reshape(shape);
        CHECK_THAT(eval(reshape(x, shape) + 1.0F, how), HasTheBytesOf(wanted));
        const Tensor<float> flat = wanted.reshape({a * b * 3});
        CHECK_THAT(eval(reshape(reshape(x, shape) + 1.0F, {a * b * 3}), how), HasTheBytesOf(flat));
    }
}

TEST_CASE("products read reshapes of tensors and of stored values", "[codegen][reshapes]") {
    const EvalOptions how = options();
    const Tensor<float> x = random_tensor<float>({20, 8, 24}, 1), w = random_tensor<float>({24, 24}, 2);
    const Tensor<float> y = random_tensor<float>({24, 20 * 8}, 3);
    CHECK(same(eval(matmul(y, reshape(x, {20 * 8, 24})), how), oracle(matmul(y, reshape(x, {20 * 8, 24})))));
    // A tensor with gaps is copied first.
    const Tensor<float> wide = random_tensor<float>({20, 8, 48}, 4);
    const auto seen = wide.slice(2, 3, 27);
    CHECK(same(eval(matmul(y, reshape(seen, {20 * 8, 24})), how),
               oracle(matmul(y, reshape(seen, {20 * 8, 24})))));
    const auto turned = permute(reshape(matmul(x, w), {20, 8, 3, 8}), {0, 1, 3, 2});
    const auto joined = matmul(reshape(turned * 2.0F, {20, 8, 24}), w);
    CHECK(same(eval(joined, how), oracle(joined)));
}

}  // namespace reshapes_test
