// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// `frisket tune STEP`: looks for the fastest schedule on this machine, and keeps it.
void add_tune(CLI::App& app);

}  // namespace frisket::cli
