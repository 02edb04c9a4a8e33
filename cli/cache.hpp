// SPDX-License-Identifier: MIT
// Declares the verb `cache`.
#pragma once
namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// The verb `cache`: compiled loops on disk.
void add_cache(CLI::App& app);

}  // namespace frisket::cli
