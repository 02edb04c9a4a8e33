// SPDX-License-Identifier: MIT
// Counts the elements that the loops of a step load and store.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "../../../ir/graph.hpp"
#include "../../../runtime/kernel/argument.hpp"
#include "../../loops/schedule.hpp"

namespace frisket::codegen {

/// Elements that loops touch in one call.
struct Footprint {
    /// True for elements that are loaded, and stored, in any of the tensors that the step writes: one entry
    /// for each row-major position.
    std::vector<bool> loaded, stored;
    /// Numbers of elements that the loops read of arrays that they do not write: "grad", "grad's words",
    /// "positions".
    std::map<std::string, std::int64_t> read;
};

/// Runs the step with a schedule on copies of its outputs, and records every load and store.
/// Cost: a compilation, and a microsecond for each load: for thousands of elements, not for millions.
/// Errors: as a call.
Footprint footprint_of(const Graph& step, const Schedule& schedule, std::span<const Argument> arguments);

}  // namespace frisket::codegen
