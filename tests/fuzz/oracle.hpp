// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// Result of one comparison.
struct Comparison {
    std::string fault;       ///< empty: none
    bool is_error = false;   ///< both ways refused, in the same class
    std::int64_t exact = 0;  ///< elements with the same bits, or both NaN
    std::int64_t close = 0;  ///< within the bounds of free orders of sums
    std::int64_t uncertain =
        0;  ///< too little of it is certain to judge: a result of a comparison of inexact values
    std::uint64_t hash = 0;  ///< hash of the results, but for the bits of NaN
};

/// Storage of the inputs of runs; the interpreter's result with the plainest storage is expected of all runs.
inline constexpr Storing as_program, as_other{.poison = Poison::signalling, .as = Storing::As::other},
    plain{.poison = Poison::zero, .as = Storing::As::plain};

Engine interpreter();
Engine compiler();
/// The planner's stages with interpreted bodies.
Engine planner();

/// Compares with the interpreter's results; with noise, where something differs.
Comparison compared(const Program& program, const Outcome& found, const Outcome& wanted);
/// Compares the planner with the interpreter.
Comparison judge_plan(const Program& program);
/// Runs a program each way, and compiled with other poison and other layouts.
Comparison judge(const Program& program);

}  // namespace fuzz
