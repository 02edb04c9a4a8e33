// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>

/// The threads that run loops, one pool of Halide's runtime for all of this process: loops compiled in
/// memory, loops from the cache on disk, loops ahead of time, and the preparation of calls.
namespace frisket::codegen {

/// Number of threads that loops run on: $FRISKET_NUM_THREADS, or the variable of Halide's, $HL_NUM_THREADS,
/// or one for each processor.
int thread_count();

/// Type of Halide's tasks: returns 0, or the code of an error.
using LoopTaskFunction = int (*)(void* context, int i, std::uint8_t* closure);

/// task(context, i, closure) for i in [first, first + count), in any order and at once, on this thread and
/// further threads; returns 0, or the code of a task that failed, after which soon no task is begun.
/// Threads: any number may call it, tasks as well.  A thread that waits here for the last tasks runs tasks of
/// other parallel loops meanwhile: hold no lock, and no memory of the thread's own that other tasks use.
int run_tasks(void* context, LoopTaskFunction task, int first, int count, std::uint8_t* closure);

}  // namespace frisket::codegen
