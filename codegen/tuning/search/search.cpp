// SPDX-License-Identifier: MIT
#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <future>
#include <optional>

#include "../../../runtime/tensor/error.hpp"
#include "../../loops/threads.hpp"

namespace frisket::codegen {

namespace {

/// Shares of the budget after which the next stage begins.
constexpr double making_share = 0.6, race_share = 0.85;

}  // namespace

Search::Search(const TuneOptions& options, const TargetRow& target)
    : options_(options), begin_(now_s()), target_(target), random_(options.seed) {}

TuneResult Search::run() {
    if (!has_choice()) return finished();
    find_references();
    time_default();
    for (const Candidate& other : options_.others) add(other.schedule, other.kernel);
    make_candidates();
    tell("timing");
    race(result_.candidates, calls(), random_, [this] { return is_race_over(); }, [this] { note_best(); });
    confirm();
    return finished();
}

/// Compiled candidates are timed once at least, however long compiling took.
bool Search::is_race_over() const { return usual_.times.empty() ? is_stopped() : is_over(race_share); }

void Search::tell(std::string_view stage) const {
    if (!options_.progress) return;
    const auto count = std::ranges::count_if(
        result_.candidates, [](const Candidate& candidate) { return candidate.rejected.empty(); });
    options_.progress({.stage = stage,
                       .done = std::min(1.0, spent() / options_.seconds),
                       .left_s = std::max(0.0, options_.seconds - spent()),
                       .candidates = static_cast<int>(count),
                       .default_s = usual_.best_s,
                       .best_s = result_.curve.empty() ? 0 : result_.curve.back().best_s});
}

void Search::time_default() {
    const double once = time_of_call(usual_, calls());
    constexpr double worth_timing = 200e-6;
    calls().repeats = static_cast<int>(std::clamp(worth_timing / once, 1.0, 1000.0));
    usual_.best_s = std::min({time_of_call(usual_, calls()), time_of_call(usual_, calls()), once});
    calls().reset();
    result_.curve.push_back({spent(), usual_.best_s});
}

/// Compiles and checks candidates until the time is over: one is checked while further candidates are
/// compiled.  Nothing is timed meanwhile.
void Search::make_candidates() {
    const std::vector<Schedule> all = schedules_to_try();
    const auto at_once = static_cast<std::size_t>(thread_count()) + 1;
    std::deque<std::future<TrialLoops>> coming;
    std::size_t begun = 0, made = 0;
    while (made == 0 || !coming.empty()) {
        const bool is_late = begun > 0 && is_over(making_share);
        for (; begun < all.size() && !is_late && coming.size() < at_once; ++begun)
            coming.push_back(
                std::async(std::launch::async, [this, &all, begun] { return compiled(all[begun]); }));
        if (coming.empty()) break;
        TrialLoops trial = coming.front().get();
        coming.pop_front();
        add(all[made++], std::move(trial));
        tell("compiling");
    }
    result_.is_exhausted = made == all.size();
}

std::vector<Schedule> Search::schedules_to_try() {
    if (!options_.schedules.empty()) return options_.schedules;
    SchedulesToTry all = all_schedules();
    result_.refused = std::move(all.refused);
    return std::move(all.legal);
}

void Search::add(const Schedule& made, TrialLoops trial) {
    Candidate candidate{made, std::move(trial)};
    candidate.rejected = why_wrong(candidate);
    result_.candidates.push_back(std::move(candidate));
}

void Search::note_best() {
    usual_.times.push_back(time_of_call(usual_, calls()));
    usual_.best_s = std::min(usual_.best_s, usual_.times.back());
    const auto by_time = [](const Candidate& a, const Candidate& b) {
        return (a.best_s == 0 ? 1e30 : a.best_s) < (b.best_s == 0 ? 1e30 : b.best_s);
    };
    const auto best = std::ranges::min_element(result_.candidates, by_time);
    if (best != result_.candidates.end() && best->best_s > 0 && best->best_s < result_.curve.back().best_s)
        result_.curve.push_back({spent(), best->best_s});
    tell("timing");
}

void Search::sort_candidates() {
    std::ranges::stable_sort(result_.candidates, {}, [](const Candidate& candidate) {
        return !candidate.rejected.empty() ? 2e30 : candidate.best_s == 0 ? 1e30 : candidate.best_s;
    });
}

/// The fastest, if it is faster in pairs with the default as well, by more than the default differs from
/// itself.
void Search::confirm() {
    sort_candidates();
    const double each = std::max(0.2, (options_.seconds - spent()) / 4);
    tell("confirming");
    result_.against_itself = compare(usual_, usual_, calls(), each);
    result_.noise = std::abs(result_.against_itself.ratio - 1);
    int finalists = 3;
    for (Candidate& candidate : result_.candidates) {
        if (finalists == 0 || is_over(1.5) || !candidate.rejected.empty() || candidate.best_s == 0) break;
        const Paired pairs = *(candidate.pairs = compare(usual_, candidate, calls(), each));
        candidate.left_after = 0;  // back where a busy machine let fewer than three stay in the race
        tell("confirming");
        // Hundreds of calls have passed: a result that was right once may be wrong later.
        calls().reset();
        candidate.rejected = why_wrong(candidate);
        if (!candidate.rejected.empty()) continue;
        --finalists;
        usual_.best_s = std::min(usual_.best_s, pairs.first_s);
        candidate.best_s = std::min(candidate.best_s, pairs.second_s);
        if (!is_faster(pairs, result_.noise) || pairs.ratio <= result_.gain) continue;
        result_.gain = pairs.ratio;
        result_.schedule = candidate.schedule;
        result_.best_s = candidate.best_s;
    }
}

TuneResult Search::finished() {
    sort_candidates();
    if (result_.schedule && result_.best_s >= usual_.best_s) {
        result_.schedule.reset();
        result_.gain = 1;
    }
    result_.default_s = usual_.best_s;
    result_.default_times = std::move(usual_.times);
    if (!result_.schedule) result_.best_s = usual_.best_s;
    result_.target = std::string(target_.name);
    finish(result_);
    result_.spent_s = spent();
    return std::move(result_);
}

}  // namespace frisket::codegen
