// SPDX-License-Identifier: MIT
// Keeps threads that come back from loops out of an interpreter that ends.
#include "interpreter_lock.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace frisket::python {

namespace {

std::atomic<bool> is_ending = false;
std::thread::id ending_thread;
/// Threads that wait for the lock, or are about to.
std::atomic<int> waiting_threads = 0;

/// Lets threads through that wait for the lock already.  Later threads find the flag.
void end_interpreter() {
    ending_thread = std::this_thread::get_id();
    is_ending = true;
    PyThreadState* const state = PyEval_SaveThread();
    while (waiting_threads > 0) std::this_thread::yield();
    PyEval_RestoreThread(state);
}

}  // namespace

ReleasedLock::~ReleasedLock() {
    ++waiting_threads;
    if (is_ending && std::this_thread::get_id() != ending_thread) {
        --waiting_threads;
        while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    PyEval_RestoreThread(state_);
    --waiting_threads;
}

void watch_interpreter() {
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_interpreter));
    // A child has one thread, which waits for nothing.
    nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") =
                                                            nb::cpp_function([] { waiting_threads = 0; }));
}

}  // namespace frisket::python
