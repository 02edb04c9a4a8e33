// SPDX-License-Identifier: MIT
// Scatters the elements of a list into another list.
#pragma once
#include "../../../runtime/list_kernels/sparse_vector.hpp"
#include "../../graph.hpp"

#include <span>

namespace frisket::planning {

/// The elements of a list of `shape`, scattered as a node specifies: elements of one position are added in
/// float64, and bools are true where one of them is put.  `indices`: the operands of the node from its third
/// on, int64.
list_kernels::SparseVector scattered_elements(const Node& node, const Shape& shape,
                                              const list_kernels::SparseVector& from,
                                              std::span<const AnyTensor> indices);

}  // namespace frisket::planning
