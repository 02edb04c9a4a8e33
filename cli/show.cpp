// SPDX-License-Identifier: MIT
#include "show.hpp"

#include "../optim/rule.hpp"
#include "command.hpp"
#include "rule_step.hpp"
#include "show_step.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace frisket::cli {

namespace {

struct ShowSettings {
    RuleSettings rule{.shape = {4096, 64}};
    ShowOptions options;
};

std::string show_examples() {
    std::string text = R"(Examples:
  frisket show adagrad                                    its instructions
  frisket show adam --option amsgrad=true --stage plan    which elements are walked, read and updated
  frisket show adagrad --layout coo --stage loops         the loops over a list of positions
  frisket show sgd --stage asm --strategy skip --target x86-64-avx512

A layout has a loop for each strategy that calls with it may choose; --strategy leaves one.  The target need not be
this machine's.  Steps with norms or means over whole tensors are shown for --shape, as what is computed first and the
elementwise steps after it.

)";
    text += stages_text();
    text += "\nSteps:\n ";
    for (const std::string_view name : optim::rule_names()) text += " " + std::string(name);
    return text;
}

void show(ShowSettings& settings) {
    settings.options.layout = settings.rule.layout;
    settings.options.target = settings.rule.target;
    show_step(rule_step("show", settings.rule).graph, settings.options);
}

}  // namespace

void add_show(CLI::App& app) {
    CLI::App* const verb =
        app.add_subcommand("show", "print an optimizer's step at a stage of its way to loops");
    verb->footer(show_examples());
    const auto settings = std::make_shared<ShowSettings>();
    add_rule_options(*verb, settings->rule);
    add_show_options(*verb, settings->options);
    verb->callback([settings] { show(*settings); });
}

}  // namespace frisket::cli
