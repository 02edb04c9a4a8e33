// SPDX-License-Identifier: MIT
#pragma once
#include "tune_arguments.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Values of the options of a search.
struct SearchSettings {
    Pattern pattern;
    std::string database, report;
    double budget = 30, map = 15;
};

/// Adds --density, --pattern, --mask, --budget, --report, --map and --db.
void add_search_options(CLI::App& verb, SearchSettings& settings);

/// A step, and what it is called with.
struct StepToTune {
    Graph graph;
    NumbersOf numbers;
    DType dtype;  ///< dtype of the parameter
    Shape shape;
    std::string layout;
    std::string target;  ///< name in the table of targets; empty: the default
};

/// Looks for the step's fastest schedule, prints what was found, keeps it, and writes the page if one is
/// wanted.
void tune_step(const StepToTune& step, const SearchSettings& settings);

}  // namespace frisket::cli
