// SPDX-License-Identifier: MIT
#include "processes.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <thread>

namespace frisket::aot {

namespace {

/// Waits for one child of this process; false if there is none.
bool wait_for_one() {
    while (waitpid(-1, nullptr, 0) < 0)
        if (errno != EINTR) return false;
    return true;
}

}  // namespace

void run_in_processes(std::size_t count, const std::function<void(std::size_t)>& make) {
    constexpr unsigned most = 16;  // each takes some hundred MB
    const unsigned at_once = std::clamp(std::thread::hardware_concurrency(), 1U, most);
    for (std::size_t i = 0; i < count; ++i) {
        if (i >= at_once) wait_for_one();
        const pid_t child = fork();
        if (child < 0) break;  // no memory for one more
        if (child > 0) continue;
        try {
            make(i);
        } catch (...) { _exit(1); }
        _exit(0);
    }
    while (wait_for_one()) {}
}

}  // namespace frisket::aot
