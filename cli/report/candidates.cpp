// SPDX-License-Identifier: MIT
#include "html.hpp"
#include "sections.hpp"

#include <algorithm>
#include <map>

namespace frisket::cli {

namespace {

/// A row of the table: a candidate, or the default as calls run it.
struct Row {
    std::string name, became;
    const std::vector<double>* times;
    bool is_winner = false;
};

std::string pairs_text(const Paired& pairs) {
    return html::number(pairs.ratio) + " (" + html::number(pairs.low) + "–" + html::number(pairs.high) + ")";
}

std::string became(const Candidate& candidate, bool is_winner) {
    if (candidate.pairs) return (is_winner ? "taken: " : "not taken: ") + pairs_text(*candidate.pairs);
    if (candidate.left_after > 0) return "slower after round " + std::to_string(candidate.left_after);
    return "in the race to its end";
}

/// From the shortest call to the upper quartile, as a box of quartiles with its median.
class Boxes {
public:
    Boxes(double widest_s, double band_low_s, double band_high_s)
        : widest_s_(widest_s), low_s_(band_low_s), high_s_(band_high_s) {}

    std::string box(const std::vector<double>& times) const {
        constexpr double height = 16, middle = height / 2, least = 1.5;
        html::Svg svg(width, height, "spread of the times in this row");
        svg.rect(0, 0, width, height, "track", 2);
        svg.rect(x(low_s_), 0, x(high_s_) - x(low_s_), height, "band");
        const double first = x(quantile(times, 0.25)), half = x(quantile(times, 0.5)),
                     third = x(quantile(times, 0.75));
        svg.line(x(quantile(times, 0)), middle, third, middle, "whisker");
        svg.rect(std::min(first, width - least), 3, std::max(third - first, least), height - 6, "share", 1);
        svg.line(half, 2, half, height - 2, "median");
        return svg.text();
    }
    /// The head of the column of boxes: their axis.
    std::string axis() const { return "calls, from 0 to " + html::duration(widest_s_); }

private:
    static constexpr double width = 170;
    double x(double seconds) const { return std::clamp(seconds / widest_s_, 0.0, 1.0) * width; }
    double widest_s_, low_s_, high_s_;
};

constexpr const char* about =
    "Sorted by the shortest call. The box is from the lower to the upper quartile of a candidate's calls, "
    "its "
    "line the median, and the whisker begins at the shortest call";
constexpr const char* about_pairs =
    ". The fastest are then called in turn with the default: the last column has the median of the default's "
    "time by theirs, and its quartiles. One is taken if by that it is faster by 5 % and by more than the "
    "default differs from itself.";

std::string table_of(std::span<const Row> rows, const Boxes& boxes) {
    const std::string axis = boxes.axis();
    html::Table table({{.head = "schedule"},
                       {.head = axis},
                       {.head = "shortest", .is_number = true},
                       {.head = "25 %", .is_number = true},
                       {.head = "median", .is_number = true},
                       {.head = "75 %", .is_number = true},
                       {.head = "calls", .is_number = true},
                       {.head = "what became of it"}});
    for (const Row& row : rows) {
        std::vector<std::string> cells{row.name, boxes.box(*row.times)};
        for (const double share : {0.0, 0.25, 0.5, 0.75})
            cells.push_back(html::duration(quantile(*row.times, share)));
        cells.push_back(std::to_string(row.times->size()));
        cells.push_back("<td class=\"line\">" + row.became + "</td>");
        table.row(cells, row.is_winner ? "winner" : "");
    }
    return table.text();
}

/// The fastest first.
std::vector<Row> rows_of(const TuneResult& result) {
    std::vector<Row> rows;
    if (!result.default_times.empty())
        rows.push_back({.name = "the default, " + html::code(name_of(result.usual)),
                        .became = "taken without tuning",
                        .times = &result.default_times});
    for (const Candidate& candidate : result.candidates) {
        if (candidate.times.empty() || !candidate.rejected.empty()) continue;
        const bool is_winner = result.schedule && candidate.schedule == *result.schedule && candidate.pairs;
        rows.push_back({.name = html::code(to_string(candidate.schedule)),
                        .became = became(candidate, is_winner),
                        .times = &candidate.times,
                        .is_winner = is_winner});
    }
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return quantile(*row.times, 0); });
    return rows;
}

/// Summary of the candidates that left the race, by its rounds.
std::string slower_text(const TuneResult& result) {
    std::map<int, int> left;
    int untimed = 0;
    for (const Candidate& candidate : result.candidates) {
        if (!candidate.rejected.empty()) continue;
        if (candidate.left_after > 0) ++left[candidate.left_after];
        untimed += static_cast<int>(candidate.times.empty());
    }
    std::string text;
    for (const auto& [round, count] : left)
        text += (text.empty() ? "Slower ones left the race: " : ", ") + std::to_string(count) +
                " after round " + std::to_string(round);
    if (!text.empty()) text += ". ";
    if (untimed > 0)
        text += std::to_string(untimed) + " came too late for the race: a larger budget has time for them. ";
    return text;
}

}  // namespace

std::string candidates_section(const Report& report) {
    const TuneResult& result = report.result;
    const std::vector<Row> rows = rows_of(result);
    if (rows.empty()) return html::section("Candidates", html::paragraph("None was timed."));
    // Times much longer than the default's are cut off, so that near ones can be told apart.
    const double usual = quantile(result.default_times, 0.5);
    const double widest = std::max(usual, quantile(*rows[0].times, 0.5)) * 2;
    const Paired& itself = result.against_itself;
    const Boxes boxes(widest, usual * itself.low, usual * itself.high);
    constexpr std::size_t shown = 20;
    const std::span<const Row> all(rows);
    std::string inner = html::paragraph(
        std::string(about) + ". The band is what the default varies by against itself, in pairs of calls: " +
            pairs_text(itself) + about_pairs,
        "soft");
    inner += table_of(all.first(std::min(shown, all.size())), boxes);
    if (all.size() > shown)
        inner += html::details("The other " + std::to_string(all.size() - shown),
                               table_of(all.subspan(shown), boxes));
    return html::section("Candidates", inner);
}

std::string rejected_section(const Report& report) {
    const TuneResult& result = report.result;
    html::Table wrong({{.head = "schedule"}, {.head = "why it may not be used"}});
    for (const Candidate& candidate : result.candidates)
        if (!candidate.rejected.empty())
            wrong.row({html::code(to_string(candidate.schedule)), html::escaped(candidate.rejected)});
    html::Table illegal({{.head = "schedule"}, {.head = "why there is none"}});
    for (const RefusedSchedule& refused : result.refused)
        illegal.row({html::code(to_string(refused.schedule)), html::escaped(refused.why)});
    std::string inner =
        html::paragraph(!wrong.is_empty() ? "Wrong bytes:"
                        : result.usual == Strategy::expression
                            ? "Every candidate that was compiled gave the default's bytes."
                            : "Every candidate that was compiled gave the interpreter's bytes.");
    if (!wrong.is_empty()) inner += wrong.text();
    inner +=
        html::paragraph(slower_text(result) +
                        (result.is_exhausted ? "There are no other schedules."
                                             : "There are more schedules than the budget let be tried."));
    if (!illegal.is_empty())
        inner += html::details("Illegal combinations of knobs: " + std::to_string(result.refused.size()),
                               illegal.text());
    return html::section("Rejected candidates", inner);
}

}  // namespace frisket::cli
