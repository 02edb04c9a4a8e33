// SPDX-License-Identifier: MIT
#pragma once
#include "../search.hpp"
#include "../tune_arguments.hpp"
#include "report.hpp"

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

/// Uses of a result for tensors of a layout that is kept in the database `kept`, or nowhere if that is empty.
std::vector<NextStep> next_steps(const TuneResult& result, const std::string& kept, Layout layout,
                                 const SearchSettings& settings);

/// All of it, for what a search found.
Report make_report(const Subject& subject, const TuneResult& result, double map_seconds);

}  // namespace frisket::cli
