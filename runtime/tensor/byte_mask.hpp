// SPDX-License-Identifier: MIT
// Reads masks of one byte for each element.
#pragma once
#include <cstdint>

/// Masks as one byte an element, any but 0 being true.
namespace frisket::runtime {

/// Writes 1 for each byte that is true, 0 for a false byte.
void copy_truth(const std::uint8_t* from, std::uint8_t* to, std::int64_t count);

/// Number of bytes that are true.
std::int64_t count_truth(const std::uint8_t* bytes, std::int64_t count);

}  // namespace frisket::runtime
