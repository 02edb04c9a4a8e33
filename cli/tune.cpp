// SPDX-License-Identifier: MIT
#include "tune.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

namespace frisket::cli {

namespace {

const char* const tune_examples = R"(Examples:
  frisket tune adagrad --shape 1000000,64 --layout rows --density 0.01
  frisket tune adam --shape 4096,4096 --layout strided --mask mask.npy --budget 60
  frisket tune adagrad --shape 4096,4096 --density 0.1 --report page.html

What is found is kept in the tuning database, and kernels take it from their first call on; `frisket tuning ls`
lists it.  Ctrl-C ends the search and keeps what was found until then.  A schedule is kept if pairs of calls
confirm that it is faster by 5 % and by more than the default differs from itself.

Steps and expressions of your own stand in a header: frisket_add_kernels(NAME STEPS … EXPRESSIONS … FROM header.hpp)
makes the program NAME_tune, which is this verb for them.

The page of --report is one file for a browser, or for lynx and w3m: the search, every candidate with its spread,
the limit of memory, other loops, which strategy wins at which density and pattern, what each of them touches.
python3 draws it from page.json, which is written beside page.html; without python3 the command that draws it is
printed.  --report page.json writes the data only.)";

}  // namespace

void add_tune(CLI::App& app, std::function<void(const TuneSettings&)> run) {
    CLI::App* const verb =
        app.add_subcommand("tune", "look for the fastest schedule of an optimizer's step here");
    verb->footer(tune_examples);
    const auto settings = std::make_shared<TuneSettings>();
    add_rule_options(*verb, settings->rule);
    add_search_options(*verb, settings->search);
    verb->callback([settings, run = std::move(run)] { run(*settings); });
}

}  // namespace frisket::cli
