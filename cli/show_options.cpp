// SPDX-License-Identifier: MIT
#include "show_step.hpp"

#include "../codegen/representation.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace frisket::cli {

void add_show_options(CLI::App& verb, ShowOptions& options) {
    verb.add_option("--stage", options.stage, "graph, plan, schedule, loops or asm")->capture_default_str();
    verb.add_option("--strategy", options.strategy, "this one alone");
    verb.add_option("--svg", options.svg, "write a picture of the graph and its plans to this file");
}

std::string stages_text() {
    std::string text = "Stages:";
    for (const codegen::StageInfo& row : codegen::stages)
        text += "\n  " + std::string(row.name) + ": " + std::string(row.is);
    return text;
}

}  // namespace frisket::cli
