// SPDX-License-Identifier: MIT
#include "html.hpp"
#include "sections.hpp"

#include <algorithm>
#include <cmath>

namespace frisket::cli {

namespace {

std::string title_of(const Report& report) { return "Tuning " + report.result.step; }

/// The verdict in one sentence.
std::string verdict(const TuneResult& result) {
    if (!result.schedule)
        return "Nothing is confirmed to be faster than the default, " + html::code(name_of(result.usual)) +
               ", which takes " + html::duration(result.default_s) + ".";
    return html::code(to_string(*result.schedule)) + " is " + html::number(result.gain) +
           " times as fast as the default, " + html::code(name_of(result.usual)) + ": " +
           html::duration(result.best_s) + " a call instead of " + html::duration(result.default_s) + ".";
}

std::string facts(const Report& report) {
    html::Table table({});
    for (const auto& [name, text] : report.facts)
        table.row(
            {"<td class=\"name\">" + html::escaped(name) + "</td>", "<td>" + html::escaped(text) + "</td>"});
    const bool is_step = report.result.usual != Strategy::expression;
    return table.text() + html::details(is_step ? "The step's instructions" : "The instructions of its loops",
                                        "<pre>" + html::escaped(report.step) + "</pre>\n");
}

}  // namespace

double TimedLoop::best_s() const { return times.empty() ? 0 : *std::ranges::min_element(times); }

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto at = values.begin() + std::lround(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return *at;
}

std::string curve_section(const Report& report) {
    const std::vector<TunePoint>& points = report.result.curve;
    if (points.empty()) return html::section("Best so far", html::paragraph("Nothing was timed."));
    constexpr double width = 640, height = 150, edge = 4;
    const double end = std::max(report.result.spent_s, 1e-9), slowest = points.front().best_s;
    const auto x = [&](double spent) { return spent / end * width; };
    const auto y = [&](double best) { return height - edge - best / slowest * (height - 2 * edge); };
    html::Svg svg(width, height, "the best time so far over the seconds of the search, table below");
    svg.rect(0, 0, width, height, "track", 2);
    svg.line(0, y(slowest / 2), width, y(slowest / 2), "grid");
    const double usual = y(report.result.default_s);
    svg.line(0, usual, width, usual, "goal");
    std::string path;
    html::Table table(
        {{.head = "after", .is_number = true}, {.head = "shortest call so far", .is_number = true}});
    for (const TunePoint& point : points) {
        const std::string here = std::to_string(x(point.spent_s));
        path += path.empty() ? "M" + here + " " : "H" + here + "V";
        path += std::to_string(y(point.best_s));
        table.row({html::number(point.spent_s) + " s", html::duration(point.best_s)});
    }
    svg.path(path + "H" + std::to_string(width), "curve");
    const std::string plot = html::plot(
        svg, {.top = html::duration(slowest), .middle = html::duration(slowest / 2), .end = "0"},
        "shortest call", {.top = "0 s", .middle = "seconds of the search", .end = html::number(end) + " s"});
    return html::section(
        "Best so far",
        html::paragraph(
            "The shortest call so far over the seconds of the search, from the default's first calls on. "
            "Dashed: the default's shortest of all, " +
                html::duration(report.result.default_s) + ".",
            "soft") +
            plot + html::details("The points", table.text()));
}

std::string page_of(const Report& report) {
    std::string body = "<h1>" + html::escaped(title_of(report)) + "</h1>\n";
    body += html::paragraph(verdict(report.result));
    body += next_section(report);
    body += html::section("What was tuned", facts(report));
    for (const auto& section : {curve_section, candidates_section}) body += section(report);
    // Strategies and what they touch are of steps.
    if (report.result.usual != Strategy::expression)
        for (const auto& section : {limit_section, speedup_section, map_section, pictures_section})
            body += section(report);
    body += rejected_section(report);
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
           "content=\"width=device-width\">\n<title>frisket: " +
           html::escaped(title_of(report)) + "</title><style>\n" + html::style + "</style></head><body>\n" +
           body + "</body></html>\n";
}

}  // namespace frisket::cli
