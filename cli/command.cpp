// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>

namespace frisket::cli {

namespace {

int fail(const std::string& sentence) {
    std::cout << std::flush;
    std::cerr << (sentence.starts_with("frisket: ") ? "" : "frisket: ") << sentence << "\n";
    return 2;
}

}  // namespace

int run_command(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        return fail(std::string(error.what()) + ": " + app.get_name() + " --help says how it is used");
    } catch (const std::exception& error) { return fail(error.what()); }
}

}  // namespace frisket::cli
