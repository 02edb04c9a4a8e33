// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/planner/run_events.hpp"
#include "../../runtime/kernel/strategy.hpp"

#include <set>
#include <string>
#include <vector>

namespace fuzz {

using namespace frisket;

/// Notes the rules of a plan's stages, and the kinds of their loops, for the program that this thread runs.
void note_reached(const planning::RunEvents& events);
/// Notes a strategy by which a kernel walks a call.
void note_reached(Strategy strategy);
/// Names of all that this thread has noted since the last call, each once.
std::set<std::string> take_reached();
/// Names of all that programs can reach: rules of the planner, kinds of loops, strategies.
std::vector<std::string> reachable();

}  // namespace fuzz
