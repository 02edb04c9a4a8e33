// SPDX-License-Identifier: MIT
#include "search.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace frisket::cli {

namespace {

/// Refuses what is no time of at least so many seconds and at most a year.
CLI::Validator seconds(double least) {
    constexpr double most = 365.0 * 24 * 60 * 60;
    const auto fault = [least](const std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return "";
        return text + " is no time: wanted seconds, " + (least > 0 ? "above 0" : "0 or more");
    };
    return {fault, "", "seconds"};
}

}  // namespace

void add_search_options(CLI::App& verb, SearchSettings& settings) {
    verb.add_option("--density", settings.pattern.density, "share of what is specified")
        ->capture_default_str();
    verb.add_option("--pattern", settings.pattern.kind,
                    "random, rows or blocks (of 16 by 16); random unless the layout is rows");
    verb.add_option("--mask", settings.pattern.mask, "a mask of one's own, a bool .npy file of that shape");
    verb.add_option("--budget", settings.budget, "seconds")->check(seconds(1e-3))->capture_default_str();
    verb.add_option("--report", settings.report, "a page of what was found, written to this file");
    verb.add_option("--map", settings.map, "seconds for the page's map of strategies, besides the budget")
        ->check(seconds(0))
        ->capture_default_str();
    verb.add_option("--db", settings.database, "the database, or off");
}

}  // namespace frisket::cli
