// SPDX-License-Identifier: MIT
#pragma once
#include "program.hpp"

namespace fuzz {

/// Result of one comparison.
struct Comparison {
    std::string fault;       ///< empty: none
    bool is_error = false;   ///< both ways refused, in the same class
    std::int64_t exact = 0;  ///< elements with the same bits, or both NaN
    std::int64_t close = 0;  ///< within what free orders of sums explain
    std::int64_t uncertain =
        0;  ///< too little of it is certain to judge: what a comparison of inexact values gave
};

Engine interpreter();
Engine compiler();
/// The planner's stages with interpreted bodies.
Engine planner();

/// Compares the planner with the interpreter.
Comparison judge_plan(const Program& program);
/// Runs a program each way, and compiled with other poison and other layouts.
Comparison judge(const Program& program);

}  // namespace fuzz
