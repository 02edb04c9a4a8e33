// SPDX-License-Identifier: MIT
#include "backend.hpp"

#include "../../codegen/jit/evaluate.hpp"
#include "../../codegen/jit/jit.hpp"
#include "../../ir/interpreter/interpret.hpp"

using namespace frisket;

namespace conformance {

namespace {

/// True if expressions are run by compiled loops too, not by the interpreter alone.
constexpr bool compiles_expressions = true;

}  // namespace

Backend backend_of(const std::string& via) {
    using Arguments = std::span<const Argument>;
    if (via == "interpret")
        return {.step = [](const Graph& graph, Arguments arguments) { interpret(graph, arguments); },
                .evaluate = &evaluate};
    const TargetName name = via == "jit" ? TargetName{} : target(via);
    const bool is_device = check_present(name).gpu;
    Backend backend{
        .step = [name](const Graph& graph, Arguments arguments) { jit(graph, name).call(arguments); },
        .evaluate = {}};
    if (compiles_expressions && !is_device)
        backend.evaluate = [name](const Graph& graph, Arguments arguments) {
            return codegen::jit_evaluate(graph, arguments, name);
        };
    return backend;
}

}  // namespace conformance
