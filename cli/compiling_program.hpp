// SPDX-License-Identifier: MIT
// Finds and starts the program frisket-compile.
#pragma once
#include <string>

namespace frisket::cli {

/// Reason why the program frisket-compile, which has the verbs that compile, cannot run: it or libHalide is
/// missing, and what to install.  Empty if it can; the environment then leads it to libHalide.
/// Cost: starts python3 where frisket is installed and Halide_DIR is not set, to ask for the wheel.
std::string why_not_compiling();

/// Becomes frisket-compile, with the words of this program.
/// Errors: IoError with the reason why it cannot run.
[[noreturn]] void compile_instead(char** argv);

}  // namespace frisket::cli
