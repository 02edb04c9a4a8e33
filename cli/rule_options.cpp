// SPDX-License-Identifier: MIT
#include "rule_step.hpp"

#include <CLI/CLI.hpp>

namespace frisket::cli {

void add_rule_options(CLI::App& verb, RuleSettings& settings) {
    verb.add_option("STEP", settings.step, "a step of optim/, adagrad for instance")->required();
    verb.add_option("--layout", settings.layout, "of the gradient")->capture_default_str();
    verb.add_option("--target", settings.target, "of the table that `frisket doctor` prints");
    verb.add_option("--dtype", settings.dtype, "of the parameter")->capture_default_str();
    verb.add_option("--shape", settings.shape, "of the parameter")->delimiter(',')->capture_default_str();
    verb.add_option("--option", settings.options, "an option of the rule, NAME=VALUE; may be given again");
}

}  // namespace frisket::cli
