// SPDX-License-Identifier: MIT
#pragma once
#include "children.hpp"

#include <span>

namespace closure {

/// A pair of operations for which lists are known to be made dense: a program is excused if the smallest part
/// of it that fails has the pair.  "*" is any operation.
struct Known {
    std::string_view from, to;
    std::string text() const { return std::string(from) + " -> " + std::string(to); }
};

/// THE table of known faults.
std::span<const Known> known_faults();
/// The first row that excuses a program; null: none.  Wrong values and ends of processes have no excuse.
const Known* known_fault(const Record& record);

}  // namespace closure
