// SPDX-License-Identifier: MIT
// Prints the lines of `doctor`.
#pragma once
#include <string>

namespace frisket::cli {

/// Prints a line of `doctor`: a name, and its text in the next column.
void print_line(const std::string& name, const std::string& text);
/// Prints the versions, the processor and the threads.
void print_machine(const std::string& halide, const std::string& processor);
/// Prints the devices that drivers know.
void print_devices();
/// Prints the tuning database, and the compiled loops that are kept in a folder.
void print_kept(const std::string& loops);

/// Prints the report of `doctor` where nothing can be compiled, for the reason `why`.
void print_without_compiler(const std::string& why);

}  // namespace frisket::cli
