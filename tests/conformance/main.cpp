// SPDX-License-Identifier: MIT
#include "runner.hpp"
#include "table.hpp"

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>

using namespace conformance;
using namespace frisket::testing;

namespace {

const char* const description =
    R"(Runs reference cases (JSON, schema 1) and compares value, mask, dtype, shape and storage, or the error.
Every case runs in all ways that there are: by the runtime alone, as an expression, as a step, several results
as one step; each twice, with other bytes where nothing is specified.

  conformance cases/                              every file of a folder, through the interpreter
  conformance cases/unary.json --via jit          compiled loops
  conformance cases --filter sqrt --verbose       the cases with sqrt in their id, one line each
  conformance cases --layout bitmask --via jit    the same cases, masked inputs stored as bit masks
  conformance cases --via jit --table FILE        a table of operations and layouts: docs/operations.md

A case that needs what does not exist yet is skipped, and says what; the reasons are counted at the end.
The last line is "N passed, N failed, N skipped"; the exit status is 1 if any failed, and 77 if nothing ran
because this machine lacks the target.)";

int run(const CaseSettings& settings, int tier) {
    Options options{.backend = backend_of(settings.via), .layout = {}};
    if (!settings.layout.empty()) options.layout = frisket::parse_layout(settings.layout);
    std::vector<Json> cases = cases_of(settings, "conformance");
    std::erase_if(cases, [&](const Json& test) { return test.value("tier", 1) > tier; });
    LayoutTable table(options.backend);
    const bool wants_table = !settings.table.empty();
    const std::vector<Verdict> verdicts = run_cases(cases, settings.threads, [&](const Json& test) {
        Verdict verdict = run_case(test, options);
        if (wants_table) table.add(test);
        return verdict;
    });
    if (wants_table) std::ofstream(settings.table) << table.text();
    std::cout << table.failures();
    const bool any_failed = print_verdicts(cases, verdicts, settings.verbose, "skipped for want of:");
    return any_failed || !table.failures().empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{description, "conformance"};
    CaseSettings settings;
    int tier = 2;
    add_case_options(app, settings, "store masked inputs in this layout instead of the case's",
                     "run the cases in every layout besides, and write what held to this file");
    app.add_option("--tier", tier, "cases up to this tier: 1 = core, 2 = rare functions too")
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    return run_case_program(settings, [&] { return run(settings, tier); });
}
