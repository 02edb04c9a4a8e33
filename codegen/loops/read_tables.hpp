// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include "../../runtime/kernel/aot_tables.hpp"
#include "../../runtime/kernel/signature.hpp"
#include "../../runtime/kernel/workload_class.hpp"

/// Values that the tables of a kernel library describe.
namespace frisket::aot {

/// Errors: ValueError, DTypeError if a name of the table does not exist.
Signature signature_of(const SignatureTable& table);
/// Errors: LayoutError if the layout does not exist.
WorkloadClass class_of(const CallClassRow& row);

}  // namespace frisket::aot
