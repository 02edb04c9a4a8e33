// SPDX-License-Identifier: MIT
// Starts compilers and other programs.
#pragma once
#include <string>
#include <vector>

namespace frisket::aot {

/// End of a program.
struct ProgramEnd {
    int error = 0;   ///< errno if the program could not be started
    int status = 0;  ///< exit status; 128 and the signal's number if a signal ended it
};

/// Runs a program, $PATH is searched, with this one's output.
ProgramEnd end_of_program(const std::vector<std::string>& command);

/// Runs a program, $PATH is searched, with this one's output.
/// Errors: IoError with the command if it cannot be started, or ends with another status than 0.
void run_program(const std::vector<std::string>& command);

/// Runs programs, at most one for each processor at a time.  Errors: run_program's, for the first that fails,
/// once all have ended.
void run_programs(const std::vector<std::vector<std::string>>& commands);

}  // namespace frisket::aot
