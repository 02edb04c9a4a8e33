// SPDX-License-Identifier: MIT
#pragma once
#include "../tensor.hpp"

#include <cstdint>

namespace frisket {

/// The addresses between the first and past the last byte of a tensor's elements.
struct ByteRange { std::intptr_t begin, end; };
ByteRange byte_range(const AnyTensor& tensor);

/// Whether two tensors share a byte, exactly for views of ordinary strides (columns of one matrix do not
/// overlap). Where that would take too long to decide, the answer is yes.
bool overlap(const AnyTensor& a, const AnyTensor& b);

/// Whether two elements of one tensor may share a byte: a stride of 0, or strides that cross.
bool overlaps_itself(const AnyTensor& tensor);

}  // namespace frisket
