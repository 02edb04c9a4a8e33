// SPDX-License-Identifier: MIT
#include "strategy.hpp"

#include <algorithm>
#include <cmath>

namespace frisket {

namespace {

/// Nanoseconds of one core, for a step that reads three arrays and writes two.  Measured on x86-64
/// servers with the arrays in memory; only the ratios matter.
constexpr double word_cost = 21.0;    // load, blend and store 64 elements
constexpr double miss_cost = 12.0;    // one mispredicted branch of the walk over words
constexpr double line_cost = 8.0;     // one cache line of each array at a random place
constexpr double element_cost = 2.2;  // one element through the index list
constexpr double list_cost = 2.5;     // finding one position and bringing its value into the list

/// Expected number of distinct groups of `width` elements touched, when the specified elements of the
/// words with any are spread evenly over those words.
double groups_touched(const MaskCounts& counts, double width) {
    const double inside = static_cast<double>(counts.words_with_any) * 64;
    const double density = static_cast<double>(counts.specified) / inside;
    return inside / width * (1 - std::pow(1 - density, width));
}

}  // namespace

Strategy choose(const MaskCounts& counts) {
    if (counts.words_with_any == 0) return Strategy::skip;
    const double words = static_cast<double>(counts.words);
    const double any = static_cast<double>(counts.words_with_any);
    const double specified = static_cast<double>(counts.specified);
    const double share = any / words;
    // Words that are specified almost wholly come in runs, which branch predictors follow.
    const double scatter = 1 - specified / (any * 64);
    const double misses = words * 2 * share * (1 - share) * scatter;

    const double blend = words * word_cost;
    const double skip = any * word_cost + misses * miss_cost;
    const double gather = groups_touched(counts, 16) * line_cost + specified * (element_cost + list_cost);
    if (gather < std::min(blend, skip)) return Strategy::gather;
    return skip <= blend * 1.02 ? Strategy::skip : Strategy::blend;
}

}  // namespace frisket
