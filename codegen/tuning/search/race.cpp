// SPDX-License-Identifier: MIT
#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace frisket::codegen {

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_s() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double time_of_call(const Candidate& candidate, const Workload& workload) {
    const double begin = now_s();
    for (int i = 0; i < workload.repeats; ++i) candidate.kernel.call(workload.arguments());
    workload.wait();
    return (now_s() - begin) / workload.repeats;
}

Paired compare(const Candidate& first, const Candidate& second, Workload& workload, double seconds) {
    workload.reset();
    double first_s = 1e30, second_s = 1e30;
    const auto call = [&](const Candidate& candidate, double& least_s) {
        const double begin = now_s(), processor = processor_s();
        for (int i = 0; i < workload.repeats; ++i) candidate.kernel.call(workload.arguments());
        workload.wait();
        const double wall = now_s() - begin;
        least_s = std::min(least_s, wall / workload.repeats);
        // Loops that leave a core idle must not look fast: both times count.
        return std::sqrt(wall * std::max(processor_s() - processor, 1e-9));
    };
    call(first, first_s), call(second, second_s);
    std::vector<double> ratios;
    const double end = now_s() + seconds;
    while (ratios.size() < 9 || (now_s() < end && ratios.size() < 999)) {
        // A B B A: a drift affects both.
        double a = call(first, first_s), b = call(second, second_s);
        b += call(second, second_s), a += call(first, first_s);
        ratios.push_back(a / b);
    }
    std::ranges::sort(ratios);
    const auto at = [&](double share) {
        return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
    };
    return {.ratio = at(0.5), .low = at(0.25), .high = at(0.75), .first_s = first_s, .second_s = second_s};
}

bool is_faster(const Paired& pairs, double noise) {
    constexpr double least_gain = 1.05;
    return pairs.ratio >= least_gain + noise && pairs.low > 1 && pairs.second_s < pairs.first_s;
}

void race(std::vector<Candidate>& candidates, Workload& workload, std::mt19937_64& random,
          const std::function<bool()>& is_over, const std::function<void()>& after_turn) {
    constexpr std::size_t finalists = 4;
    constexpr double hopeless = 4;  // times as long as the fastest: no noise explains that
    std::vector<Candidate*> left;
    for (Candidate& candidate : candidates)
        if (candidate.rejected.empty()) left.push_back(&candidate);
    double best_s = 1e30;
    const auto drop_hopeless = [&](int round) {
        std::erase_if(left, [&](Candidate* candidate) {
            if (candidate->best_s <= hopeless * best_s) return false;
            candidate->left_after = round;
            return true;
        });
    };
    for (int round = 1, turns = 3; !left.empty() && !is_over(); ++round, turns *= 2) {
        workload.reset();
        for (int turn = 0; turn < turns && !is_over(); ++turn) {
            std::ranges::shuffle(left, random);
            for (Candidate* candidate : left) {
                candidate->times.push_back(time_of_call(*candidate, workload));
                const double time = candidate->times.back();
                candidate->best_s = candidate->best_s == 0 ? time : std::min(candidate->best_s, time);
                best_s = std::min(best_s, time);
            }
            drop_hopeless(round);
            after_turn();
        }
        if (left.size() <= finalists) return;
        std::ranges::sort(left, {}, [](const Candidate* candidate) { return candidate->best_s; });
        const std::size_t kept = std::max(finalists, (left.size() + 1) / 2);
        for (std::size_t i = kept; i < left.size(); ++i) left[i]->left_after = round;
        left.resize(kept);
    }
}

}  // namespace frisket::codegen
