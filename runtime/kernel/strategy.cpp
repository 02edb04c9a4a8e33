// SPDX-License-Identifier: MIT
#include "strategy.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "../support/joined.hpp"
#include "../tensor/error.hpp"

namespace frisket {

namespace detail {

void refuse_strategy(Strategy strategy) {
    throw ScheduleError("strategy: number " + std::to_string(static_cast<int>(strategy)) +
                        " was cast to a strategy and is none: use one of " +
                        runtime::joined(strategies, &StrategyInfo::name));
}

}  // namespace detail

namespace {

/// Costs of a step that reads three arrays and writes two, all in memory; only their ratios matter.
/// Measured on x86-64 servers, over random elements, blocks and rows from 0.05 to 100 %.
constexpr double word_cost = 21;      // load, blend and store 64 elements, one word after another
constexpr double scan_cost = 1;       // look at a word
constexpr double start_cost = 35;     // the first word after a gap: a mispredicted branch
constexpr double gap_cost = 5;        // and for each word of the gap: memory that was not fetched ahead …
constexpr double most_start = 200;    // … up to the latency of memory
constexpr double list_cost = 2;       // make a list from a word that may have nothing to list
constexpr double element_cost = 2.4;  // find one position, bring its value into the list, and step it
constexpr std::int64_t few_runs = 4;  // which are walked without a look at the words between them

/// One cache line of each array, found through a list and fetched ahead.  Nearer than `near` lines apart the
/// hardware fetches those between as well; further away each waits for more of the way to memory.
struct LineCost {
    double near_cost, far_cost, per_root, most;
    double at(double gap) const {
        constexpr double near = 6;
        return gap < near ? near_cost : std::min(most, far_cost + per_root * std::sqrt(gap - near));
    }
};
constexpr LineCost gathered_line{.near_cost = 16, .far_cost = 10, .per_root = 2.8, .most = 40};
constexpr LineCost blended_line{.near_cost = 22, .far_cost = 8, .per_root = 2.7, .most = 45};

}  // namespace

FlatCosts costs_of(const MaskCounts& counts) {
    const double words = static_cast<double>(counts.words), any = static_cast<double>(counts.words_with_any);
    const double runs = static_cast<double>(counts.runs), specified = static_cast<double>(counts.specified);
    const double near = static_cast<double>(counts.near),
                 touched = static_cast<double>(counts.lines_with_any);
    const double gap = (words - any) / runs, line_gap = words * (64.0 / line_elements) / touched;
    const double scan = (counts.runs <= few_runs ? near : words) * scan_cost;
    return {
        .skip = scan + any * word_cost + runs * std::min(start_cost + gap * gap_cost, most_start),
        .blend = words * word_cost,
        .gather = near * list_cost + touched * gathered_line.at(line_gap) + specified * element_cost,
        .lines = near * list_cost + touched * blended_line.at(line_gap),
    };
}

Strategy choose(const MaskCounts& counts) {
    if (counts.words_with_any == 0) return Strategy::skip;
    const auto [skip, blend, gather, lines] = costs_of(counts);
    if (std::min(gather, lines) < std::min(blend, skip))
        return gather < lines ? Strategy::gather : Strategy::lines;
    return skip <= blend * 1.02 ? Strategy::skip : Strategy::blend;
}

std::string explained(const MaskCounts& counts) {
    const std::string words = "of " + std::to_string(counts.words) + " words of 64 elements ";
    if (counts.words_with_any == 0) return words + "none has one that is specified";
    const auto [skip, blend, gather, lines] = costs_of(counts);
    const auto cost = [](double units) { return std::to_string(static_cast<std::int64_t>(units)); };
    return words + std::to_string(counts.words_with_any) + " have specified ones, " +
           std::to_string(counts.specified) + " in " + std::to_string(counts.lines_with_any) +
           " lines; estimated costs: skip " + cost(skip) + ", blend " + cost(blend) + ", gather " +
           cost(gather) + ", lines " + cost(lines);
}

}  // namespace frisket
