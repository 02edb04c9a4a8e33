// SPDX-License-Identifier: MIT
// Releases the interpreter's lock while loops run.
#pragma once
#include <nanobind/nanobind.h>

namespace frisket::python {

namespace nb = nanobind;

/// Releases the interpreter's lock until its end, where the thread takes the lock again.
/// Threads: once the interpreter ends, threads other than the ending one wait there for the process to end.
/// Python before 3.14 unwinds such a thread, which noexcept functions of C++ turn into an abort.
class ReleasedLock {
public:
    ReleasedLock() : state_(PyEval_SaveThread()) {}
    ReleasedLock(const ReleasedLock&) = delete;
    ReleasedLock& operator=(const ReleasedLock&) = delete;
    ~ReleasedLock();

private:
    PyThreadState* state_;
};

/// Has `atexit` announce the end of the interpreter.
void watch_interpreter();

}  // namespace frisket::python
