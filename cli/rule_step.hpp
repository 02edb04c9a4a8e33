// SPDX-License-Identifier: MIT
// Makes the step of an optimizer from options of a verb.
#pragma once
#include "../optim/rule.hpp"

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Options of a verb that name a step of `optim/`.
struct RuleSettings {
    std::string step = {}, layout = "bitmask", target = {}, dtype = "float32";
    std::vector<std::string> options = {};
    Shape shape;
};

/// Adds STEP, --layout, --target, --dtype, --shape and --option.
void add_rule_options(CLI::App& verb, RuleSettings& settings);

struct RuleStep {
    optim::AnyRule rule;
    DType dtype;
    Graph graph;
};
/// Errors: ValueError, DTypeError beginning with the verb.
RuleStep rule_step(const std::string& verb, const RuleSettings& settings);

}  // namespace frisket::cli
