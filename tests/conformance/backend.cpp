// SPDX-License-Identifier: MIT
#include "backend.hpp"

#include "../../codegen/jit.hpp"
#include "../../dsl/interpret.hpp"

using namespace frisket;

namespace conformance {

Backend backend_of(const std::string& via) {
    if (via == "interpret") {
        return [](const Graph& graph, std::span<const Argument> arguments) { interpret(graph, arguments); };
    }
    const TargetName name = via == "jit" ? TargetName{} : target(via);
    check_present(name);
    return
        [name](const Graph& graph, std::span<const Argument> arguments) { jit(graph, name).call(arguments); };
}

}  // namespace conformance
