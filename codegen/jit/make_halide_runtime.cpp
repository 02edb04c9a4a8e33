// SPDX-License-Identifier: MIT
// A program of the build: writes the object file of Halide's runtime that the library carries.
#include <exception>
#include <iostream>

#include "halide_runtime.hpp"

int main(int argc, char** argv) {
    try {
        if (argc == 2) frisket::codegen::write_halide_runtime(argv[1]);
        return argc == 2 ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
