// SPDX-License-Identifier: MIT
#include "schedule.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <ranges>

#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"
#include "../limits.hpp"

namespace frisket {

namespace {

constexpr unsigned set_of(std::initializer_list<Strategy> strategies) {
    unsigned set = 0;
    for (const Strategy strategy : strategies) set |= 1U << static_cast<int>(strategy);
    return set;
}
/// The strategies whose rows are so.
constexpr unsigned set_where(bool (*is_so)(const StrategyInfo&)) {
    unsigned set = 0;
    for (const StrategyInfo& row : strategies)
        if (is_so(row)) set |= 1U << static_cast<int>(row.strategy);
    return set;
}
constexpr unsigned flat =
    set_where([](const StrategyInfo& row) { return row.loop.values == ArrayForm::tiles; });
constexpr unsigned tests_tiles = flat & set_where([](const StrategyInfo& row) { return row.walks_domain; });
constexpr unsigned of_devices = set_of({Strategy::strided_bits, Strategy::strided_lists});
constexpr unsigned by_row =
    set_where([](const StrategyInfo& row) {
        return row.loop.values == ArrayForm::rows || row.loop.values == ArrayForm::strided;
    }) &
    ~of_devices;
constexpr unsigned lists =
    set_where([](const StrategyInfo& row) { return !row.loop.list.empty(); }) & ~(flat | by_row);
constexpr unsigned short_vectors =
    lists & set_where([](const StrategyInfo& row) { return row.loop.listed == ArrayForm::none; });
constexpr unsigned all_of_them = (1U << strategy_count) - 1;
constexpr unsigned expressions = 1U << static_cast<int>(Strategy::expression);

constexpr std::string_view tails[] = {"guard", "predicate"}, stages[] = {"fused", "apart"};

constexpr Knob table[] = {
    {.name = "tile",
     .least = 64,
     .most = 512,
     .means = "elements that one test of the mask decides about",
     .strategies = tests_tiles,
     .get = [](const Schedule& s) { return s.tile; },
     .set = [](Schedule& s, int value) { s.tile = value; }},
    {.name = "vector",
     .least = 1,
     .most = 64,
     .means = "elements of a vector",
     .strategies = flat | by_row | short_vectors | expressions,
     .get = [](const Schedule& s) { return s.vector; },
     .set = [](Schedule& s, int value) { s.vector = value; }},
    {.name = "unroll",
     .least = 1,
     .most = 16,
     .means = "vectors (of gather: entries of the list) that one turn of the inner loop takes",
     .strategies = flat | lists | set_of({Strategy::rows}),
     .get = [](const Schedule& s) { return s.unroll; },
     .set = [](Schedule& s, int value) { s.unroll = value; }},
    {.name = "grain",
     .least = 64,
     .most = limits::most_grain,
     .means = "elements (of gather: entries of the list) of a parallel task",
     .strategies = flat | lists | set_of({Strategy::strided}) | expressions,
     .get = [](const Schedule& s) { return s.grain; },
     .set = [](Schedule& s, int value) { s.grain = value; }},
    {.name = "tail",
     .least = 0,
     .most = 1,
     .means = "how a row ends: guard, element after element, or predicate, one vector with predicates",
     .strategies = by_row,
     .get = [](const Schedule& s) { return static_cast<int>(s.tail); },
     .set = [](Schedule& s, int value) { s.tail = static_cast<Tail>(value); },
     .words = tails},
    {.name = "block",
     .least = least_block,
     .most = most_block,
     .means = "elements that a block of threads takes, on devices alone",
     .strategies = all_of_them,
     .get = [](const Schedule& s) { return s.block; },
     .set = [](Schedule& s, int value) { s.block = value; }},
    {.name = "product_vectors",
     .least = 1,
     .most = 4,
     .means = "vectors of a row of a tile of a matrix product",
     .strategies = expressions,
     .get = [](const Schedule& s) { return s.product_vectors; },
     .set = [](Schedule& s, int value) { s.product_vectors = value; }},
    {.name = "product_rows",
     .least = 1,
     .most = 16,
     .means = "rows of a tile of a matrix product",
     .strategies = expressions,
     .get = [](const Schedule& s) { return s.product_rows; },
     .set = [](Schedule& s, int value) { s.product_rows = value; }},
    {.name = "transposed_columns",
     .least = 16,
     .most = 256,
     .means = "columns of a tile where an operand is transposed",
     .strategies = expressions,
     .get = [](const Schedule& s) { return s.transposed_columns; },
     .set = [](Schedule& s, int value) { s.transposed_columns = value; }},
    {.name = "transposed_rows",
     .least = 4,
     .most = 64,
     .means = "rows of a tile where an operand is transposed",
     .strategies = expressions,
     .get = [](const Schedule& s) { return s.transposed_rows; },
     .set = [](Schedule& s, int value) { s.transposed_rows = value; }},
    {.name = "inlined",
     .least = 1,
     .most = 2048,
     .means = "operations up to which a value is made again for each of its readers, and not stored",
     .strategies = expressions,
     .get = [](const Schedule& s) { return s.inlined; },
     .set = [](Schedule& s, int value) { s.inlined = value; }},
    {.name = "row_stages",
     .least = 0,
     .most = 1,
     .means = "fused, all stages of some rows after one another, or apart, each stage for all rows",
     .strategies = expressions,
     .get = [](const Schedule& s) { return static_cast<int>(s.row_stages); },
     .set = [](Schedule& s, int value) { s.row_stages = static_cast<RowStages>(value); },
     .words = stages},
};

/// "vector=1 to 64 by powers of two", or "tail=guard or predicate".
std::string range_of(const Knob& knob) {
    const std::string name(knob.name);
    if (!knob.words.empty()) return name + "=" + runtime::joined(knob.words, std::identity(), " or ");
    return name + "=" + std::to_string(knob.least) + " to " + std::to_string(knob.most) + " by powers of two";
}

/// "tile=64 to 512 by powers of two (elements that …); …"
std::string legal_knobs(Strategy strategy) {
    const auto is_its = [strategy](const Knob& knob) { return has(strategy, knob); };
    const auto text = [](const Knob& knob) { return range_of(knob) + " (" + std::string(knob.means) + ")"; };
    return runtime::joined(table | std::views::filter(is_its), text, "; ");
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw ScheduleError("schedule \"" + std::string(text) + "\": " + why);
}

Strategy parse_strategy(std::string_view text, std::string_view word) {
    const auto found = std::ranges::find(strategies, word, &StrategyInfo::name);
    if (found != std::end(strategies)) return found->strategy;
    if (word == name_of(Strategy::expression)) return Strategy::expression;
    refuse(text, "it begins with \"" + std::string(word) +
                     "\", wanted a strategy: " + runtime::joined(strategies, &StrategyInfo::name) +
                     "; for an expression: " + std::string(name_of(Strategy::expression)));
}

int parse_value(std::string_view text, const Knob& knob, std::string_view word) {
    const auto found = std::ranges::find(knob.words, word);
    if (found != knob.words.end()) return static_cast<int>(found - knob.words.begin());
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_number = error == std::errc() && end == word.data() + word.size() && knob.words.empty();
    const bool is_legal = is_number && value >= knob.least && value <= knob.most &&
                          std::has_single_bit(static_cast<unsigned>(value));
    if (!is_legal)
        refuse(text, std::string(knob.name) + " is \"" + std::string(word) + "\", wanted " + range_of(knob));
    return value;
}

void parse_knob(std::string_view text, std::string_view word, Schedule& schedule) {
    const auto equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const auto knob = std::ranges::find(table, name, &Knob::name);
    if (knob == std::end(table) || !has(schedule.strategy, *knob))
        refuse(text, std::string(name_of(schedule.strategy)) + " has no knob \"" + std::string(name) +
                         "\": it takes " + legal_knobs(schedule.strategy));
    knob->set(schedule, parse_value(text, *knob, word.substr(std::min(equals + 1, word.size()))));
}

bool has_tiles(const Schedule& schedule) {
    return info_of(schedule.strategy).loop.values == ArrayForm::tiles;
}

/// Refuses values of knobs that exclude each other.
void check_together(std::string_view text, const Schedule& schedule) {
    const int lanes = std::max(schedule.vector, 1) * std::max(schedule.unroll, 1);
    if (has_tiles(schedule) && lanes > 64)
        refuse(text, "vector=" + std::to_string(schedule.vector) +
                         " times unroll=" + std::to_string(schedule.unroll) + " is " + std::to_string(lanes) +
                         " elements, a word of the mask has 64: give less of one");
    if (schedule.strategy == Strategy::lines && schedule.vector > line_elements)
        refuse(text, "vector=" + std::to_string(schedule.vector) + " is more than a line has: give " +
                         std::to_string(line_elements) + " or less");
    if (has_tiles(schedule) && schedule.grain < schedule.tile)
        refuse(text, "grain=" + std::to_string(schedule.grain) + " is less than tile=" +
                         std::to_string(schedule.tile) + ": a task is one tile or more");
}

}  // namespace

std::span<const Knob> knobs() { return table; }

bool has(Strategy strategy, const Knob& knob) {
    return (knob.strategies >> static_cast<int>(info_of(strategy).strategy) & 1) != 0;
}

Schedule default_schedule(Strategy strategy) {
    Schedule schedule{.strategy = strategy};
    // An entry of a list costs more than an element of a vector.
    if (strategy == Strategy::gather) schedule.grain = 4096;
    if (strategy == Strategy::expression) schedule.grain = 0;
    // Calls hand masks to the threads part by part (runtime/iterate/tiles.cpp): a part is one task.
    if (info_of(strategy).loop.values == ArrayForm::tiles && strategy != Strategy::dense)
        schedule.grain = 1 << 18;
    return schedule;
}

Schedule resolved(Schedule schedule, int lanes) {
    const auto fill = [&](std::string_view name, int value) {
        const Knob& knob = *std::ranges::find(table, name, &Knob::name);
        if (has(schedule.strategy, knob) && knob.get(schedule) == 0) knob.set(schedule, value);
    };
    fill("vector", schedule.strategy == Strategy::lines ? std::min(lanes, line_elements) : lanes);
    fill("unroll", has_tiles(schedule) ? std::max(1, 64 / schedule.vector) : 1);
    return schedule;
}

bool has_device_loops(Strategy strategy) {
    constexpr unsigned of_processors = set_of({Strategy::bytes, Strategy::lines, Strategy::segments});
    return (of_processors >> static_cast<int>(info_of(strategy).strategy) & 1) == 0;
}

bool has_processor_loops(Strategy strategy) {
    return (of_devices >> static_cast<int>(info_of(strategy).strategy) & 1) == 0;
}

bool has_device_vectors(Strategy strategy) {
    constexpr unsigned whole_vectors = set_of({Strategy::dense, Strategy::blend, Strategy::skip});
    return (whole_vectors >> static_cast<int>(info_of(strategy).strategy) & 1) != 0;
}

// Small blocks cost a device as much as their elements: on an H200 a block takes 0.6 ns at least, so that
// Adam of 16M elements took 163 us by blocks of 64, 131 by these; rows of 128 took 43, and 29.  Vectors of
// four are faster yet (115 us), where a schedule asks for them: they make two kernels of each loop, and not
// for every function.
Schedule resolved_for_device(Schedule schedule) {
    if (schedule.vector == 0 && has_device_vectors(schedule.strategy)) schedule.vector = 1;
    if (schedule.block == 0) schedule.block = default_block;
    return schedule;
}

namespace {

/// Legal values of knobs on a device, as a schedule is written.
std::string legal_on_device(Strategy strategy) {
    return "block=" + std::to_string(least_block) + " to " + std::to_string(most_block) +
           " by powers of two" + (has_device_vectors(strategy) ? " and vector=1 or 4" : "");
}

}  // namespace

void check_of_expression(const Schedule& schedule) {
    if (schedule.strategy == Strategy::expression) return;
    refuse(to_string(schedule), "it is for the loops of a step, and was given for an expression: write "
                                "expression, and of its knobs " +
                                    legal_knobs(Strategy::expression));
}

void check_for(const Schedule& schedule, const TargetRow& target) {
    if (schedule.strategy == Strategy::expression)
        refuse(to_string(schedule), "it is for expressions, and was given for a step: write a strategy: " +
                                        runtime::joined(strategies, &StrategyInfo::name));
    const std::string loops =
        "loops of " + std::string(name_of(schedule.strategy)) + " on target " + std::string(target.name);
    if (!target.gpu) {
        if (!has_processor_loops(schedule.strategy))
            refuse(to_string(schedule),
                   "there are no " + loops + ", which are made for devices: name strided, or target opencl");
        if (schedule.block != 0)
            refuse(to_string(schedule), "block says what the threads of a device share, and " + loops +
                                            " have none: leave it out, or name target opencl");
        return;
    }
    if (!has_device_loops(schedule.strategy))
        refuse(to_string(schedule),
               "there are no " + loops + ", which are made for caches of processors: name skip");
    const Schedule usual = default_schedule(schedule.strategy);
    for (const Knob& knob : table) {
        const int value = knob.get(schedule);
        if (!has(schedule.strategy, knob) || value == knob.get(usual) || knob.name == "block") continue;
        const bool is_vector = knob.name == "vector" && has_device_vectors(schedule.strategy) &&
                               std::ranges::find(device_vectors, value) != std::end(device_vectors);
        if (!is_vector)
            refuse(to_string(schedule), std::string(knob.name) + " says how a processor runs, and " + loops +
                                            " take " + legal_on_device(schedule.strategy) +
                                            ": a thread is an element, or a vector of four");
    }
}

Schedule schedule(std::string_view text) {
    std::string_view rest = text;
    const auto next = [&] {
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(word.size());
        return word;
    };
    Schedule result = default_schedule(parse_strategy(text, next()));
    for (std::string_view word = next(); !word.empty(); word = next()) parse_knob(text, word, result);
    check_together(text, result);
    return result;
}

std::string to_string(const Schedule& schedule) {
    const Schedule usual = default_schedule(schedule.strategy);
    std::string text(name_of(schedule.strategy));
    for (const Knob& knob : table) {
        const int value = knob.get(schedule);
        const bool is_left_out =
            value == 0 && (knob.words.empty() || schedule.strategy == Strategy::expression);
        if (!has(schedule.strategy, knob) || is_left_out) continue;
        // A device has none of a processor's knobs.
        if (schedule.block != 0 && value == knob.get(usual)) continue;
        text += " " + std::string(knob.name) + "=";
        text += knob.words.empty() ? std::to_string(value)
                                   : std::string(knob.words[static_cast<std::size_t>(value)]);
    }
    return text;
}

}  // namespace frisket
