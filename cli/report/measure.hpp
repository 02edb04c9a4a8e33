// SPDX-License-Identifier: MIT
// Lists the measurements of the tuner's page.
#pragma once
#include "../search.hpp"
#include "../tune_arguments.hpp"
#include "report.hpp"

namespace frisket::runtime {
class FileWriter;
}

namespace frisket::cli {

/// The step, data and target that were tuned.
struct Subject {
    const Graph& step;
    const NumbersOf& numbers;
    DType dtype;  ///< dtype of the parameter
    const Shape& shape;
    const Pattern& pattern;
    Layout layout;
    const std::string& target;
    std::span<const Argument> arguments;
};

/// The winner, the default and loops of others in one race of so many seconds, with the limit of memory.
void race_loops(const Subject& subject, double seconds, Report& report);

/// The strategies at some densities and patterns, within so many seconds.
void measure_map(const Subject& subject, double seconds, Report& report);

/// Takes pictures of the elements that the strategies touch in a small piece of the mask.
void take_pictures(const Subject& subject, Report& report);

/// Seconds of that race.
inline constexpr double race_seconds = 3;

/// Next steps for a result that is kept in the database `kept`, or nowhere if that is empty.
NextSteps next_steps(const std::string& kept, Layout layout, const SearchSettings& settings);

/// Path of a page's data: that of the page, with another extension.
std::string data_path(const std::string& page);

/// Writes a page's data, and has python3 draw the page.  Without python3 it prints the command that draws it.
/// Errors: IoError if a file cannot be written, or the page not be drawn.
void write_report(runtime::FileWriter& file, const SearchSettings& settings, const Report& report);

/// All of it, for what a search found.
Report make_report(const Subject& subject, const TuneResult& result, double map_seconds);

}  // namespace frisket::cli
