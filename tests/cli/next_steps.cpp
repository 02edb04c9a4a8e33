// SPDX-License-Identifier: MIT
#include "../../cli/report/measure.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

namespace next_steps_test {

using namespace frisket;
using Lines = std::vector<std::string>;

namespace {

TuneResult found(bool is_exhausted) {
    TuneResult result;
    result.step = "adagrad";
    result.schedule = default_schedule(Strategy::skip);
    result.is_exhausted = is_exhausted;
    return result;
}

/// The lines of all steps for a result that is kept somewhere.
Lines lines_for(const TuneResult& result, const std::string& kept) {
    cli::SearchSettings settings;
    settings.command = [](const std::map<std::string, std::string>& changed) {
        std::string text = "command";
        for (const auto& [name, value] : changed) text += " " + name + " " + value;
        return text;
    };
    Lines lines;
    for (const cli::NextStep& step : cli::next_steps(result, kept, Layout::coo, settings)) {
        CHECK(!step.sentence.empty());
        lines.insert(lines.end(), step.lines.begin(), step.lines.end());
    }
    return lines;
}

}  // namespace

TEST_CASE("what is kept is used just in time and ahead of time by the commands of the page", "[cli]") {
    setenv("FRISKET_TUNING_DB", "/usual.db", 1);
    const Lines ahead{
        "frisket_add_kernels(my_kernels STEPS adagrad FROM my_steps.hpp LAYOUTS coo SCHEDULES tuned.tsv)",
        "frisket build my_kernels --steps adagrad --from my_steps.hpp --layouts coo --schedules tuned.tsv"};
    CHECK(lines_for(found(true), "/usual.db") ==
          Lines{"frisket tuning ls", "frisket tuning export tuned.tsv", ahead[0], ahead[1]});
    CHECK(lines_for(found(true), "/my own.db") == Lines{"FRISKET_TUNING_DB='/my own.db' ./my_program",
                                                        "frisket tuning export tuned.tsv --db '/my own.db'",
                                                        ahead[0], ahead[1]});
    TuneResult expression = found(true);
    expression.usual = Strategy::expression;
    CHECK(lines_for(expression, "/usual.db") == Lines{"frisket tuning ls"});
}

TEST_CASE("what is kept nowhere is kept by the same command, and a search that was cut short goes on",
          "[cli]") {
    CHECK(lines_for(found(false), "") == Lines{"command --db tuning.db",
                                               "FRISKET_TUNING_DB=tuning.db ./my_program",
                                               "command --budget 120"});
    TuneResult nothing = found(true);
    nothing.schedule.reset();
    CHECK(lines_for(nothing, "/usual.db").empty());
}

}  // namespace next_steps_test
