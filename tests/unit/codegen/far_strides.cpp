// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

namespace far_strides_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"sums"> sums;
constexpr In<"weight"> weight;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;

constexpr auto plain = step<"plain">(param -= lr * weight * grad);
constexpr auto rowwise =
    step<"rowwise">(sums += mean(grad * grad, {1}, keepdim), param -= lr * grad / (sqrt(sums) + 0.5));

/// A copy whose elements are as far apart as the strides specify, in memory that is there where it is
/// touched; a null data if the machine grants no such range of addresses.
Tensor<float> far_apart(const Tensor<float>& from, const Strides& strides) {
    std::int64_t reach = 1;
    for (int d = 0; d < from.rank(); ++d) reach += (from.shape()[d] - 1) * strides[d];
    const auto bytes = static_cast<std::size_t>(reach * 4);
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) SKIP("no range of " << bytes << " addresses: mmap refused it");
    const auto tensor = Tensor<float>::view(static_cast<float*>(at), from.shape(), strides,
                                            [at, bytes] { munmap(at, bytes); });
    copy(from, tensor);
    return tensor;
}

constexpr std::int64_t past_int = std::int64_t{1} << 32;  // its low 32 bits are 0

/// Strides between rows: the last that 64 rows may have in loops, the first past it, past 31 bits, past 32.
const std::int64_t row_strides[] = {(1 << 24) - 4, 1 << 24,          (1 << 24) + 4,
                                    1 << 26,       past_int / 2 + 4, past_int + 4};

}  // namespace

TEST_CASE("an expression over operands that lie far apart is that of their copies", "[codegen]") {
    const Tensor<float> near = random_tensor({3, 5});
    for (const Strides& strides : {Strides{past_int, 1}, Strides{past_int + 5, 1}, Strides{past_int / 2, 1},
                                   Strides{past_int / 4, 1}, Strides{1, past_int}}) {
        INFO(to_string(strides));
        const Tensor<float> far = far_apart(near, strides);
        CHECK_THAT(eval(far * 2 + 1), HasTheBytesOf(eval(near * 2 + 1)));
        CHECK_THAT(eval(sum(far * far, {0})), HasTheBytesOf(eval(sum(near * near, {0}))));
        const Tensor<bool> mask = random_mask({3, 5}, specified(0.5));
        CHECK(same(eval(masked(far, mask) * 2), eval(masked(near, mask) * 2)));
    }
}

TEST_CASE("a step over tensors whose rows lie far apart is that over their copies", "[codegen]") {
    const Layout layout = GENERATE(Layout::strided, Layout::bitmask, Layout::coo, Layout::rows);
    const Shape shape = GENERATE(Shape{70, 4}, Shape{15, 4});
    const Tensor<float> w = random_tensor(shape, 2);
    const MaskedTensor<float> g = random_masked(shape, specified(0.4), layout, 3, Listed::with_duplicates);
    for (const std::int64_t stride : row_strides) {
        INFO(name_of(layout) << ", " << to_string(shape) << ", " << stride);
        const Tensor<float> near = random_tensor(shape, 1), far = far_apart(near, {stride, 1});
        jit(plain)(param = near, weight = w, grad = g, lr = 0.1);
        jit(plain)(param = far, weight = far_apart(w, {stride, 1}), grad = g, lr = 0.1);
        CHECK_THAT(far.clone(), HasTheBytesOf(near));
    }
}

TEST_CASE("a step with reductions over rows that lie far apart is that over their copies", "[codegen]") {
    const Shape shape = GENERATE(Shape{70, 4}, Shape{15, 4});
    const MaskedTensor<float> g =
        random_masked(shape, specified(0.4), Layout::rows, 3, Listed::with_duplicates);
    for (const std::int64_t stride : row_strides) {
        INFO(to_string(shape) << ", " << stride);
        const Tensor<float> near = random_tensor(shape, 1), far = far_apart(near, {stride, 1});
        const Tensor<float> s = full<float>({shape[0], 1}, 2), t = s.clone();
        jit(rowwise)(param = near, sums = s, grad = g, lr = 0.1);
        jit(rowwise)(param = far, sums = t, grad = g, lr = 0.1);
        CHECK_THAT(far.clone(), HasTheBytesOf(near));
        CHECK_THAT(t, HasTheBytesOf(s));
    }
}

}  // namespace far_strides_test
