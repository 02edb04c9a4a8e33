// SPDX-License-Identifier: MIT
#include "evaluate.hpp"

#include "jit_loops.hpp"

namespace frisket::codegen {

std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target, const EvaluateUse& use) {
    const TargetRow& row = check_present(target);
    if (use.loops.schedule) check_of_expression(*use.loops.schedule);
    return evaluate_by(jit_loops(row), graph, arguments, use);
}

}  // namespace frisket::codegen
