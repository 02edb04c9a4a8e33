// SPDX-License-Identifier: MIT
#include "backend.hpp"

#include "../../codegen/jit/evaluate.hpp"
#include "../../codegen/jit/jit.hpp"
#include "../../ir/interpreter/interpret.hpp"
#include "../support/moved_arguments.hpp"

using namespace frisket;

namespace conformance {

namespace {

/// Kernels of a device, to which arguments are moved, and from which a step's results return.
Backend backend_on(const Device& device) {
    return {.step =
                [device](const Graph& graph, std::span<const Argument> arguments) {
                    const testing::MovedArguments moved(arguments, device);
                    jit(graph).call(moved.arguments());
                    moved.copy_back(signature_of(graph));
                },
            .evaluate = testing::evaluate_on(device)};
}

}  // namespace

Backend backend_of(const std::string& via) {
    using Arguments = std::span<const Argument>;
    if (via == "interpret")
        return {.step = [](const Graph& graph, Arguments arguments) { interpret(graph, arguments); },
                .evaluate = &evaluate};
    const TargetName name = via == "jit" ? TargetName{} : TargetName{via};
    if (check_present(name).gpu) return backend_on(device(name.name));
    return {
        .step = [name](const Graph& graph, Arguments arguments) { jit(graph, name).call(arguments); },
        .evaluate = [name](const Graph& graph,
                           Arguments arguments) { return codegen::jit_evaluate(graph, arguments, name); }};
}

}  // namespace conformance
