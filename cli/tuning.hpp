// SPDX-License-Identifier: MIT
#pragma once
namespace CLI {
class App;
}

namespace frisket::cli {

/// The verb `tuning`: what stands in the tuning database.
void add_tuning(CLI::App& app);

}  // namespace frisket::cli
