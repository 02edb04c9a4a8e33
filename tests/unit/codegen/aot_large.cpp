// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <aot_kernels.hpp>
#include <aot_planned.hpp>

#include "aot_planned_steps.hpp"
#include "aot_steps.hpp"

namespace aot_large_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t beyond = (std::int64_t{1} << 31) + 4096;

/// A tensor of zeros, in memory that is there where it is touched.
Tensor<float> untouched(const Shape& shape) {
    const auto bytes = static_cast<std::size_t>(element_count(shape)) * sizeof(float);
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) SKIP("no range of " << bytes << " addresses: mmap refused it");
    return Tensor<float>::view(static_cast<float*>(at), shape, contiguous_strides(shape),
                               [at, bytes] { munmap(at, bytes); });
}

/// A step over some elements of a long tensor, and over the same of a short one.
void check_coo(const std::vector<std::int64_t>& far) {
    std::vector<std::int64_t> near;
    for (std::size_t i = 0; i < far.size(); ++i) near.push_back(static_cast<std::int64_t>(i));
    const Tensor<float> values = random_tensor<float>({std::ssize(far)}, 3);
    const auto run = [&](std::int64_t extent, const std::vector<std::int64_t>& at) {
        const Tensor<float> a = untouched({extent}), b = untouched({extent});
        const MaskedTensor<float> grad(AnyMasked::coo({extent}, {at}, values));
        aot_kernels::adagrad(steps::a = a, steps::b = b, steps::grad = grad, steps::lr = 0.1,
                             steps::eps = 1e-10);
        std::vector<float> written;
        for (const std::int64_t i : at) written.insert(written.end(), {a.data()[i], b.data()[i]});
        CHECK(a.data()[extent / 2 + 7] == 0);
        return written;
    };
    CHECK(run(beyond, far) == run(64, near));
}

}  // namespace

TEST_CASE("steps ahead of time reach what lies beyond 2^31 elements", "[codegen]") {
    check_coo({0, 1, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, beyond - 2, beyond - 1});
    check_coo({beyond - 1, 0, 5});
}

TEST_CASE("rows ahead of time reach what lies beyond 2^31 elements", "[codegen]") {
    constexpr std::int64_t columns = 64, rows = beyond / columns;
    const std::vector<std::int64_t> far{0, 1, (std::int64_t{1} << 31) / columns, rows - 1}, near{0, 1, 2, 3};
    const Tensor<float> values = random_tensor<float>({4, columns}, 3);
    const auto run = [&](std::int64_t count, const std::vector<std::int64_t>& at) {
        const Tensor<float> table = untouched({count, columns}), sums = untouched({count, 1}),
                            a = untouched({count, columns}), b = untouched({count, columns});
        const MaskedTensor<float> grad(AnyMasked::rows({count, columns}, at, values));
        aot_planned::row_wise(planned::param = table, planned::row_sum = sums, planned::grad = grad,
                              planned::lr = 0.1);
        aot_kernels::adagrad(steps::a = a, steps::b = b, steps::grad = grad, steps::lr = 0.1,
                             steps::eps = 1e-10);
        std::vector<float> written;
        for (const std::int64_t row : at) {
            written.push_back(sums.data()[row]);
            for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i)
                written.insert(written.end(), {table.data()[i], a.data()[i], b.data()[i]});
        }
        return written;
    };
    CHECK(run(rows, far) == run(4, near));
}

}  // namespace aot_large_test
