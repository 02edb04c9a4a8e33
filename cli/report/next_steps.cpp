// SPDX-License-Identifier: MIT
#include "../../codegen/tuning/records/database.hpp"
#include "html.hpp"
#include "measure.hpp"
#include "sections.hpp"

#include <array>
#include <cstdio>

namespace frisket::cli {

namespace {

/// "30", "1.5"
std::string plain(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", seconds);
    return text.data();
}

/// The ways to a schedule that a database keeps.
void add_uses(const TuneResult& result, const std::string& kept, Layout layout,
              std::vector<NextStep>& steps) {
    const bool is_usual = kept == codegen::default_tuning_path();
    const std::string option = is_usual ? "" : " --db " + shell_word(kept);
    steps.push_back({.sentence = "It is kept in " + kept +
                                 ". Programs on this machine that compile just in time take it "
                                 "from there" +
                                 (is_usual ? "; this lists it:" : " if the environment names that file:"),
                     .lines = {is_usual ? "frisket tuning ls"
                                        : "FRISKET_TUNING_DB=" + shell_word(kept) + " ./my_program"}});
    if (result.usual == Strategy::expression) return;
    const std::string of(name_of(layout));
    steps.push_back({.sentence = "Kernels ahead of time take it from a file, in CMake or by the command:",
                     .lines = {"frisket tuning export tuned.tsv" + option,
                               "frisket_add_kernels(my_kernels STEPS " + result.step +
                                   " FROM my_steps.hpp LAYOUTS " + of + " SCHEDULES tuned.tsv)",
                               "frisket build my_kernels --steps " + result.step +
                                   " --from my_steps.hpp --layouts " + of + " --schedules tuned.tsv"}});
}

}  // namespace

std::vector<NextStep> next_steps(const TuneResult& result, const std::string& kept, Layout layout,
                                 const SearchSettings& settings) {
    std::vector<NextStep> steps;
    if (result.schedule && !kept.empty()) add_uses(result, kept, layout, steps);
    if (result.schedule && kept.empty())
        steps.push_back(
            {.sentence = "It is kept nowhere, as no tuning database was named. To keep and use it:",
             .lines = {settings.command({{"--db", "tuning.db"}}),
                       "FRISKET_TUNING_DB=tuning.db ./my_program"}});
    if (!result.is_exhausted)
        steps.push_back(
            {.sentence = "There are more schedules than the budget let be tried. A longer search:",
             .lines = {settings.command({{"--budget", plain(settings.budget * 4)}})}});
    if (steps.empty())
        steps.push_back({.sentence = "Every schedule was tried, and calls take the default by themselves: "
                                     "there is nothing to do."});
    return steps;
}

std::string next_section(const Report& report) {
    std::string inner;
    for (const NextStep& step : report.next) {
        std::string lines;
        for (const std::string& line : step.lines) lines += html::escaped(line) + "\n";
        inner += html::paragraph(html::escaped(step.sentence));
        if (!lines.empty()) inner += "<pre>" + lines + "</pre>\n";
    }
    return html::section("What to do next", inner);
}

}  // namespace frisket::cli
