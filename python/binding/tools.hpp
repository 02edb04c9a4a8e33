// SPDX-License-Identifier: MIT
// Facts about this machine, and searches for schedules.
#pragma once
#include "../../codegen/tuning/search/tune.hpp"
#include "arguments.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace frisket::python {

/// Runs a search for schedules.  Ctrl-C ends the search, and its results so far are returned.  Each part has
/// a dict: the part's name, the schedule as text (None: the default stays), gain, seconds before and after,
/// noise, and the number of schedules that were tried.
nb::list tune_results(double seconds, std::uint64_t seed,
                      const std::function<std::vector<TuneResult>(const TuneOptions&)>& search);

void add_tools(nb::module_& module);

}  // namespace frisket::python
