// SPDX-License-Identifier: MIT
#pragma once
#include "../tensor.hpp"

#include <cstdint>

namespace frisket {

/// The addresses from the first to past the last byte of a tensor's elements, of which there are some.
struct ByteRange { std::uintptr_t begin, end; };
ByteRange byte_range(const AnyTensor& tensor);

/// Whether elements share a byte.  Of strides that neither nest nor are few elements that is not always found
/// out: then it is not shown that they do not.
enum class Overlap : std::uint8_t { none, some, not_shown };

/// Elements up to which every question is decided, by a look at where each lies.
inline constexpr std::int64_t decided_elements = 4096;

/// Whether an element of one tensor shares a byte with one of another.
Overlap overlap(const AnyTensor& a, const AnyTensor& b);

/// Whether two elements of a tensor share a byte.
Overlap overlaps_itself(const AnyTensor& tensor);

}  // namespace frisket
