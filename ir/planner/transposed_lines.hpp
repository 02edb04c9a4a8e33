// SPDX-License-Identifier: MIT
#pragma once
#include "list_lines.hpp"

namespace frisket::plan {

/// The lines of a transposed list, and the values of its entries.
struct TransposedLines {
    SparseLines lines;
    AnyTensor values;
};

/// The entries of a list by their indices along its lines, each in the order of the lines.  `length`: of a
/// line.  `count`: of the lines.
/// Cost: linear in the entries, and where lines are much longer than there are entries that of sorting them;
/// two passes, the first by the upper bits of the index.
TransposedLines transposed_lines(const ListLines& list, const AnyTensor& values, std::int64_t count,
                                 std::int64_t length, const RunTasks& run);

}  // namespace frisket::plan
