// SPDX-License-Identifier: MIT
/// Masks that results have from an argument: memory of their own, with the bytes 0 and 1.
#include "../../../codegen/limits.hpp"
#include "../../support/random.hpp"
#include "eval_numbers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

namespace result_masks_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t task = limits::mask_task;

}  // namespace

TEST_CASE("a result has a copy of its argument's mask, in which true is 1", "[codegen]") {
    for (const std::int64_t size :
         {std::int64_t{1}, std::int64_t{7}, std::int64_t{8}, std::int64_t{9}, std::int64_t{63},
          std::int64_t{65}, task - 1, task, task + 1, 2 * task + 9}) {
        INFO(size << " elements");
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 0 : i % 256);
        const AnyTensor mask(DType::boolean, bytes.data(), {size}, {1}, true, nullptr);
        const MaskedTensor<float> m(AnyMasked::strided(full<float>({size}, 2), mask));
        const MaskedTensor<float> result = eval(m * 2.0, {.jit = Jit::always});
        const auto* found =
            static_cast<const std::uint8_t*>(static_cast<const AnyTensor&>(result.mask()).data());
        int wrong = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) wrong += found[i] == (bytes[i] != 0 ? 1 : 0) ? 0 : 1;
        CHECK(wrong == 0);
        std::ranges::fill(bytes, std::uint8_t{0});
        CHECK(found[std::min<std::int64_t>(1, size - 1)] == (size > 1 ? 1 : 0));
    }
}

TEST_CASE("a result has the bits of its argument's mask as bytes", "[codegen]") {
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{3}, task / 64 - 1, task / 64 + 1}) {
        INFO(rows << " rows");
        const MaskedTensor<float> m = random_masked({rows, 64}, specified(0.4), Layout::bitmask, 5);
        const MaskedTensor<float> result = eval(m * 2.0, {.jit = Jit::always});
        CHECK(same_values(result.mask_tensor(), m.mask_tensor()));
    }
}

}  // namespace result_masks_test
