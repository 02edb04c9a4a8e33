// SPDX-License-Identifier: MIT
// Converts numbers to indices of containers.
#pragma once
#include <concepts>
#include <cstddef>

namespace frisket::runtime {

/// A number that is not negative, as the index of a container.
constexpr std::size_t at(std::integral auto i) { return static_cast<std::size_t>(i); }

}  // namespace frisket::runtime
