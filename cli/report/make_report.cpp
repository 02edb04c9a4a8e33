// SPDX-License-Identifier: MIT
#include "../../codegen/loops/schedule.hpp"
#include "../../codegen/loops/threads.hpp"
#include "../../codegen/tuning/records/database.hpp"
#include "../../codegen/tuning/records/machine.hpp"
#include "by_hand.hpp"
#include "measure.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace frisket::cli {

namespace {

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    char text[32] = "-";
    if (gmtime_r(&now, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    return text;
}

/// "30", "1.5"
std::string plain(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

std::string mask_text(const Subject& subject) {
    const Pattern& pattern = subject.pattern;
    if (!pattern.mask.empty()) return "of the file " + pattern.mask;
    return plain(pattern.density * 100) + " %, " + pattern.kind +
           (pattern.kind == "blocks" ? " of 16 by 16" : "");
}

}  // namespace

double TimedLoop::best_s() const { return times.empty() ? 0 : *std::ranges::min_element(times); }

NextSteps next_steps(const std::string& kept, Layout layout, const SearchSettings& settings) {
    return {.kept = kept,
            .is_usual_database = kept == codegen::default_tuning_path(),
            .layout = std::string(name_of(layout)),
            .keep_command = settings.command({{"--db", "tuning.db"}}),
            .longer_command = settings.command({{"--budget", plain(settings.budget * 4)}})};
}

Report make_report(const Subject& subject, const TuneResult& result, double map_seconds) {
    Report report;
    report.step = to_string(subject.step);
    report.result = result;
    report.facts = {{"step", subject.step.name},
                    {"shape", to_string(subject.shape)},
                    {"layout of the gradient", std::string(name_of(subject.layout))},
                    {"dtype of the parameter", std::string(info_of(subject.dtype).name)},
                    {"specified", mask_text(subject)},
                    {"kept for calls of", to_string(result.call)},
                    {"target", std::string(find_target({subject.target}).name)},
                    {"machine", codegen::machine_name()},
                    {"threads", std::to_string(codegen::thread_count())},
                    {"build", codegen::build_name()}};
    report.made = today();
    race_loops(subject, race_seconds, report);
    measure_map(subject, map_seconds, report);
    take_pictures(subject, report);
    return report;
}

Report report_of_expression(std::vector<std::pair<std::string, std::string>> operands,
                            const TuneResult& result) {
    Report report;
    for (const TuneResult::Key& key : result.keys) report.step += key.text + "\n";
    report.result = result;
    report.facts = std::move(operands);
    report.facts.insert(report.facts.begin(), {"expression", result.step});
    const std::vector<std::pair<std::string, std::string>> rest{
        {"kept for", "its graph, these layouts, and extents whose nearest powers of two are these"},
        {"target", result.target},
        {"machine", codegen::machine_name()},
        {"threads", std::to_string(codegen::thread_count())},
        {"build", codegen::build_name()}};
    report.facts.insert(report.facts.end(), rest.begin(), rest.end());
    report.made = today();
    return report;
}

}  // namespace frisket::cli
