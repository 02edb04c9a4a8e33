// SPDX-License-Identifier: MIT
// Runs steps with loops that are compiled just in time.
#pragma once
#include <memory>
#include <span>

#include "../loops/ready_step.hpp"
#include "../loops/schedule.hpp"

namespace frisket::codegen {

/// Runs a step whose graph has shapes, by loops that are compiled just in time.
/// Errors: as ready_step; TargetError if the target is unknown or absent.
void run_step(const std::shared_ptr<const planning::PreparedGraph>& step, std::span<const Argument> arguments,
              const TargetName& target = {});
/// Prepares a step and runs it.
void run_step(const Graph& step, std::span<const Argument> arguments, const TargetName& target = {});
/// Makes it ready.
kernel_calls::Ready ready_step(const Graph& step, std::span<const Argument> arguments,
                               const TargetName& target = {}, planning::RunEvents* events = nullptr);

}  // namespace frisket::codegen
