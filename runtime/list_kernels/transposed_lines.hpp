// SPDX-License-Identifier: MIT
// Finds the lines of transposed lists.
#pragma once
#include "list_lines.hpp"

#include <cstdint>
#include <memory>

namespace frisket::list_kernels {

/// The lines of a transposed list, and the entry of the list that each of theirs is.
struct TransposedOrder {
    SparseLines lines;
    Indices entries;

    /// Memory of it.
    std::int64_t bytes() const;
    /// Calls body(structures) for its own lists; it has none.
    void each_kept(const auto& /*body*/) const {}
};

/// The entries of a list by their indices along its lines, each in the order of the lines.  It is stored with
/// the list from the first call on.  `length`: a line's length.  `count`: the number of lines.
/// Cost: linear in the entries: two passes, the first by the upper bits of the index; where lines are much
/// longer than there are entries, one for each byte of the lower bits.
std::shared_ptr<const TransposedOrder> transposed_order(const ListLines& list,
                                                        const runtime::KeptStructures& kept,
                                                        std::int64_t count, std::int64_t length,
                                                        const RunTasks& run);

}  // namespace frisket::list_kernels
