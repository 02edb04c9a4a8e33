// SPDX-License-Identifier: MIT
// Finds tensors that share memory.
#pragma once
#include "tensor.hpp"

#include <cstdint>

namespace frisket::runtime {

/// The addresses from the first to past the last byte of a tensor's elements, of which there are some.
struct ByteRange {
    std::uintptr_t begin, end;
    bool is_apart_from(const ByteRange& other) const { return end <= other.begin || other.end <= begin; }
};
ByteRange byte_range_of_strides(const AnyTensor& tensor);
inline ByteRange byte_range(const AnyTensor& tensor) {
    if (!tensor.is_contiguous()) return byte_range_of_strides(tensor);
    const auto first = reinterpret_cast<std::uintptr_t>(tensor.address());
    return {first, first + static_cast<std::uintptr_t>(tensor.size() * bytes_of(tensor.dtype()))};
}

/// Result of an overlap check.  It is not decided for all strides: if they do not nest and have many
/// elements, the answer may be not_shown.
enum class Overlap : std::uint8_t { none, some, not_shown };

/// Elements up to which every question is decided, by a look at the address of each.
inline constexpr std::int64_t decided_elements = 4096;

/// Checks if an element of one tensor shares a byte with an element of another.
Overlap overlap(const AnyTensor& a, const AnyTensor& b);
/// Answers overlap(a, b) where the range of `a` is known; `a` has elements.
inline Overlap overlap(const AnyTensor& a, const ByteRange& range_of_a, const AnyTensor& b) {
    return b.size() == 0 || range_of_a.is_apart_from(byte_range(b)) ? Overlap::none : overlap(a, b);
}

/// Checks if two elements of a tensor share a byte.
Overlap overlaps_itself(const AnyTensor& tensor);

}  // namespace frisket::runtime
