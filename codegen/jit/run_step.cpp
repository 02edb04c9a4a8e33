// SPDX-License-Identifier: MIT
#include "run_step.hpp"

#include "jit_loops.hpp"

namespace frisket::codegen {

kernel_calls::Ready ready_step(const Graph& step, std::span<const Argument> arguments,
                               const TargetName& target, planning::RunEvents* events) {
    return ready_step(step, arguments, jit_loops(check_present(target)), events);
}

void run_step(const std::shared_ptr<const planning::PreparedGraph>& step, std::span<const Argument> arguments,
              const TargetName& target) {
    ready_step(step, arguments, jit_loops(check_present(target))).run();
}

void run_step(const Graph& step, std::span<const Argument> arguments, const TargetName& target) {
    ready_step(step, arguments, target).run();
}

}  // namespace frisket::codegen
