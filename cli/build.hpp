// SPDX-License-Identifier: MIT
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// The verb `build`: a library of kernels compiled ahead of time, without CMake.
void add_build(CLI::App& app);

}  // namespace frisket::cli
