// SPDX-License-Identifier: MIT
#include "client.h"

#include <catch2/catch_test_macros.hpp>
#include <few_kernels.h>

#include <array>
#include <string>

namespace kernels_from_c_test {

using Row = std::array<float, 8>;

TEST_CASE("a kernel steps from C what its gradient lists, and nothing else") {
    Row param{0, 1, 2, 3, 4, 5, 6, 7}, sum{7, 7, 0, 7, 0, 7, 7, 7};
    const std::array<float, 2> values{3, -4};
    REQUIRE(step_in_c(param.data(), sum.data(), values.data()) == 0);
    // An accumulator of 0 makes each step lr in the direction of the gradient.
    CHECK(param == Row{0, 1, 1.5F, 3, 4.5F, 5, 6, 7});
    CHECK(sum == Row{7, 7, 9, 7, 16, 7, 7, 7});
}

TEST_CASE("a kernel refuses in C a parameter of another shape, and writes nothing") {
    Row param{0, 1, 2, 3, 4, 5, 6, 7}, sum{7, 7, 0, 7, 0, 7, 7, 7};
    const Row before = param, sum_before = sum;
    const std::array<float, 2> values{3, -4};
    CHECK(bad_step_in_c(param.data(), sum.data(), values.data()) == FRISKET_SHAPE);
    CHECK(std::string(few_kernels_last_error()).starts_with("frisket: adagrad: "));
    CHECK(param == before);
    CHECK(sum == sum_before);
}

}  // namespace kernels_from_c_test
