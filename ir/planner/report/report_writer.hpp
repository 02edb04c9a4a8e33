// SPDX-License-Identifier: MIT
// Computes plan reports from the events of calls, and describes the loop nests of steps.
#pragma once
#include <string>

#include "../run_events.hpp"
#include "plan_report.hpp"

namespace frisket::planning {

/// The stages of calls.  For calls that have not run, facts that depend on stored elements have no numbers.
PlanReport report_of(std::string title, const RunEvents& events);

/// Describes one loop nest of a step: which index set it walks, and the tensors read and written there, in
/// one pass.  Text, as FRISKET_SHOW=plan prints it.
std::string plan_text(const Graph& graph, const Signature& signature, Strategy strategy);

}  // namespace frisket::planning
