// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/tensor_ops/operations.hpp"
#include "value.hpp"

/// Attributes of the cases, as the attributes of the library's table of operations.
namespace conformance {

using frisket::ir::Value;

/// The attributes of an operation of a case; those that are null are absent.
/// Errors: BindingError for an unknown attribute.
frisket::ir::Attributes attributes_of(const Json& json);

}  // namespace conformance
