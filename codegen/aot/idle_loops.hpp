// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <memory>

#include "../../runtime/kernel/loop_abi.hpp"
#include "../loops/loop_code.hpp"

/// Loops of sample calls, which compute nothing: a sample only shows which loops its calls take.
namespace frisket::aot {

/// Loops of an expression.  A call sets the values of its results to 0, specifies all elements of their
/// masks, and passes its checks.
codegen::LoopCode idle_expression(const kernel_calls::LoopAbi& abi);
/// Loops of an elementwise step.  A call changes nothing.
codegen::LoopCode idle_step();

}  // namespace frisket::aot
