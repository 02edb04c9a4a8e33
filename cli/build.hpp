// SPDX-License-Identifier: MIT
// Declares the verb `build`.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's name
class App;
}

namespace frisket::cli {

/// Values of the options of `build`.
struct BuildSettings {
    std::string name, from, name_space, shared, schedules, out = ".", cross, compiler;
    std::vector<std::string> steps, functions, optimizers, layouts, shapes, targets{"host"};
};

/// Makes a library of kernels compiled ahead of time.  Errors: ValueError, IoError beginning with "build".
void build(const BuildSettings& settings);

/// The verb `build`: a library of kernels compiled ahead of time, without CMake, which `run` makes.
void add_build(CLI::App& app, std::function<void(const BuildSettings&)> run);

}  // namespace frisket::cli
