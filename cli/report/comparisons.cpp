// SPDX-License-Identifier: MIT
#include "html.hpp"
#include "sections.hpp"

#include <algorithm>

namespace frisket::cli {

namespace {

/// The loop that others are compared with: the winner, or the default where it stays.
const TimedLoop& ours(const Report& report) { return report.loops[report.result.schedule ? 1 : 0]; }

std::string gigabytes(double bytes) { return html::number(bytes * 1e-9) + " GB"; }

}  // namespace

std::string limit_section(const Report& report) {
    const MemoryLimit& limit = report.limit;
    const double least_s = limit.bytes / limit.bandwidth;
    html::Table table({{.head = "loop"},
                       {.head = "shortest call", .is_number = true},
                       {.head = "useful bytes a second", .is_number = true},
                       {.head = "share of the limit", .is_number = true},
                       {.head = "from 0 to 100 %"}});
    for (const TimedLoop& loop : report.loops) {
        const double share = least_s / loop.best_s();
        table.row({html::escaped(loop.name), html::duration(loop.best_s()),
                   gigabytes(limit.bytes / loop.best_s()) + "/s", html::percent(share),
                   html::bar(share, "share", "share of the limit")});
    }
    return html::section(
        "Limit of memory",
        html::paragraph(
            "The cache lines of specified elements, each tensor that is written counted twice, the "
            "mask and lists are " +
            html::number(limit.bytes * 1e-6) + " MB; a triad in the same race moves " +
            gigabytes(limit.bandwidth) + "/s: a call that comes from memory takes " +
            html::duration(least_s) + " at least. What the caches hold may beat it.") +
            table.text());
}

std::string speedup_section(const Report& report) {
    const TimedLoop& winner = ours(report);
    html::Table table({{.head = "loop"},
                       {.head = "shortest call", .is_number = true},
                       {.head = "median", .is_number = true},
                       {.head = "speed-up, times", .is_number = true},
                       {.head = "what it is"}});
    for (const TimedLoop& loop : report.loops)
        table.row({html::escaped(loop.name), html::duration(loop.best_s()),
                   html::duration(quantile(loop.times, 0.5)), html::number(loop.best_s() / winner.best_s()),
                   html::escaped(loop.is)},
                  &loop == &winner ? "winner" : "");
    const std::string about =
        "How many times as fast the " + winner.name +
        " is as the others, by their shortest calls. All of them and the triad are called in turn, so that a "
        "call finds in the caches what another left: where they would hold the whole step, calls took less "
        "time above. ";
    return html::section("Speed-up",
                         html::paragraph(html::escaped(about + report.about_loops_by_hand)) + table.text());
}

namespace {

constexpr const char* impossible = "–";  // in a cell of the map

std::string cell_text(const MapCell& cell) {
    if (cell.strategies.empty()) return std::string("<td>") + impossible + "</td>";
    const TimedLoop& winner = cell.strategies.front();
    std::string text = html::escaped(winner.name) + "<br>" + html::duration(winner.best_s());
    const auto chosen = std::ranges::find(cell.strategies, cell.chosen, &TimedLoop::name);
    constexpr double worth_saying = 1.05;
    if (chosen != cell.strategies.end() && chosen->best_s() > worth_saying * winner.best_s())
        text += "<br><small>calls take " + html::escaped(cell.chosen) + ",<br>" +
                html::number(chosen->best_s() / winner.best_s()) + " times that</small>";
    return "<td class=\"strategy " + winner.name + "\">" + text + "</td>";
}

std::string all_times(const std::vector<MapCell>& map) {
    html::Table table({{.head = "pattern of the mask"},
                       {.head = "specified", .is_number = true},
                       {.head = "strategies, each with its shortest call"}});
    for (const MapCell& cell : map) {
        std::string times;
        for (const TimedLoop& loop : cell.strategies)
            times += (times.empty() ? "" : ", ") + loop.name + " " + html::duration(loop.best_s());
        if (!times.empty()) table.row({html::escaped(cell.pattern), html::density(cell.density), times});
    }
    return table.text();
}

/// A row for each pattern, a column for each density.
std::string map_table(const std::vector<MapCell>& map) {
    std::vector<std::string> heads{"pattern of the mask"};
    for (const MapCell& cell : map)
        if (cell.pattern == map.front().pattern) heads.push_back(html::density(cell.density) + " specified");
    std::vector<html::Column> columns;
    columns.reserve(heads.size());
    for (const std::string& head : heads) columns.push_back({.head = head});
    html::Table table(columns);
    std::vector<std::string> cells;
    for (const MapCell& cell : map) {
        if (cells.empty()) cells.push_back(html::escaped(cell.pattern));
        cells.push_back(cell_text(cell));
        if (cells.size() < heads.size()) continue;
        table.row(cells);
        cells.clear();
    }
    return table.text();
}

}  // namespace

std::string map_section(const Report& report) {
    const char* const title = "Which strategy wins where";
    std::string inner = html::paragraph(html::escaped(report.about_map));
    if (report.map.empty()) return html::section(title, inner);
    const auto why =
        std::ranges::find_if(report.map, [](const MapCell& cell) { return !cell.why_empty.empty(); });
    std::string legend = "In a cell: the fastest strategy, and its shortest call.";
    if (why != report.map.end()) legend += std::string(" ") + impossible + ": " + why->why_empty + ".";
    inner += html::paragraph(html::escaped(legend), "soft") + map_table(report.map);
    return html::section(title, inner + html::details("Every strategy", all_times(report.map)));
}

}  // namespace frisket::cli
