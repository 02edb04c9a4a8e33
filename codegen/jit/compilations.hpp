// SPDX-License-Identifier: MIT
// Tells a program of loops that calls compile or read from the disk.
#pragma once
#include <functional>
#include <string>

namespace frisket::codegen {

/// Loops that became ready to run.
struct Compilation {
    std::string name{};    ///< the step, or the expression
    std::string loops{};   ///< the loops within it: a schedule, or the forms of the arguments
    std::string target{};  ///< name of the target
    double seconds = 0;
    bool is_read = false;  ///< read from the disk; else compiled
};

/// Calls a function after each compilation; an empty one: none.
/// Threads: the function runs on the thread that compiled, where no fork may begin; on several at once.
void on_compilation(std::function<void(const Compilation&)> observer);

}  // namespace frisket::codegen
