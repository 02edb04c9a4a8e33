// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tune.hpp"
#include "tune_expression.hpp"

namespace frisket {

namespace {

/// Values of a knob of only expressions that are worth a trial, in addition to the default's.
std::vector<int> values_of_expression(const Knob& knob, int lanes) {
    if (knob.name == "grain") return {8192, 16384, 65536, 131072, 262144};
    if (knob.name == "product_vectors") return {1, 4};
    if (knob.name == "product_rows") return lanes == 16 ? std::vector{4, 2, 16} : std::vector{2, 8, 1};
    if (knob.name == "transposed_columns") return {32, 128, 256};
    if (knob.name == "transposed_rows") return {8, 32, 64};
    if (knob.name == "inlined") return {16, 128, 1024};
    return {1};  // row_stages
}

/// The values of a knob that are worth a trial, for a processor with registers of this number of float32.
std::vector<int> values_of(const Knob& knob, Strategy strategy, int lanes) {
    if (knob.name == "tile") return {64, 128, 256, 512};
    if (knob.name == "vector") {
        const int most = strategy == Strategy::lines ? line_elements : 4 * lanes;
        std::vector<int> values;
        for (int vector = std::max(lanes / 2, 1); vector <= most; vector *= 2) values.push_back(vector);
        return values;
    }
    if (strategy == Strategy::expression) return values_of_expression(knob, lanes);
    if (knob.name == "unroll") return {1, 2, 4, 8};
    if (knob.name == "block") return {};  // belongs to devices
    if (knob.name == "grain")
        return strategy == Strategy::gather ? std::vector{1024, 4096, 16384, 65536}
                                            : std::vector{16384, 65536, 262144, 1 << 20};
    return {0, 1};
}

void sort_in(const Schedule& made, SchedulesToTry& all) {
    try {
        all.legal.push_back(schedule(to_string(made)));
    } catch (const ScheduleError& error) { all.refused.push_back({made, error.what()}); }
}

/// Position of a schedule in a search: by the number of knobs that differ from the default, and by the
/// positions of their values in the knobs' lists, so that each knob has its turn early.
std::pair<int, int> turn_of(const Schedule& made, int lanes) {
    const Schedule usual = resolved(default_schedule(made.strategy), lanes);
    int changed = 0, place = 0;
    for (const Knob& knob : knobs()) {
        if (!has(made.strategy, knob) || knob.get(made) == knob.get(usual)) continue;
        const std::vector<int> values = values_of(knob, made.strategy, lanes);
        ++changed;
        place += static_cast<int>(std::ranges::find(values, knob.get(made)) - values.begin());
    }
    return {changed, place};
}

/// All combinations of the knobs of some strategies for which `is_tried` is true.
SchedulesToTry combined(std::span<const Strategy> strategies, int lanes, const auto& is_tried) {
    SchedulesToTry all;
    for (const Strategy strategy : strategies) {
        const Schedule usual = resolved(default_schedule(strategy), lanes);
        std::vector<Schedule> made{usual};
        for (const Knob& knob : knobs()) {
            if (!has(strategy, knob) || !is_tried(knob)) continue;
            const std::size_t before = made.size();
            for (const int value : values_of(knob, strategy, lanes)) {
                if (value == knob.get(usual)) continue;
                for (std::size_t i = 0; i < before; ++i) knob.set(made.emplace_back(made[i]), value);
            }
        }
        for (const Schedule& one : made) sort_in(one, all);
    }
    std::ranges::stable_sort(all.legal, {}, [lanes](const Schedule& made) { return turn_of(made, lanes); });
    return all;
}

}  // namespace

SchedulesToTry schedules_of(std::span<const Strategy> strategies, int lanes) {
    return combined(strategies, lanes, [](const Knob&) { return true; });
}

SchedulesToTry codegen::schedules_of_expression(const LoopParts& parts, int lanes) {
    const Strategy strategies[] = {Strategy::expression};
    return combined(strategies, lanes, [&](const Knob& knob) {
        if (knob.name == "grain") return parts.are_parallel;
        if (knob.name == "inlined") return parts.have_shared_values;
        if (knob.name == "row_stages") return parts.have_row_stages;
        if (knob.name.starts_with("product_")) return parts.have_products;
        if (knob.name.starts_with("transposed_")) return parts.have_views;
        return true;
    });
}

SchedulesToTry schedules_of_device(std::span<const Strategy> strategies) {
    SchedulesToTry all;
    // Every strategy early: devices take long to compile for.
    for (int block = least_block; block <= most_block; block *= 2)
        for (const int vector : device_vectors)
            for (const Strategy strategy : strategies) {
                if (!has_device_loops(strategy) || (vector > 1 && !has_device_vectors(strategy))) continue;
                Schedule made = default_schedule(strategy);
                made.block = block;
                if (has_device_vectors(strategy)) made.vector = vector;
                sort_in(made, all);
            }
    return all;
}

}  // namespace frisket
