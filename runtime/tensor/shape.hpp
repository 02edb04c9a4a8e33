// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frisket {

/// Extents of a tensor, outermost first; empty for a 0-d tensor of one element.
using Shape = std::vector<std::int64_t>;
/// Distance between neighbours along each dimension, in elements; may be 0 or negative.
using Strides = std::vector<std::int64_t>;

/// Number of elements: the product of the extents, 1 for a 0-d shape.
/// Errors: ShapeError if an extent is negative or the product does not fit 63 bits.
std::int64_t element_count(std::span<const std::int64_t> shape);

/// Strides of a row-major tensor without gaps.
Strides contiguous_strides(std::span<const std::int64_t> shape);

/// Whether elements lie row-major without gaps; dimensions of extent 1 and empty tensors do not matter.
bool is_contiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

/// Whether `from` broadcasts to `to` as in NumPy: aligned at the right, equal or 1.
bool broadcasts_to(std::span<const std::int64_t> from, std::span<const std::int64_t> to);

/// The common shape of two operands as in NumPy.
/// Errors: ShapeError naming both shapes.
Shape broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

/// Strides that make a tensor of shape `from` look like one of shape `to`: 0 where it is repeated.
/// Shape: `from` broadcasts to `to` (not checked).
Strides broadcast_strides(std::span<const std::int64_t> from, std::span<const std::int64_t> strides,
                          std::span<const std::int64_t> to);

/// "[2, 4]"
std::string to_string(std::span<const std::int64_t> shape);

/// The multi-index of a row-major position: `position` of shape [2, 4] = 6 gives [1, 2].
Shape unravel(std::int64_t position, std::span<const std::int64_t> shape);

}  // namespace frisket
