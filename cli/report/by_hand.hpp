// SPDX-License-Identifier: MIT
#pragma once
#include "../../dsl/graph.hpp"
#include "../../runtime/argument.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace frisket::cli {

/// A loop that somebody wrote in C++.
struct HandLoop {
    std::string name, is;
    std::function<void()> run;
};

/// Adagrad of float32 as one writes it in plain C++ for the layout of its gradient, over memory of its own;
/// the first is what one writes first.  Of other steps and layouts there is none.
/// Errors: Bug if one gives other bytes than a compiled kernel.
std::vector<HandLoop> loops_by_hand(const Graph& step, std::span<const Argument> arguments);

}  // namespace frisket::cli
