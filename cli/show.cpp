// SPDX-License-Identifier: MIT
#include "show.hpp"

#include "../optim/optim.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace frisket::cli {

namespace {

std::string show_examples() {
    std::string text = R"(Examples:
  frisket show adagrad                                    its instructions
  frisket show adam --option amsgrad=true --stage plan    which elements are walked, read and updated
  frisket show adagrad --layout coo --stage loops         the loops over a list of positions
  frisket show adagrad --layout rows --svg adagrad.svg    a picture of its graph and its plan
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

}  // namespace

void add_show(CLI::App& app, std::function<void(ShowSettings&)> run) {
    CLI::App* const verb =
        app.add_subcommand("show", "print an optimizer's step at a stage of its way to loops");
    verb->footer(show_examples());
    const auto settings = std::make_shared<ShowSettings>();
    add_rule_options(*verb, settings->rule);
    add_show_options(*verb, settings->options);
    verb->callback([settings, run = std::move(run)] { run(*settings); });
}

}  // namespace frisket::cli
