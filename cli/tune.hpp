// SPDX-License-Identifier: MIT
// Declares the verb `tune`.
#pragma once
#include <functional>

#include "rule_step.hpp"
#include "search.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Values of the options of `tune`.
struct TuneSettings {
    RuleSettings rule{.shape = {4096, 4096}};
    SearchSettings search;
};

/// The verb `tune`: `run` looks for the fastest schedule of an optimizer's step.
void add_tune(CLI::App& app, std::function<void(const TuneSettings&)> run);

}  // namespace frisket::cli
