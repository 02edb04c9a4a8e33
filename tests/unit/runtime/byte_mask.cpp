// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/byte_mask.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

namespace byte_mask_test {

using namespace frisket::runtime;

TEST_CASE("bytes of a mask are copied and counted by words, any but 0 being true") {
    constexpr std::int64_t most = 255 * 8;  // that are counted in one sum
    for (const std::int64_t count :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{8}, std::int64_t{9},
          std::int64_t{63}, most - 1, most, most + 1, 2 * most + 9, std::int64_t{70'000}})
        for (const int every : {1, 2, 3, 1000})
            for (const std::size_t shift : {0, 1, 5}) {
                const auto size = static_cast<std::size_t>(count);
                std::vector<std::uint8_t> mask(shift + size + 1, 0x80), copy(shift + size + 1, 0x55);
                std::int64_t wanted = 0;
                for (std::size_t i = 0; i < size; ++i) {
                    const bool is_true = i % static_cast<std::size_t>(every) == 0;
                    mask[shift + i] = is_true ? static_cast<std::uint8_t>(1 + i % 255) : 0;
                    wanted += is_true;
                }
                INFO(count << " bytes from byte " << shift << ", one of " << every << " true");
                CHECK(count_truth(mask.data() + shift, count) == wanted);
                copy_truth(mask.data() + shift, copy.data() + shift, count);
                bool is_same = true;
                for (std::size_t i = shift; i < shift + size; ++i)
                    is_same = is_same && copy[i] == (mask[i] != 0);
                CHECK(is_same);
                CHECK(copy[shift + size] == 0x55);  // nothing past the end is written
            }
}

}  // namespace byte_mask_test
