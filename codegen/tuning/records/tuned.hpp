// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <vector>

#include "../../../ir/graph.hpp"
#include "../../../runtime/kernel/workload_class.hpp"
#include "../../strategies/schedule.hpp"

namespace frisket::codegen {

/// The fastest schedule found for calls of a class; none, where it is the default.
struct TunedCall {
    WorkloadClass call;
    std::optional<Schedule> schedule;
};

/// The tuned calls of a step in the default database, for this machine and this build: read once a step and
/// target, at its first call.  A record that cannot be read is left out; FRISKET_SHOW=schedule says why.
std::vector<TunedCall> tuned_calls(const Graph& step, const TargetRow& target);

}  // namespace frisket::codegen
