// SPDX-License-Identifier: MIT
// Runs loops of C++ in parallel.
#pragma once
#include <cstdint>
#include <type_traits>

/// Tasks of loops in C++, on the threads of compiled loops if the program has these.
namespace frisket::runtime {

/// Runs task(closure, i) for i in [0, tasks), in any order and at once.
using TaskRunner = void (*)(int tasks, void (*task)(void* closure, int i), void* closure);

/// Says how tasks run from now on; without it one after the other.  Threads: any.
void set_task_runner(TaskRunner runner) noexcept;
void run_tasks(int tasks, void (*task)(void* closure, int i), void* closure);

/// Calls body(i) for i in [0, tasks).  It must not throw.
template <class Body>
void parallel_tasks(int tasks, Body&& body) {
    run_tasks(
        tasks, [](void* closure, int i) { (*static_cast<std::remove_reference_t<Body>*>(closure))(i); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

/// Calls body(begin, end) for parts of [0, count), of `grain` each.  It must not throw.
template <class Body>
void parallel_ranges(std::int64_t count, std::int64_t grain, Body&& body) {
    const std::int64_t tasks = (count + grain - 1) / grain;
    parallel_tasks(static_cast<int>(tasks), [&](int i) {
        const std::int64_t begin = i * grain, end = begin + grain < count ? begin + grain : count;
        body(begin, end);
    });
}

}  // namespace frisket::runtime
