// SPDX-License-Identifier: MIT
#include "../../codegen/jit/jit.hpp"
#include "../../codegen/tuning/search/race.hpp"
#include "../../dsl/dsl.hpp"
#include "../../runtime/kernel/kernel_module.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../hand_loops/hand_loops.hpp"
#include "by_hand.hpp"
#include "measure.hpp"
#include "traffic.hpp"

#include <algorithm>
#include <memory>

namespace frisket::cli {

namespace {

constexpr InOut<"a"> a;
constexpr In<"b"> b;
constexpr In<"c"> c;
constexpr auto triad = step<"triad">(a = b + 1.5 * c);

constexpr std::int64_t triad_elements = std::int64_t{1} << 24;
/// Lines of `a` are fetched before they are written.
constexpr double triad_bytes = 16.0 * triad_elements;

/// A kernel's calls on memory of their own.
std::function<void()> calls_of(const Subject& subject, CompiledKernel kernel) {
    const auto memory = std::make_shared<codegen::Workload>(kernel.signature(), subject.arguments);
    return [memory, kernel = std::move(kernel)] { kernel.call(memory->arguments()); };
}

std::function<void()> triad_calls() {
    const Shape shape{triad_elements};
    return [kernel = jit(triad), x = full<float>(shape, 0), y = full<float>(shape, 1),
            z = full<float>(shape, 2)] { kernel(a = x, b = y, c = z); };
}

/// One element after another, by the strategy that comes nearest to what one would write.
Schedule one_by_one(std::span<const Strategy> legal) {
    for (const char* text : {"blend vector=1 unroll=1 grain=16777216", "gather unroll=1 grain=16777216",
                             "rows vector=1 unroll=1", "dense vector=1 unroll=1 grain=16777216"}) {
        const Schedule made = schedule(text);
        if (std::ranges::find(legal, made.strategy) != legal.end()) return made;
    }
    return default_schedule(legal.front());
}

std::vector<Contender> contenders(const Subject& subject, const Report& report) {
    const TuneResult& result = report.result;
    std::vector<Contender> loops;
    loops.push_back({"default", "what calls take without tuning: " + std::string(name_of(result.usual)),
                     calls_of(subject, jit(subject.step, default_schedule(result.usual), {subject.target}))});
    if (result.schedule)
        loops.push_back({"winner", to_string(*result.schedule),
                         calls_of(subject, jit(subject.step, *result.schedule, {subject.target}))});
    const Layout walked[] = {runtime::kernel_layout(subject.layout)};
    const Schedule plain = one_by_one(kernel_calls::strategies_for(signature_of(subject.step), walked));
    loops.push_back({"one by one",
                     "compiled as " + to_string(plain) + ": no vectors, tasks as large as can be",
                     calls_of(subject, jit(subject.step, plain, {subject.target}))});
    for (Contender& loop : loops_by_hand(subject.step, subject.arguments)) loops.push_back(std::move(loop));
    return loops;
}

}  // namespace

void race_loops(const Subject& subject, double seconds, Report& report) {
    std::vector<Contender> loops = contenders(subject, report);
    for (const Contender& loop : loops)
        report.loops.push_back({.name = loop.name, .is = loop.is, .times = {}});
    const bool has_some =
        std::ranges::any_of(loops, [](const Contender& loop) { return loop.name == "naive loop"; });
    report.about_loops_by_hand =
        has_some ? "Loops by hand are those of the benchmarks; instructions of their vectors: " +
                       std::string(hand::loops().instructions) + "."
                 : "There is no loop by hand for this step and layout.";
    TimedLoop memory{.name = "triad", .is = "", .times = {}};
    loops.push_back({"triad", "", triad_calls()});
    for (const Contender& loop : loops) loop.run();
    std::vector<std::size_t> order(loops.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::mt19937_64 random(1);
    const double end = codegen::now_s() + seconds;
    for (int round = 0; round < 5 || codegen::now_s() < end; ++round) {
        std::ranges::shuffle(order, random);
        for (const std::size_t i : order) {
            const double begin = codegen::now_s();
            loops[i].run();
            (i < report.loops.size() ? report.loops[i] : memory).times.push_back(codegen::now_s() - begin);
        }
    }
    report.limit = {.bytes = least_bytes(signature_of(subject.step), subject.arguments),
                    .bandwidth = triad_bytes / memory.best_s()};
}

}  // namespace frisket::cli
