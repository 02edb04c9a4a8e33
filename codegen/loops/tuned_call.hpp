// SPDX-License-Identifier: MIT
// Pairs a class of calls with the fastest schedule found for it.
#pragma once
#include <optional>

#include "../../runtime/kernel/workload_class.hpp"
#include "schedule.hpp"

namespace frisket::codegen {

/// The fastest schedule found for calls of a class; none, where it is the default.
struct TunedCall {
    WorkloadClass call;
    std::optional<Schedule> schedule;
};

}  // namespace frisket::codegen
