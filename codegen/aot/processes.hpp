// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <functional>

namespace frisket::aot {

/// Calls make(i) for each i below count, each in a child process of its own and as many at once as the
/// machine has cores.  What a process throws is lost with it, and some may not be started at all: the caller
/// sees by their files what has been made.
void run_in_processes(std::size_t count, const std::function<void(std::size_t)>& make);

}  // namespace frisket::aot
