// SPDX-License-Identifier: MIT
#include "thread_pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "../tensor/error.hpp"

extern "C" {

/// Replaces the function of Halide's runtime, which waits for the threads when the process ends: other
/// threads may have loops under way then, and the child of a fork has none of the threads to wait for.
/// Threads go with the process.
void halide_shutdown_thread_pool() {}

#if defined(__SANITIZE_THREAD__)
// Functions that Halide's runtime calls to tell the sanitizer, and that the sanitizer of GCC lacks.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) { return std::memcpy(to, from, bytes); }
void* __tsan_memset(void* to, int byte, std::size_t bytes) { return std::memset(to, byte, bytes); }
#endif

// Variables and functions of Halide's runtime; null in a program without loops.
extern std::byte halide_queue[] __asm__("_ZN6Halide7Runtime8Internal10work_queueE") __attribute__((weak));
extern std::byte halide_waiting[] __asm__("_ZN6Halide7Runtime8Internal15Synchronization5tableE")
    __attribute__((weak));
[[gnu::weak]] int halide_get_num_threads();
[[gnu::weak]] int halide_set_num_threads(int threads);

}  // extern "C"

namespace frisket::kernel_calls {

namespace {

int threads_before_fork = 0;

/// Makes Halide's pool of threads as in a new process: a child of fork has none of its threads, and other
/// threads may have held its locks.
void reset_pool() {
    if (halide_queue == nullptr || halide_waiting == nullptr) return;
    std::memset(halide_queue, 0, halide_queue_bytes);
    std::memset(halide_waiting, 0, halide_waiting_bytes);
    if (threads_before_fork > 0) halide_set_num_threads(threads_before_fork);
}

[[maybe_unused]] const int is_registered = ::pthread_atfork(
    [] { threads_before_fork = halide_get_num_threads != nullptr ? halide_get_num_threads() : 0; }, nullptr,
    reset_pool);

}  // namespace

int wanted_threads() {
    const char* const variable = std::getenv("FRISKET_NUM_THREADS");
    const std::string_view text = variable != nullptr ? variable : "";
    constexpr int most = 256;
    int threads = 0;
    if (text.empty()) return threads;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    const bool is_number = end == text.data() + text.size() && !text.starts_with('-');
    if (is_number && error == std::errc::result_out_of_range) return most;
    if (!is_number || error != std::errc())
        throw ValueError("FRISKET_NUM_THREADS is \"" + std::string(text) +
                         "\", wanted a number of threads, 1 to 256, or 0 for as many as the machine has");
    return std::min(threads, most);
}

}  // namespace frisket::kernel_calls
