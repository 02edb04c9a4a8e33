// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "../../runtime/tensor/index_list.hpp"
#include "../../runtime/tensor/tensor.hpp"

namespace frisket::planning {

/// Elements of a tensor by their places: ascending row-major positions, and a value for each.
struct SparseVector {
    std::shared_ptr<const IndexList> list;
    AnyTensor values;
};

}  // namespace frisket::planning
