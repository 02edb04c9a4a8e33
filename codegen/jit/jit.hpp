// SPDX-License-Identifier: MIT
#pragma once
#include "../../dsl/describe.hpp"
#include "../../dsl/kernel.hpp"
#include "jit_graph.hpp"

namespace frisket {

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

/// Says what to write instead.
template <class Other>
    requires(!SomeStep<Other> && !std::convertible_to<const Other&, Graph>)
ErrorExpr jit(const Other& /*other*/, const TargetName& /*target*/ = {}) {
    static_assert(
        diagnose::is_quiet<Other>,
        "frisket: jit(...) takes a step: write jit(step<\"name\">(target = expression)), or eval(x)");
    return {};
}

}  // namespace frisket
