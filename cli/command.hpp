// SPDX-License-Identifier: MIT
// Runs a command, and turns its errors into a sentence and an exit status.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Parses a command's words, which does what they say.  Gives its exit status: of an error, which is a
/// sentence on stderr, 2.
int run_command(CLI::App& app, int argc, const char* const* argv);

}  // namespace frisket::cli
