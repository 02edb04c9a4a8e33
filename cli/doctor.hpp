// SPDX-License-Identifier: MIT
// Declares the verb `doctor`.
#pragma once
#include <functional>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Prints what works on this machine, and what to install.  True if loops run on the processor.
bool doctor();

/// The verb `doctor`, which `run` does.  `status` becomes 1 if it returns false.
void add_doctor(CLI::App& app, std::function<bool()> run, int& status);

}  // namespace frisket::cli
