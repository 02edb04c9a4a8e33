// SPDX-License-Identifier: MIT
/// The command `frisket`, which runs without libHalide: it knows the words of every verb, and starts
/// frisket-compile for those that compile.
#include "../codegen/tuning/records/machine.hpp"
#include "build.hpp"
#include "cache.hpp"
#include "command.hpp"
#include "commit.hpp"
#include "compiling_program.hpp"
#include "completion.hpp"
#include "doctor.hpp"
#include "doctor_report.hpp"
#include "show.hpp"
#include "tune.hpp"
#include "tuning.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

namespace {

const char* const description =
    R"(frisket: masked tensor expressions, compiled to one fused loop nest.

  frisket doctor                                    what works on this machine, and what to install
  frisket show adagrad                              an optimizer's step as a graph
  frisket show adagrad --stage loops --layout coo   the loops that walk a list of positions
  frisket tune adagrad --shape 4096,4096            the fastest schedule here, kept for the calls to come
  frisket tune adam --report page.html              and a page that shows how it was found
  frisket build kernels --steps adagrad --from adagrad.hpp --layouts coo   a library of them, for C and C++
  frisket tuning ls                                 which schedules were found to be fast
  frisket cache ls                                  which compiled loops are kept on disk

Every verb has a --help with more.)";

}  // namespace

int main(int argc, char** argv) {
    using namespace frisket::cli;
    CLI::App app{description, "frisket"};
    app.require_subcommand(0, 1);
    app.set_version_flag("--version", "frisket " + frisket::codegen::frisket_version() + " (commit " +
                                          source_commit + ", Halide " + frisket::codegen::halide_version() +
                                          ")");
    int status = 0;
    const auto compile = [argv](const auto& /*settings*/) { compile_instead(argv); };
    const auto examine = [argv]() -> bool {
        const std::string why = why_not_compiling();
        if (why.empty()) compile_instead(argv);
        print_without_compiler(why);
        return false;
    };
    add_doctor(app, examine, status);
    add_show(app, compile);
    add_tune(app, compile);
    add_build(app, compile);
    add_tuning(app);
    add_cache(app);
    add_completion(app);
    app.callback([&] {
        if (app.get_subcommands().empty()) std::cout << app.help();
    });
    const int failed = run_command(app, argc, argv);
    return failed != 0 ? failed : status;
}
