// SPDX-License-Identifier: MIT
#include "../../codegen/jit/jit.hpp"
#include "../../codegen/tuning/search/race.hpp"
#include "../../runtime/dispatch/mask_statistics.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/layouts/layout.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/tensor/bitmask_ops.hpp"
#include "measure.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace frisket::cli {

namespace {

constexpr const char* patterns[] = {"random", "rows", "blocks"};
constexpr double densities[] = {0.001, 0.01, 0.1, 0.5, 1};

/// The strategy that a call with this mask chooses by itself for most of it.
std::string choice_for(const Tensor<bool>& mask) {
    const AnyMasked masked = AnyMasked::strided(mask, mask);
    const std::int64_t count = runtime::words_for(mask.size());
    std::vector<std::uint64_t> words(static_cast<std::size_t>(count));
    runtime::bits_of(masked, words.data());
    std::vector<runtime::WordRange> ranges;
    return std::string(name_of(choose(kernel_calls::counts_of(words.data(), count, ranges))));
}

/// Times of the candidates on one kind of mask, until a moment.
void race_cell(const Subject& subject, const Shape& shape, const std::vector<Candidate>& candidates,
               double end, MapCell& cell) {
    const Tensor<bool> mask = mask_of({.kind = cell.pattern, .density = cell.density, .mask = ""}, shape);
    const StepArguments arguments(
        subject.step, subject.numbers, shape, [&](const Shape&) { return mask; }, subject.layout);
    const codegen::Workload workload(signature_of(subject.step), arguments.arguments());
    for (const Candidate& candidate : candidates) {
        codegen::time_of_call(candidate, workload);
        cell.strategies.push_back(
            {.name = std::string(name_of(candidate.schedule.strategy)), .is = "", .times = {}});
    }
    constexpr int least = 3, most = 200;
    // Shuffled at each turn: a call finds in the caches what the call before it left.
    std::vector<std::size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random;
    for (int round = 0; round < least || (round < most && codegen::now_s() < end); ++round) {
        std::ranges::shuffle(order, random);
        for (const std::size_t i : order)
            cell.strategies[i].times.push_back(codegen::time_of_call(candidates[i], workload));
    }
    std::ranges::sort(cell.strategies, {}, &TimedLoop::best_s);
    if (candidates.size() > 1) cell.chosen = choice_for(mask);
}

constexpr double cell_count = std::size(patterns) * std::size(densities);

/// Returns the shape, with fewer rows if a short race shows that the seconds do not allow all cells.
Shape shape_for(const Subject& subject, const std::vector<Candidate>& candidates, double seconds) {
    constexpr std::int64_t few = 1 << 18;
    const std::int64_t count = element_count(subject.shape);
    if (count <= few || subject.shape[0] < 2) return subject.shape;
    Shape part = subject.shape;
    part[0] = std::max<std::int64_t>(few / (count / part[0]), 1);
    double spent_s = 0;
    for (int turn = 0; turn < 2; ++turn) {                // in the first, loops are loaded and memory is new
        MapCell cell{.pattern = "rows", .density = 0.5};  // every layout holds it
        const double begin = codegen::now_s();
        race_cell(subject, part, candidates, begin, cell);
        spent_s = codegen::now_s() - begin;
    }
    const double row_s = spent_s * cell_count / static_cast<double>(part[0]);
    const double rows =
        std::clamp(seconds / row_s, static_cast<double>(part[0]), static_cast<double>(subject.shape[0]));
    part[0] = static_cast<std::int64_t>(rows);
    return part;
}

}  // namespace

void measure_map(const Subject& subject, double seconds, Report& report) {
    const Layout walked[] = {runtime::kernel_layout(subject.layout)};
    const std::vector<Strategy> strategies =
        kernel_calls::legal_strategies(signature_of(subject.step), walked);
    if (strategies.size() == 1) report.about_map = "Calls with this layout have one strategy alone. ";
    if (seconds <= 0) {
        report.about_map += "Other densities and patterns were not measured, as --map 0 says.";
        return;
    }
    std::vector<Candidate> candidates;
    for (const Strategy strategy : strategies) {
        const Schedule made = default_schedule(strategy);
        candidates.push_back({made, jit(subject.step, made, {subject.target})});
    }
    const Shape shape = shape_for(subject, candidates, seconds);
    report.about_map += "The strategies with their default schedules, for this step and layout, shape " +
                        to_string(shape) +
                        ", at other densities and patterns; shortest of at least three calls in turn.";
    if (shape != subject.shape)
        report.about_map += " These are fewer rows than were tuned: a larger --map has time for more.";
    const double begin = codegen::now_s();
    for (const char* pattern : patterns)
        for (const double density : densities) {
            MapCell& cell = report.map.emplace_back(MapCell{.pattern = pattern, .density = density});
            const double done = static_cast<double>(report.map.size()) / cell_count;
            try {
                race_cell(subject, shape, candidates, begin + done * seconds, cell);
            } catch (const LayoutError&) {
                cell.strategies.clear();
                cell.why_empty =
                    "the layout " + std::string(name_of(subject.layout)) + " cannot hold such a mask";
            }
        }
}

}  // namespace frisket::cli
