// SPDX-License-Identifier: MIT
// Describes the specified rows or elements that loops walk.
#pragma once
#include <vector>

#include "../tensor/shape.hpp"

namespace frisket::list_kernels {

/// The specified part of a masked tensor over which loops go: rows, or single elements.
struct IterationSpace {
    Shape shape;                      ///< shape of the masked tensor
    bool by_rows = false;             ///< rows are listed, and each is specified whole
    std::vector<bool> has_mask = {};  ///< for each symbol: it is Masked and specified only where listed
    bool operator==(const IterationSpace&) const = default;
};

}  // namespace frisket::list_kernels
