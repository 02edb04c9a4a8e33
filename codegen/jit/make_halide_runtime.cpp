// SPDX-License-Identifier: MIT
// A program of the build, FILE TARGET: writes the object file of Halide's runtime that the library carries.
#include <Halide.h>

#include <exception>
#include <iostream>
#include <string>

namespace {

/// Writes an object file with Halide's runtime for a target's processors: functions that linked loops call,
/// and the threads that they share.
void write_halide_runtime(const std::string& file, const std::string& name) {
    // The target has no instruction set: this runtime finds out which there are.
    const Halide::Target given(name);
    Halide::Target target(given.os, given.arch, given.bits);
#if defined(__SANITIZE_THREAD__)
    target.set_feature(Halide::Target::TSAN);
#endif
    Halide::compile_standalone_runtime({{Halide::OutputFileType::object, file}}, target);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 3) write_halide_runtime(argv[1], argv[2]);
        return argc == 3 ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
