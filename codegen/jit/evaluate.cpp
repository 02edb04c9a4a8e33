// SPDX-License-Identifier: MIT
#include "evaluate.hpp"

#include "../../ir/planner/executor/executor.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/tensor/error.hpp"
#include "jit_loops.hpp"

namespace frisket::codegen {

std::vector<Result> jit_evaluate(const Graph& graph, std::span<const Argument> arguments,
                                 const TargetName& target, const JitUse& use) {
    const TargetRow& row = check_present(target);
    if (use.loops.schedule) check_of_expression(*use.loops.schedule);
    const Signature signature = signature_of(graph);
    kernel_calls::check_call(signature, arguments);
    const LoopProvider& loops = kernel_calls::where_tensors_live(jit_loops(row), signature, arguments);
    WholeCall whole{&graph};
    const CompiledBodies bodies(loops, {}, use.loops, use.bound != nullptr ? &whole : nullptr);
    std::vector<Result> results = planning::Executor(bodies, use.plan).run(graph, arguments, use.memory);
    if (use.bound != nullptr) *use.bound = std::move(whole.bound);
    return results;
}

}  // namespace frisket::codegen
