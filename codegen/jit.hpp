// SPDX-License-Identifier: MIT
#pragma once
#include "../dsl/describe.hpp"
#include "../dsl/kernel.hpp"
#include "jit_graph.hpp"

namespace frisket {

/// Makes a step written as an expression into a kernel that is called with named arguments; see jit(Graph).
template <class... Statements>
auto jit(const Step<Statements...>& step, const TargetName& target = {}) {
    return Kernel<Step<Statements...>>(jit(describe(step), target));
}

}  // namespace frisket
