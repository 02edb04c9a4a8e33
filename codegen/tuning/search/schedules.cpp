// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tune.hpp"

namespace frisket {

namespace {

/// The values of a knob that are worth a trial, for a processor with registers of so many float32.
std::vector<int> values_of(const Knob& knob, Strategy strategy, int lanes) {
    if (knob.name == "tile") return {64, 128, 256, 512};
    if (knob.name == "vector") {
        const int most = strategy == Strategy::lines ? line_elements : 4 * lanes;
        std::vector<int> values;
        for (int vector = std::max(lanes / 2, 1); vector <= most; vector *= 2) values.push_back(vector);
        return values;
    }
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

int knobs_changed(const Schedule& made, const Schedule& usual) {
    int changed = 0;
    for (const Knob& knob : knobs())
        changed += static_cast<int>(has(made.strategy, knob) && knob.get(made) != knob.get(usual));
    return changed;
}

}  // namespace

SchedulesToTry schedules_of(std::span<const Strategy> strategies, int lanes) {
    SchedulesToTry all;
    for (const Strategy strategy : strategies) {
        const Schedule usual = resolved(default_schedule(strategy), lanes);
        std::vector<Schedule> made{usual};
        for (const Knob& knob : knobs()) {
            if (!has(strategy, knob)) continue;
            const std::size_t before = made.size();
            for (const int value : values_of(knob, strategy, lanes)) {
                if (value == knob.get(usual)) continue;
                for (std::size_t i = 0; i < before; ++i) knob.set(made.emplace_back(made[i]), value);
            }
        }
        for (const Schedule& one : made) sort_in(one, all);
    }
    std::ranges::stable_sort(all.legal, {}, [lanes](const Schedule& made) {
        return knobs_changed(made, resolved(default_schedule(made.strategy), lanes));
    });
    return all;
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
