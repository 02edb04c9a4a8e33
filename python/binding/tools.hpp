// SPDX-License-Identifier: MIT
// Facts about this machine, and searches for schedules.
#pragma once
#include "../../codegen/tuning/search/tune.hpp"
#include "arguments.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace frisket::python {

/// Runs a search for schedules, which Ctrl-C ends with what was found until then: for each part a dict with
/// its name, the schedule as text (None: the default stays), gain, seconds before and after, noise, and how
/// many were tried.
nb::list tune_results(double seconds, std::uint64_t seed,
                      const std::function<std::vector<TuneResult>(const TuneOptions&)>& search);

void add_tools(nb::module_& module);

}  // namespace frisket::python
