// SPDX-License-Identifier: MIT
// Computes running reductions of lists.
#pragma once
#include "segmented_reduce.hpp"

namespace frisket::list_kernels {

/// A running reduction of listed elements along each slice: the result at an entry covers the entries up to
/// it for which `where` is true.  Sums and products of floats are taken in blocks of `limits::scan_block`
/// positions if `has_blocks`, in float64, as a dense line is: an element that is not listed is the identity.
/// Shape: positions within the slices are there, of slices along one dimension.
/// Unspecified: results where `where` is false.
/// Cost: linear in the number of entries.
AnyTensor segmented_scan(Reduction reduction, const ListSlices& slices, const AnyTensor& x,
                         const std::optional<AnyTensor>& where, bool has_blocks);

}  // namespace frisket::list_kernels
