// SPDX-License-Identifier: MIT
// Gathers elements of lists.
#pragma once
#include "../tensor/masked_tensor.hpp"
#include "permutation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace frisket::list_kernels {

/// A gather of elements: at an index i of the result it reads the element whose index `d` is
/// i[attributes[d]], or for attributes[d] = -1 - k the number that index tensor k holds at i.
struct ElementGather {
    const Shape& from;   ///< shape of the tensor
    const Shape& shape;  ///< shape of the result
    std::span<const std::int64_t> attributes;
    std::vector<Shape> indices;  ///< shapes of the index tensors, which broadcast to `shape`
};

/// True if one of the index tensors has an element for each line of the result: for all indices along the
/// dimensions that do not stay as they are.
bool selects_lines(const ElementGather& gather);
/// The permutation that a gather makes of a list of positions of its operand.  Indices that are out of range
/// select nothing.
/// Shape: selects_lines(gather); `indices` are int64; `rows` are of the list, if it is a matrix of csr.
/// Cost: linear in the result, and a search in the list for each line, without `rows`; linear in the list as
/// well, once for a list, unless the indexed dimensions are the first dimensions.
Permutation selected(const IndexList& list, const ElementGather& gather, std::span<const AnyTensor> indices,
                     const CompressedIndex* rows = nullptr);

}  // namespace frisket::list_kernels
