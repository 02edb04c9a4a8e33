// SPDX-License-Identifier: MIT
// Defines the data of the tuner's page.
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

/// Values in the sentences and commands that the page gives for a result.
struct NextSteps {
    std::string kept;                ///< path of the database that keeps the result; empty: none
    bool is_usual_database = false;  ///< true if programs read that database by themselves
    std::string layout;              ///< name of the gradient's layout
    std::string keep_command;        ///< command of the search, with a database
    std::string longer_command;      ///< command of the search, with more time
};

/// Everything that the page shows.
struct Report {
    std::string step;                                        ///< its instructions
    std::vector<std::pair<std::string, std::string>> facts;  ///< subject of the tuning, and the machine
    std::string made;                                        ///< date and time
    TuneResult result;
    NextSteps next;
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

/// The report of an expression: only the search.
Report report_of_expression(std::vector<std::pair<std::string, std::string>> operands,
                            const TuneResult& result);

/// Data of the page, a JSON document that bench/report.py draws.
std::string data_of(const Report& report);

}  // namespace frisket::cli
