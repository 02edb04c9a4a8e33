// SPDX-License-Identifier: MIT
#pragma once
namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// The verb `doctor`: what works on this machine, and what to install.  `status` becomes 1 if loops do not run on
/// the processor.
void add_doctor(CLI::App& app, int& status);

}  // namespace frisket::cli
