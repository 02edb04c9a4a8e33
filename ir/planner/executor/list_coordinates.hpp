// SPDX-License-Identifier: MIT
// Converts row-major positions to an index for each dimension.
#pragma once
#include "../../../runtime/layouts/layout.hpp"
#include "../../../runtime/tensor/tensor.hpp"

#include <cstdint>
#include <vector>

namespace frisket::planning {

/// The index along each dimension, of row-major positions.  Shape: at least one dimension.
std::vector<Tensor<std::int64_t>> indices_of(const runtime::IndexView& positions, const Shape& shape);

}  // namespace frisket::planning
