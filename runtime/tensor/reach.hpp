// SPDX-License-Identifier: MIT
// Checks shapes and strides against the address space.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace frisket::runtime {

/// Bytes that a tensor has at most, and that its memory spans at most: more than processors address.  What
/// is computed with strides and extents of such tensors fits 64 bits.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 57;

/// Range of memory that a tensor's elements span, in bytes from element [0, …, 0].
struct Reach {
    std::int64_t low = 0;   ///< start of the lowest element
    std::int64_t high = 0;  ///< past the highest element
};

/// The reach of elements of the given size in bytes; nothing if it spans more than most_bytes.
/// Shape: no extent is 0; one stride for each.
std::optional<Reach> reach_of(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                              std::int64_t bytes);

}  // namespace frisket::runtime
