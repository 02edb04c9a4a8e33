// SPDX-License-Identifier: MIT
// Reads $FRISKET_SHOW, and prints stages.
#pragma once
#include <string_view>

namespace frisket::runtime {

/// True if $FRISKET_SHOW names this stage: a comma-separated list of graph, plan, schedule, loops, cache.
/// Errors: ValueError if it names another stage.
bool shows(std::string_view stage);

/// Prints a stage's text to stderr under a title line.
void show(std::string_view stage, std::string_view title, std::string_view text);

}  // namespace frisket::runtime
