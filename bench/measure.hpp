// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
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
/// shortest time. Taking turns lets a change of the machine's speed meet all of them, and an order that
/// changes lets each find the caches as any other leaves them.
inline void race(std::vector<Contender>& contenders, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    for (Contender& contender : contenders) contender.run();
    const auto start = Clock::now();
    std::vector<Contender*> order;
    for (Contender& contender : contenders) order.push_back(&contender);
    std::mt19937 random(1);
    for (int round = 0; round < 5 || since(start) < seconds; ++round) {
        std::ranges::shuffle(order, random);
        for (Contender* contender : order) {
            const auto begin = Clock::now();
            contender->run();
            contender->best_s = std::min(contender->best_s, since(begin));
        }
    }
}

}  // namespace bench
