// SPDX-License-Identifier: MIT
// Reads masks as words of bits.
#pragma once
#include "scratch.hpp"

/// Masks as bit words over the elements of a call.
namespace frisket::kernel_calls {

/// Bit words of Masked argument i, which has the space's shape; bits past the end are zero.  A bit mask
/// without stray bits is taken as it is; other masks are stored in call.scratch.words.
const std::uint64_t* words_of(const Call& call, int i);
/// Bit words of parameter i from one byte an element.
const std::uint64_t* words_from_bytes(const Call& call, int i, const std::uint8_t* bytes);
/// Bit words of parameter i with every element specified; bits past the end are zero.
const std::uint64_t* words_of_all(const Call& call, int i);

}  // namespace frisket::kernel_calls
