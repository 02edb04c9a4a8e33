// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// Something that is timed against others.
struct Contender {
    std::string name;
    std::function<void()> run;
    double best_s = 1e30;
};

/// Runs all contenders in turn until `seconds` have passed (at least five rounds); each keeps its
/// shortest time. Taking turns lets a change of the machine's speed meet all of them.
inline void race(std::vector<Contender>& contenders, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    for (Contender& contender : contenders) contender.run();
    const auto start = Clock::now();
    for (int round = 0; round < 5 || since(start) < seconds; ++round)
        for (Contender& contender : contenders) {
            const auto begin = Clock::now();
            contender.run();
            contender.best_s = std::min(contender.best_s, since(begin));
        }
}

}  // namespace bench
