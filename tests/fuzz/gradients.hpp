// SPDX-License-Identifier: MIT
#pragma once
#include "oracle.hpp"

namespace fuzz {

/// An expression of float64 tensors, to be differentiated; the same for the same seed.
Program generate_differentiable(std::uint32_t seed, int instructions);

/// Compares the gradients of a program's first result, or for every third seed the gradients of a gradient,
/// with differences: along a random direction in all inputs, of the result weighted at random.  A gradient
/// may be specified as 0 only where the result depends on the input: NaN there changes the result.  A
/// program with conditions (x == 0) is judged at a point nearby without round numbers, and not by NaN.
/// Evaluated by the interpreter, so no loop is compiled.
Comparison judge_gradients(const Program& program);

}  // namespace fuzz
