// SPDX-License-Identifier: MIT
/// Completion of the command's words in a shell.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// The verb `completion`: prints a script for bash, zsh or fish, computed from the verbs and options of
/// `app`.
void add_completion(CLI::App& app);

}  // namespace frisket::cli
