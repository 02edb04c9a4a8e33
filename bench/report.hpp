// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "measure.hpp"

namespace bench {

/// Options of every benchmark program: [SECONDS] [all] [--json FILE].
struct Options {
    double seconds = 1;  ///< duration of each race
    bool all = false;    ///< more cases
    std::string json;    ///< a line for each row is added to this file; empty: none
};

/// Errors: ends the program with a sentence.
Options options_of(int argc, char** argv);

/// One case, as the table has it.
struct Case {
    std::string workload;
    std::string what;
    double goal = 1.1;  ///< time by the best other's
    double goal_s = 0;  ///< a time instead, if not 0
    double bytes = 0;   ///< in cache lines that must move; 0: not bound by memory
    int calls = 1;      ///< in one run of a contender
};

/// Prints ratios, and keeps them for report.py.
class Ratios {
public:
    /// Measures the bandwidth that shares of the limit refer to.
    explicit Ratios(const Options& options);

    /// The first contender, frisket, against the best of the others.
    void race(const Case& row, std::vector<Contender> contenders) const;

private:
    void print(const Case& row, const std::vector<Contender>& contenders, const Contender& best) const;
    void keep(const Case& row, const Contender& ours, const Contender& best) const;
    double share_of_limit(const Case& row, double seconds) const;

    Options options_;
    double bandwidth_;  // bandwidth of a triad, bytes a second
};

}  // namespace bench
