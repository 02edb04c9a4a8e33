// SPDX-License-Identifier: MIT
#include "../../codegen/loops/schedule.hpp"
#include "../../codegen/loops/threads.hpp"
#include "../../codegen/tuning/records/machine.hpp"
#include "by_hand.hpp"
#include "html.hpp"
#include "measure.hpp"

#include <algorithm>
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

std::string mask_text(const Subject& subject) {
    const Pattern& pattern = subject.pattern;
    if (!pattern.mask.empty()) return "of the file " + pattern.mask;
    return html::density(pattern.density) + ", " + pattern.kind +
           (pattern.kind == "blocks" ? " of 16 by 16" : "");
}

std::string search_text(const TuneResult& result) {
    return std::to_string(result.candidates.size()) + " candidates in " + html::number(result.spent_s) +
           " s" +
           (result.is_exhausted ? ", all that there are" : "; there are more, which a larger budget tries");
}

}  // namespace

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
                    {"build", codegen::build_name()},
                    {"search", search_text(result)},
                    {"made", today()}};
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
        {"build", codegen::build_name()},
        {"search", search_text(result)},
        {"made", today()}};
    report.facts.insert(report.facts.end(), rest.begin(), rest.end());
    return report;
}

}  // namespace frisket::cli
