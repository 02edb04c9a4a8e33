// SPDX-License-Identifier: MIT
#include "thread_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

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

}  // extern "C"

namespace frisket::kernel_calls {

int wanted_threads() {
    const char* wanted = std::getenv("FRISKET_NUM_THREADS");
    const long threads = wanted ? std::strtol(wanted, nullptr, 10) : 0;
    return static_cast<int>(std::clamp(threads, 0L, 256L));
}

}  // namespace frisket::kernel_calls
