// SPDX-License-Identifier: MIT
// Expresses a tensor as a view of another tensor that shares its memory.
#pragma once
#include "../../runtime/tensor/tensor.hpp"
#include "../tensor_ops/value.hpp"

#include <optional>

namespace frisket::ir {

/// The elements of a tensor stored in the memory of another tensor, as a view of that tensor, `x`.  Nothing
/// if some are stored elsewhere, or if the other tensor has gaps or another dtype.
/// Shape: `x` has the shape of `whole`.
std::optional<Value> memory_view(const AnyTensor& part, const AnyTensor& whole, Value x);

}  // namespace frisket::ir
