// SPDX-License-Identifier: MIT
#pragma once
#include "list_lines.hpp"
#include "plan.hpp"

namespace frisket::planning {

/// The sums of rows of a table that lines of indices say, added in float64 in their order.  Indices beyond
/// the table read its first or last row: who reads them checks them.
AnyTensor gathered_sums(const GatheredSumStage& stage, AnyTensor table, const AnyTensor& indices,
                        const RunTasks& run);

}  // namespace frisket::planning
