// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <functional>

namespace frisket::aot {

/// Calls make(i) for each i below count, each in a child process of its own, at most one for each core at a
/// time.  Exceptions of a process are lost with it, and some processes may not start: the caller finds the
/// results by their files.
void run_in_processes(std::size_t count, const std::function<void(std::size_t)>& make);

}  // namespace frisket::aot
