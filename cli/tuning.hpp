// SPDX-License-Identifier: MIT
// Declares the verb `tuning`.
#pragma once
namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// The verb `tuning`: the contents of the tuning database.
void add_tuning(CLI::App& app);

}  // namespace frisket::cli
