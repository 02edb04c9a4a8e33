// SPDX-License-Identifier: MIT
// Measures candidate schedules, and eliminates the slower half in each round.
#pragma once
#include "../records/workload.hpp"
#include "tune.hpp"

#include <chrono>
#include <random>

namespace frisket::codegen {

/// Seconds since something that never changes.
double now_s();
/// Processor seconds that this process has taken, on all of its threads.
double processor_s();

/// The time of one call of a kernel.
double time_of_call(const Candidate& candidate, const Workload& workload);

/// Calls in turn for this number of seconds: time of the first divided by time of the second.
Paired compare(const Candidate& first, const Candidate& second, Workload& workload, double seconds);

/// True if pairs show that the second is faster, by more than the first differs from itself: both in the
/// times that compare() weighs and in plain clock times.
bool is_faster(const Paired& pairs, double noise);

/// Successive halving: all candidates are timed in turn, in an order that is shuffled anew, and the slower
/// half goes, and `left_after` records the round; until four are left, or `is_over()`.  A candidate that
/// takes several times as long as the fastest goes after one call.  Rejected candidates are left out.
void race(std::vector<Candidate>& candidates, Workload& workload, std::mt19937_64& random,
          const std::function<bool()>& is_over, const std::function<void()>& after_turn);

}  // namespace frisket::codegen
