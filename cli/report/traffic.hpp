// SPDX-License-Identifier: MIT
// Counts the bytes that a call must move.
#pragma once
#include "../../runtime/kernel/argument.hpp"
#include "../../runtime/kernel/signature.hpp"

#include <span>

namespace frisket::cli {

/// Bytes that a call must move between memory and the processor, whatever its loops: the cache lines of
/// specified elements of every tensor, twice of one that is written, with the mask or the lists.
double least_bytes(const Signature& signature, std::span<const Argument> arguments);

}  // namespace frisket::cli
