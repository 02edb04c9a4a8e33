// SPDX-License-Identifier: MIT
#include "parallel.hpp"

#include <atomic>

namespace frisket::runtime {

namespace {

std::atomic<TaskRunner> task_runner{nullptr};

}  // namespace

void set_task_runner(TaskRunner runner) noexcept { task_runner = runner; }

void run_tasks(int tasks, void (*task)(void* closure, int i), void* closure) {
    if (const TaskRunner runner = task_runner; runner != nullptr && tasks > 1)
        return runner(tasks, task, closure);
    for (int i = 0; i < tasks; ++i) task(closure, i);
}

}  // namespace frisket::runtime
