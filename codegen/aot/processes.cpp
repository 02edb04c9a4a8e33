// SPDX-License-Identifier: MIT
#include "processes.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <deque>
#include <thread>

namespace frisket::aot {

namespace {

/// Waits for a child of this process, and for no other: a program may have children of its own.
void wait_for(pid_t child) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
}

}  // namespace

void run_in_processes(std::size_t count, const std::function<void(std::size_t)>& make) {
    constexpr unsigned most = 16;  // each takes some hundred MB
    const unsigned at_once = std::clamp(std::thread::hardware_concurrency(), 1U, most);
    std::deque<pid_t> running;
    const auto wait_for_first = [&] {
        wait_for(running.front());
        running.pop_front();
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (running.size() >= at_once) wait_for_first();
        const pid_t child = fork();
        if (child < 0) break;  // no memory for one more
        if (child > 0) {
            running.push_back(child);
            continue;
        }
        try {
            make(i);
        } catch (...) { _exit(1); }
        _exit(0);
    }
    while (!running.empty()) wait_for_first();
}

}  // namespace frisket::aot
