// SPDX-License-Identifier: MIT
// Stores elements by ascending positions.
#pragma once
#include <memory>

#include "../tensor/index_list.hpp"
#include "../tensor/tensor.hpp"

namespace frisket::list_kernels {

/// Elements of a tensor by their positions: ascending row-major positions, and a value for each.
struct SparseVector {
    std::shared_ptr<const IndexList> list;
    AnyTensor values;
};

}  // namespace frisket::list_kernels
