// SPDX-License-Identifier: MIT
#include "byte_mask.hpp"

#include <algorithm>
#include <cstring>

namespace frisket::runtime {

namespace {

constexpr std::int64_t word_bytes = 8;

/// A word with 1 for each byte that is true, and 0 for each byte that is false.
std::uint64_t truth_of(const std::uint8_t* bytes) {
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, word_bytes);
    return ((((word & low) + low) | word) & ~low) >> 7U;
}

}  // namespace

void copy_truth(const std::uint8_t* from, std::uint8_t* to, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + word_bytes <= count; i += word_bytes) {
        const std::uint64_t word = truth_of(from + i);
        std::memcpy(to + i, &word, word_bytes);
    }
    for (; i < count; ++i) to[i] = from[i] != 0;
}

std::int64_t count_truth(const std::uint8_t* bytes, std::int64_t count) {
    constexpr std::int64_t most_words = 255;  // until a byte of the sums may overflow
    constexpr std::uint64_t every_other = 0x00ff00ff00ff00ff;
    std::int64_t found = 0, i = 0;
    while (i + word_bytes <= count) {
        const std::int64_t end = std::min(count - word_bytes + 1, i + most_words * word_bytes);
        std::uint64_t sums = 0;
        for (; i < end; i += word_bytes) sums += truth_of(bytes + i);
        const std::uint64_t pairs = (sums & every_other) + ((sums >> 8U) & every_other);
        found += static_cast<std::int64_t>((pairs * 0x0001000100010001U) >> 48U);
    }
    for (; i < count; ++i) found += bytes[i] != 0;
    return found;
}

}  // namespace frisket::runtime
