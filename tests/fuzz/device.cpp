// SPDX-License-Identifier: MIT
#include "device.hpp"

#include "../../codegen/jit/run_step.hpp"
#include "../support/moved_arguments.hpp"

#include <frisket/frisket.hpp>

namespace fuzz {

namespace {

Device chosen;

Engine of_device(const Device& device) {
    return {.evaluate = testing::evaluate_on(device),
            .run = [device](const Graph& graph, std::span<const Argument> arguments, const Program& program) {
                const testing::MovedArguments moved(arguments, device);
                if (program.as == RunAs::step)
                    codegen::run_step(graph, moved.arguments());
                else
                    jit(graph).call(moved.arguments());
                moved.copy_back(signature_of(graph));
            }};
}

}  // namespace

void use_device(const std::string& name) { chosen = device(name); }

Comparison judge_on_device(const Program& program) {
    const Outcome wanted = run(program, plain, interpreter());
    const auto judged = [&](const Storing& storing) {
        const Outcome found = run(program, storing, of_device(chosen));
        Comparison judgement;
        judgement.is_error = found.error == ErrorCode::target;
        if (!judgement.is_error) judgement = compared(program, found, wanted);
        if (!judgement.fault.empty()) judgement.fault = "on the device, " + judgement.fault;
        return judgement;
    };
    const Comparison judgement = judged(as_program);
    return judgement.fault.empty() ? judged(as_other) : judgement;
}

}  // namespace fuzz
