// SPDX-License-Identifier: MIT
// Runs the search for a schedule, and prints what it finds.
#pragma once
#include "../dsl/graph_emitter.hpp"
#include "tune_arguments.hpp"

#include <functional>
#include <map>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Values of the options of a search.
struct SearchSettings {
    Pattern pattern;
    std::string database, report;
    std::string page_script;  ///< path of bench/report.py, which draws the page
    double budget = 30, map = 15;
    /// The command that these settings come from, with other values of some options, which it may lack:
    /// "frisket tune adagrad --budget 60".
    std::function<std::string(const std::map<std::string, std::string>& changed)> command;
};

/// A word as a shell reads it: in quotes where it must be.
std::string shell_word(const std::string& word);

/// Adds --density, --pattern, --mask, --budget, --report, --map and --db.
void add_search_options(CLI::App& verb, SearchSettings& settings);

/// A step, and its arguments.
struct StepToTune {
    Graph graph;
    NumbersOf numbers;
    DType dtype;  ///< dtype of the parameter
    Shape shape;
    std::string layout;
    std::string target;  ///< name in the table of targets; empty: the default
};

/// An expression of symbols, and their operands.
struct ExpressionToTune {
    std::string name;
    ir::Value (*emit)(GraphEmitter& emitter);
    Shape shape;                          ///< shape of the tensors that `shapes` does not name
    std::map<std::string, Shape> shapes;  ///< shapes of symbols
    std::vector<optim::Number> numbers;   ///< values of Scalars; others are 1
    std::string layout;                   ///< layout of the Masked symbols
    std::string target;                   ///< name in the table of targets; empty: the default
};

/// Looks for the schedule with which an expression is evaluated fastest, prints what was found, keeps it, and
/// writes the page if one is wanted.
void tune_expression(const ExpressionToTune& expression, const SearchSettings& settings);

/// Looks for the step's fastest schedule, prints what was found, keeps it, and writes the page if one is
/// wanted.
void tune_step(const StepToTune& step, const SearchSettings& settings);

}  // namespace frisket::cli
