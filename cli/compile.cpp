// SPDX-License-Identifier: MIT
/// The program frisket-compile: the verbs of the command `frisket` that compile.  The command starts it.
#include "build.hpp"
#include "command.hpp"
#include "doctor.hpp"
#include "programs.hpp"
#include "show.hpp"
#include "tune.hpp"

#include <CLI/CLI.hpp>

namespace {

using namespace frisket;
using namespace frisket::cli;

void show_rule(ShowSettings& settings) {
    settings.options.layout = settings.rule.layout;
    settings.options.target = settings.rule.target;
    show_step(rule_step("show", settings.rule).graph, settings.options);
}

void tune_rule(const TuneSettings& settings) {
    const RuleStep made = rule_step("tune", settings.rule);
    const auto numbers_of = [&](const Shape& shape) {
        std::vector<optim::Number> numbers;
        made.rule.info().numbers(made.rule.data(), made.dtype, shape, numbers);
        return numbers;
    };
    SearchSettings search = settings.search;
    search.page_script = find_page_script();
    tune_step({.graph = made.graph,
               .numbers = numbers_of,
               .dtype = made.dtype,
               .shape = settings.rule.shape,
               .layout = settings.rule.layout,
               .target = settings.rule.target},
              search);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"frisket", "frisket"};
    app.require_subcommand(1);
    int status = 0;
    add_doctor(app, doctor, status);
    add_show(app, show_rule);
    add_tune(app, tune_rule);
    add_build(app, build);
    const int failed = run_command(app, argc, argv);
    return failed != 0 ? failed : status;
}
