// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <nlohmann/json.hpp>

/// JSON of the structs of a report, as bench/tuning_page.py reads it.
namespace frisket {

using Json = nlohmann::ordered_json;

static void to_json(Json& to, const Paired& pairs) {
    to = {{"ratio", pairs.ratio}, {"low", pairs.low}, {"high", pairs.high}};
}

static void to_json(Json& to, const Candidate& candidate) {
    to = {{"schedule", to_string(candidate.schedule)},
          {"times_s", candidate.times},
          {"left_after", candidate.left_after},
          {"pairs", candidate.pairs ? Json(*candidate.pairs) : Json()},
          {"rejected", candidate.rejected}};
}

static void to_json(Json& to, const RefusedSchedule& refused) {
    to = {{"schedule", to_string(refused.schedule)}, {"why", refused.why}};
}

static void to_json(Json& to, const TunePoint& point) { to = Json::array({point.spent_s, point.best_s}); }

namespace cli {

static void to_json(Json& to, const TimedLoop& loop) {
    to = {{"name", loop.name}, {"is", loop.is}, {"times_s", loop.times}};
}

static void to_json(Json& to, const MapCell& cell) {
    to = {{"pattern", cell.pattern},
          {"density", cell.density},
          {"strategies", Json::array()},
          {"chosen", cell.chosen},
          {"why_empty", cell.why_empty}};
    for (const TimedLoop& loop : cell.strategies)
        to["strategies"].push_back(Json::array({loop.name, loop.best_s()}));
}

static std::string bits_of(const std::vector<bool>& set) {
    std::string bits;
    for (const bool is_set : set) bits += is_set ? '1' : '0';
    return bits;
}

static void to_json(Json& to, const Picture& picture) {
    to = {{"schedule", to_string(picture.schedule)},
          {"strategy", name_of(picture.schedule.strategy)},
          {"loaded", bits_of(picture.footprint.loaded)},
          {"stored", bits_of(picture.footprint.stored)},
          {"read", picture.footprint.read}};
}

static void to_json(Json& to, const NextSteps& next) {
    to = {{"kept", next.kept},
          {"is_usual_database", next.is_usual_database},
          {"layout", next.layout},
          {"keep_command", next.keep_command},
          {"longer_command", next.longer_command}};
}

/// Measurements of other loops, masks and memory, for steps.
static void add_measurements(const Report& report, Json& to) {
    to["loops"] = report.loops;
    to["about_loops_by_hand"] = report.about_loops_by_hand;
    to["limit"] = {{"bytes", report.limit.bytes}, {"bytes_a_second", report.limit.bandwidth}};
    to["about_map"] = report.about_map;
    to["map"] = report.map;
    to["pictures"] = {{"rows", report.picture_rows},
                      {"columns", report.picture_columns},
                      {"specified", bits_of(report.specified)},
                      {"loops", report.pictures},
                      {"why_none", report.why_no_pictures}};
}

std::string data_of(const Report& report) {
    const TuneResult& result = report.result;
    const bool is_expression = result.usual == Strategy::expression;
    Json data{{"document", "frisket tuning 1"},
              {"step", result.step},
              {"is_expression", is_expression},
              {"instructions", report.step},
              {"facts", report.facts},
              {"made", report.made},
              {"next", report.next},
              {"default",
               {{"strategy", name_of(result.usual)},
                {"shortest_s", result.default_s},
                {"times_s", result.default_times}}},
              {"found", nullptr},
              {"default_against_itself", result.against_itself},
              {"spent_s", result.spent_s},
              {"is_exhausted", result.is_exhausted},
              {"curve", result.curve},
              {"candidates", result.candidates},
              {"refused", result.refused}};
    if (result.schedule)
        data["found"] = {
            {"schedule", to_string(*result.schedule)}, {"shortest_s", result.best_s}, {"gain", result.gain}};
    if (!is_expression) add_measurements(report, data);
    // Paths need not be UTF-8.
    return data.dump(1, '\t', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cli

}  // namespace frisket
