// SPDX-License-Identifier: MIT
// Prints a step at a stage of its way to loops.
#pragma once
#include "../ir/graph.hpp"

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Values of the options with which a step is shown.
struct ShowOptions {
    std::string stage = "graph", strategy;
    std::string layout;  ///< layout of the Masked symbols
    std::string target;  ///< name in the table of targets; empty: the default
    std::string svg;     ///< a file for a picture of the graph and the plan; empty: none
};

/// Adds --stage and --strategy.
void add_show_options(CLI::App& verb, ShowOptions& options);

/// The stages that --stage takes, a line each.
std::string stages_text();

/// Prints a step at a stage of its way to loops: of steps with shapes what is computed first, and the
/// elementwise steps after it.
/// Errors: ValueError, ScheduleError, LayoutError beginning with "show" for what there is not.
void show_step(const Graph& step, const ShowOptions& options);

}  // namespace frisket::cli
