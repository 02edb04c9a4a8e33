// SPDX-License-Identifier: MIT
// Controls the threads of Halide's runtime.
#pragma once
#include <cstddef>
#include <cstdint>

namespace frisket::kernel_calls {

/// Sizes of two variables of Halide's runtime: its queue of tasks, and the table of waiting threads.
inline constexpr std::size_t halide_queue_bytes = 0x868, halide_waiting_bytes = 0x6000;

/// $FRISKET_NUM_THREADS, at most 256, the limit of Halide's runtime; 0 if it is not set.
/// Errors: ValueError if it is no number.
int wanted_threads();

/// Runs task(closure, i) for all i below `tasks` by `run`, which takes a task of Halide's runtime and the
/// closure that it gets.
template <class Run>
void run_plain(int tasks, void (*task)(void*, int), void* closure, const Run& run) {
    struct Job {
        void (*task)(void*, int);
        void* closure;
    } job{task, closure};
    const auto one = [](void*, int i, std::uint8_t* state) {
        const auto* it = reinterpret_cast<const Job*>(state);
        it->task(it->closure, i);
        return 0;
    };
    run(one, tasks, reinterpret_cast<std::uint8_t*>(&job));
}

}  // namespace frisket::kernel_calls
