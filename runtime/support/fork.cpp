// SPDX-License-Identifier: MIT
#include "fork.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace frisket::runtime {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A count of threads that hold a NoFork, on a line of cache of its own.
struct alignas(64) Count { std::atomic<int> threads{0}; };

std::array<Count, 32> lock_counts;  // threads share them by turns
std::atomic<unsigned> next_count{0};
std::atomic<bool> is_forking{false};
std::mutex fork_mutex;            // held by the thread that forks
thread_local int depth = 0;       // NoForks of this thread
thread_local int own_count = -1;  // index in lock_counts

std::atomic<int>& count_of_thread() noexcept {
    if (own_count < 0) own_count = static_cast<int>(next_count++ % lock_counts.size());
    return lock_counts[static_cast<std::size_t>(own_count)].threads;
}

void rest() noexcept { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

/// True if no thread but this one holds a NoFork.
bool is_alone() noexcept {
    int held = 0;
    for (const Count& count : lock_counts) held += count.threads;
    return held == (depth > 0 ? 1 : 0);
}

/// Stops threads that take their first NoFork, and waits for threads that hold one.  A thread that holds one
/// may wait for tasks of a thread that is stopped: after a while all go on, and the next try lasts longer.
void before_fork() noexcept {
    constexpr milliseconds first{2}, longest{4000};
    for (milliseconds patience = first;; patience = std::min(2 * patience, longest)) {
        fork_mutex.lock();
        is_forking = true;
        for (const auto end = Clock::now() + patience; Clock::now() < end; rest())
            if (is_alone()) return;
        is_forking = false;
        fork_mutex.unlock();
        std::this_thread::sleep_for(milliseconds(1));
    }
}

void after_fork() noexcept {
    is_forking = false;
    fork_mutex.unlock();
}

/// The child has this thread only.
void after_fork_in_child() noexcept {
    for (Count& count : lock_counts) count.threads = 0;
    if (depth > 0) count_of_thread() = 1;
    after_fork();
}

[[maybe_unused]] const int is_registered = ::pthread_atfork(before_fork, after_fork, after_fork_in_child);

}  // namespace

void NoFork::enter() noexcept {
    if (depth++ > 0) return;
    std::atomic<int>& count = count_of_thread();
    // Either the fork sees the count, or this thread sees the fork.
    while (++count, is_forking) {
        --count;
        while (is_forking) rest();
    }
}

void NoFork::leave() noexcept {
    if (--depth > 0) return;
    count_of_thread().fetch_sub(1, std::memory_order_release);
}

}  // namespace frisket::runtime
