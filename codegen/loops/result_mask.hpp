// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../../runtime/tensor/masked_tensor.hpp"

namespace frisket::codegen {

/// The mask of a tensor of layout strided, without gaps, or bitmask, as bytes of memory of its own,
/// which the pool has had, filled by threads where it is large.
AnyTensor copied_mask(const AnyMasked& masked);

}  // namespace frisket::codegen
