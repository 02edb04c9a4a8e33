// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/tensor/masked_tensor.hpp"
#include "sparse_vector.hpp"

#include <cstdint>

namespace frisket::plan {

/// The matrices of a product, of its dtype; one that is dense has no list.
struct Factors {
    SparseVector left, right;
    std::int64_t rows = 0, inner = 0, columns = 0;
};

/// Terms are added as Reduction::contract says.
/// Layout rows if the left matrix is a list and the right one is dense, else coo.
/// Cost: linear in the number of terms; of two lists, that of sorting them row by row.
AnyMasked multiplied(const Factors& factors);

}  // namespace frisket::plan
