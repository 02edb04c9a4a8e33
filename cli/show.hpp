// SPDX-License-Identifier: MIT
#pragma once
namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// The verb `show`: a step of optim/ at a stage of its way to machine code.
void add_show(CLI::App& app);

}  // namespace frisket::cli
