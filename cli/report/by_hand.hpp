// SPDX-License-Identifier: MIT
// Declares the contenders of the page that are loops by hand.
#pragma once
#include "../../ir/graph.hpp"
#include "../../runtime/kernel/argument.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace frisket::cli {

/// A function that is timed in turn with other functions.
struct Contender {
    std::string name, is;
    std::function<void()> run;
};

/// Adagrad of float32 as one writes it by hand for the layout of its gradient (cli/hand_loops), over memory
/// of its own, the simplest first; empty for other steps and layouts.
/// Errors: Bug if a loop writes other bytes than a compiled kernel.
std::vector<Contender> loops_by_hand(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket::cli
