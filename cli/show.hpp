// SPDX-License-Identifier: MIT
// Declares the verb `show`.
#pragma once
#include <functional>

#include "rule_step.hpp"
#include "show_step.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Values of the options of `show`.
struct ShowSettings {
    RuleSettings rule{.shape = {4096, 64}};
    ShowOptions options;
};

/// The verb `show`: an optimizer's step at each stage of its way to loops, which `run` prints.
void add_show(CLI::App& app, std::function<void(ShowSettings&)> run);

}  // namespace frisket::cli
