// SPDX-License-Identifier: MIT
// Compiles steps and functions just in time.
#pragma once
#include "../../dsl/describe.hpp"
#include "../../dsl/function.hpp"
#include "../../dsl/kernel.hpp"
#include "../../ir/graph.hpp"
#include "../../runtime/kernel/compiled_kernel.hpp"
#include "../../runtime/tensor/masked_tensor.hpp"
#include "../loops/schedule.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace frisket {

namespace codegen {
class LoopProvider;
/// Internal: has device() open devices by the compiler.
extern const bool opens_devices;
}  // namespace codegen

namespace planning {
class ShapedFunction;
class ShapedStep;
}  // namespace planning

/// Choice between compiling and interpreting an expression.
enum class Jit : std::uint8_t {
    automatic,  ///< if it is large or was evaluated often: EvalPolicy
    always,
    never,  ///< interprets the plan that compiled loops would run
};

/// Options of eval.
struct EvalOptions {
    Jit jit = Jit::automatic;
    TargetName target = {};  ///< target of compiled loops
    /// Schedule of compiled loops, "expression" and its knobs; nothing: the result of tuning for such a call
    /// on this machine, else the default.  It compiles, however small the expression.
    std::optional<Schedule> schedule = {};
    std::optional<Layout> layout = {};  ///< layout of all masked results; nothing: eval's choice
};

/// Options of eval that ask for a layout: `eval(gradient(loss, table), layout(Layout::rows))`.
inline EvalOptions layout(Layout wanted) { return {.layout = wanted}; }

/// Limits below which Jit::automatic interprets: compiling takes about 0.1 s, once for all tensors of equal
/// ranks, dtypes and layouts.
struct EvalPolicy {
    std::int64_t small_elements = 4096;  ///< fewer in all operands and intermediates are interpreted …
    int few_times = 4;                   ///< … unless the expression was evaluated this often before
};

/// Sets the policy of all threads, from the next eval on.
void set_eval_policy(const EvalPolicy& policy);
/// The policy in force.
EvalPolicy eval_policy();

/// A step with operations on whole tensors, described for the shapes of each call, that run_step runs.
/// FRISKET_SHOW=graph shows each graph that is made.
std::shared_ptr<planning::ShapedStep> shaped_step(std::function<Graph(std::span<const Shape>)> describe,
                                                  const TargetName& target);

/// A function, described for the shapes of each call, that is evaluated by loops that are compiled just in
/// time.
std::shared_ptr<planning::ShapedFunction>
shaped_function(std::span<const StepSymbol> parameters, std::function<Graph(std::span<const Shape>)> describe,
                const TargetName& target);

/// Source of compiled loops for a target: a compiler, or a library of kernels.
using KernelProvider = const codegen::LoopProvider& (*)(const TargetName& target);
/// Loops that are compiled just in time.  Errors: TargetError if the target is unknown or absent.
const codegen::LoopProvider& just_in_time(const TargetName& target);

/// Makes a step with run-time names into a kernel.  Nothing is compiled yet: loops are, one set per
/// layout, when a layout first occurs, or in warm_up().  The same graph for the same target has the same
/// loops.
/// Errors: TargetError if the target is unknown or absent.
/// Device: tensors live on the host; for a GPU target each call copies its arguments in and its results
/// out.
CompiledKernel jit(const Graph& graph, const TargetName& target = {});

/// Makes a kernel with a schedule of one's own: calls take its strategy, whatever the mask, and its knobs.
/// Errors: ScheduleError, at a call, if loops of that strategy cannot walk the layouts that came.
CompiledKernel jit(const Graph& graph, const Schedule& schedule, const TargetName& target = {});

/// Makes a step written as an expression into a kernel that is called with named arguments; see jit(Graph).
/// One with operations on whole tensors (reductions, views, products) is made for the shapes of each call.
template <SomeStep Made>
auto jit(const Made& step, const TargetName& target = {}) {
    if constexpr (Made::has_structure)
        return Kernel<Made>(
            shaped_step([step](std::span<const Shape> shapes) { return describe(step, shapes); }, target));
    else
        return Kernel<Made>(jit(describe(step), target));
}

/// Makes a kernel with a schedule of one's own: `jit(adagrad, schedule("skip tile=256 vector=16
/// grain=4096"))`.
/// Errors: as jit(Graph, Schedule).  A step with operations on whole tensors has loops of several kinds, and
/// takes none.
template <SomeStep Made>
    requires(!Made::has_structure)
auto jit(const Made& step, const Schedule& schedule, const TargetName& target = {}) {
    return Kernel<Made>(jit(describe(step), schedule, target));
}

/// Makes a function into a kernel that is called with named arguments and returns its values.  It is planned
/// for the shapes and layouts of each call, and always compiled.
/// Errors: as jit(Graph); calls throw the errors of eval.
template <SomeFunction Made>
auto jit(const Made& function, const TargetName& target = {}) {
    return FunctionKernel<Made>(shaped_function(
        Made::parameters, [function](std::span<const Shape> shapes) { return describe(function, shapes); },
        target));
}

/// Names the form to write instead.
template <class Other>
    requires(!SomeStep<Other> && !SomeFunction<Other> && !std::convertible_to<const Other&, Graph>)
ErrorExpr jit(const Other& /*other*/, const TargetName& /*target*/ = {}) {
    static_assert(
        diagnose::is_quiet<Other>,
        "frisket: jit(...) takes a step: write jit(step<\"name\">(target = expression)), or eval(x)");
    return {};
}

}  // namespace frisket
