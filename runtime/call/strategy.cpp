// SPDX-License-Identifier: MIT
#include "strategy.hpp"

#include <algorithm>
#include <cmath>

namespace frisket {

namespace {

/// Costs of a step that reads three arrays and writes two, all in memory; only their ratios matter.
/// Measured on x86-64 servers, over random elements, blocks and rows from 0.05 to 50 %.
constexpr double word_cost = 21;    // load, blend and store 64 elements, one word after another
constexpr double start_cost = 35;   // the first word after a gap: a mispredicted branch
constexpr double gap_cost = 5;      // and for each word of the gap: what was not fetched ahead …
constexpr double most_start = 200;  // … up to the latency of memory
constexpr double line_cost = 11;    // one cache line of each array, found through a list
constexpr double element_cost = 3;  // one element of the list
constexpr double list_cost = 3;     // finding one position, and bringing its value into the list

/// Expected number of cache lines of 16 elements touched, when the specified elements of the words with
/// any are spread evenly over those words.
double lines_touched(const MaskCounts& counts) {
    constexpr double width = 16;
    const double inside = static_cast<double>(counts.words_with_any) * 64;
    const double density = static_cast<double>(counts.specified) / inside;
    return inside / width * (1 - std::pow(1 - density, width));
}

}  // namespace

Strategy choose(const MaskCounts& counts) {
    if (counts.words_with_any == 0) return Strategy::skip;
    const double words = static_cast<double>(counts.words), any = static_cast<double>(counts.words_with_any);
    const double runs = static_cast<double>(counts.runs), specified = static_cast<double>(counts.specified);

    const double blend = words * word_cost;
    const double gap = (words - any) / runs;
    const double skip = any * word_cost + runs * std::min(start_cost + gap * gap_cost, most_start);
    const double gather = lines_touched(counts) * line_cost + specified * (element_cost + list_cost);
    if (gather < std::min(blend, skip)) return Strategy::gather;
    return skip <= blend * 1.02 ? Strategy::skip : Strategy::blend;
}

}  // namespace frisket
