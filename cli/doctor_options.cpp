// SPDX-License-Identifier: MIT
#include "doctor.hpp"

#include <CLI/CLI.hpp>

#include <utility>

namespace frisket::cli {

namespace {

const char* const notes =
    R"(Prints the versions, the processor, each target and whether a small step ran on it just now (and how fast a device copies),
the memory of devices, the tuning database and the loops on disk; then what to install for what does not work.  The exit status is 1 if not even loops for
the processor run.)";

}  // namespace

void add_doctor(CLI::App& app, std::function<bool()> run, int& status) {
    CLI::App* const verb = app.add_subcommand("doctor", "what works on this machine, and what to install");
    verb->footer(notes);
    verb->callback([run = std::move(run), &status] { status = run() ? 0 : 1; });
}

}  // namespace frisket::cli
