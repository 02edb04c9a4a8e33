// SPDX-License-Identifier: MIT
// Expresses a tensor as a view of another tensor that shares its memory.
#pragma once
#include "../../runtime/tensor/tensor.hpp"
#include "../tensor_ops/value.hpp"

#include <optional>

namespace frisket::ir {

/// The elements of a tensor that lies in the memory of another as a view of that one, `x`.  Nothing if some
/// lie elsewhere, or if the other has gaps or another dtype.
/// Shape: `x` has that of `whole`.
std::optional<Value> memory_view(const AnyTensor& part, const AnyTensor& whole, Value x);

}  // namespace frisket::ir
