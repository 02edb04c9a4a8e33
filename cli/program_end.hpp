// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace frisket::cli {

/// End of a program.
struct ProgramEnd {
    int error = 0;   ///< errno if the program could not be started
    int status = 0;  ///< exit status; 128 and the signal's number if a signal ended it
};

/// Runs a program, $PATH is searched, with this one's output.
ProgramEnd end_of_program(const std::vector<std::string>& command);

}  // namespace frisket::cli
