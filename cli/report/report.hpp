// SPDX-License-Identifier: MIT
#pragma once
#include "../../codegen/tuning/search/footprint.hpp"
#include "../../codegen/tuning/search/tune.hpp"

#include <string>
#include <utility>
#include <vector>

namespace frisket::cli {

/// A loop and what its calls took.
struct TimedLoop {
    std::string name;
    std::string is;             ///< a sentence, empty if the name says it
    std::vector<double> times;  ///< seconds
    double best_s() const;
};

/// Lower bound for the time of a call, from the memory that it must move.
struct MemoryLimit {
    double bytes = 0;      ///< in the cache lines that a call must move
    double bandwidth = 0;  ///< bytes a second of a triad, measured in the same race
};

/// The strategies with their default schedules, for one kind of mask.
struct MapCell {
    std::string pattern;
    double density;
    std::vector<TimedLoop> strategies = {};  ///< the fastest first
    std::string chosen = {};                 ///< strategy that a call chooses by itself
    std::string why_empty = {};              ///< why there can be no such mask
};

/// Elements that loops touch in a small piece of the mask.
struct Picture {
    Schedule schedule;
    codegen::Footprint footprint;
};

/// Something to do with a result: a sentence, and what to write.
struct NextStep {
    std::string sentence;
    std::vector<std::string> lines = {};
};

/// Everything that the page shows.
struct Report {
    std::string step;                                        ///< its instructions
    std::vector<std::pair<std::string, std::string>> facts;  ///< subject of the tuning, and the machine
    TuneResult result;
    std::vector<NextStep> next;
    MemoryLimit limit;
    /// The default's first, then the winner's if there is one, then others to compare with.
    std::vector<TimedLoop> loops;
    std::string about_loops_by_hand;
    std::vector<MapCell> map;  ///< every cell, or none
    std::string about_map;
    std::int64_t picture_rows = 0, picture_columns = 0;
    std::vector<bool> specified;
    std::vector<Picture> pictures;
    std::string why_no_pictures;
};

/// The report of an expression: the search alone.
Report report_of_expression(std::vector<std::pair<std::string, std::string>> operands,
                            const TuneResult& result);

/// The page, one file without scripts.
std::string page_of(const Report& report);

}  // namespace frisket::cli
