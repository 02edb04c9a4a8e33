// SPDX-License-Identifier: MIT
#include "case.hpp"
#include "table.hpp"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>

using namespace goldens;
using namespace frisket::testing;

namespace {

const char* const description =
    R"(Runs golden trajectories of optimizers (JSON, schema 1) in float64 and float32, and compares parameter
and state after every step.

  optimizers goldens/                       every file of a folder, through the interpreter
  optimizers goldens/adam.json --via jit    compiled loops
  optimizers goldens/ --layout bitmask      the same cases, gradients stored as bit masks
  optimizers goldens/ --table FILE          a table of optimizers and layouts: docs/optimizers.md

The last line is "N passed, N failed, N skipped"; the exit status is 1 if any failed, and 77 if nothing ran
because this machine lacks the target.)";

int run(const CaseSettings& settings) {
    Options options{.interpret = settings.via == "interpret", .target = {}, .layout = {}};
    if (settings.via != "interpret" && settings.via != "jit")
        options.target = frisket::TargetName{settings.via};
    if (!settings.layout.empty()) options.layout = frisket::parse_layout(settings.layout);
    if (!options.interpret && frisket::check_present(options.target).gpu) {
        options.device = frisket::device(settings.via);
        options.target = {};
    }
    const std::vector<Json> cases = cases_of(settings, "optimizers");
    SupportTable table;
    if (!settings.table.empty()) {
        table = support_table(cases);
        std::ofstream(settings.table) << table.text;
    }
    for (const std::string& failure : table.failures) std::cout << "FAILED  " << failure << "\n";
    const std::vector<Verdict> verdicts =
        run_cases(cases, settings.threads, [&](const Json& test) { return run_case(test, options); });
    const bool any_failed = print_verdicts(cases, verdicts, settings.verbose, "skipped:");
    return any_failed || !table.failures.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{description, "optimizers"};
    CaseSettings settings;
    add_case_options(app, settings, "store gradients in this layout where it can hold them",
                     "try every optimizer with every layout besides, and write what held to this file");
    CLI11_PARSE(app, argc, argv);
    return run_case_program(settings, [&] { return run(settings); });
}
