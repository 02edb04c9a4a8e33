// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/masked_tensor.hpp"

namespace frisket {

/// Calls alike, for which one schedule is the best: what tuning results are found again by.
struct CallClass {
    Layout layout = Layout::dense;  ///< as loops walk it
    int elements = 0;               ///< log2 of their number, rounded
    int row_length = 0;             ///< log2 of it, rounded
    int density = 0;  ///< 2 log2 of the share of specified elements (of rows: of rows), rounded; 0: all
    int lines = 0;    ///< the same of lines with a specified element; of lists 0
    bool operator==(const CallClass&) const = default;
};

}  // namespace frisket
