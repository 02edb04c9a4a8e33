// SPDX-License-Identifier: MIT
#include "threads.hpp"

#include <HalideRuntime.h>

#include "../../runtime/kernel/thread_pool.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/support/parallel.hpp"

namespace frisket::codegen {

int thread_count() {
    return runtime::made_once([] {
        const int wanted = kernel_calls::wanted_threads();
        // 0: Halide's own number, unless the program has set it.
        if (wanted > 0 || halide_get_num_threads() == 0) halide_set_num_threads(wanted);
        return halide_get_num_threads();
    });
}

int run_tasks(void* context, LoopTaskFunction task, int first, int count, std::uint8_t* closure) {
    if (count > 1 && thread_count() > 1) return halide_do_par_for(context, task, first, count, closure);
    for (int i = first; i < first + count; ++i)
        if (const int status = task(context, i, closure); status != 0) return status;
    return 0;
}

namespace {

void run_plain_tasks(int tasks, void (*task)(void*, int), void* closure) {
    kernel_calls::run_plain(tasks, task, closure, [](LoopTaskFunction one, int count, std::uint8_t* state) {
        run_tasks(nullptr, one, 0, count, state);
    });
}

/// Loops in C++ run on these threads too, once the program has them.
[[maybe_unused]] const bool runs_plain_tasks = [] {
    runtime::set_task_runner(run_plain_tasks);
    return true;
}();

}  // namespace

}  // namespace frisket::codegen
