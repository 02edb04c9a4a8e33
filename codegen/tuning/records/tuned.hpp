// SPDX-License-Identifier: MIT
// Looks up tuned schedules in the default database.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../../ir/graph.hpp"
#include "../../loops/tuned_call.hpp"

namespace frisket::codegen {

/// The tuned calls of a step in the default database, for this machine and this build: read once a step and
/// target, at its first call.  A record that cannot be read is left out; FRISKET_SHOW=schedule prints the
/// reason.
std::vector<TunedCall> tuned_calls(const Graph& step, const TargetRow& target);

/// The fastest schedule found for a body of expressions; none, where it is the default.
struct TunedExpression {
    std::string text;
    std::optional<Schedule> schedule;
};

/// The tuned bodies of expressions in the default database, for this machine and this build.  A record that
/// cannot be read is left out; FRISKET_SHOW=schedule prints the reason.
std::vector<TunedExpression> tuned_expressions(const TargetRow& target);

/// Has the tuned bodies of expressions read again: the default database may have changed.
void reread_tuned_expressions();
/// Number of times that they were to be read again.  A call that asks before it looks for a schedule finds
/// none that was read before that.
std::uint64_t tuned_expressions_number() noexcept;

}  // namespace frisket::codegen
