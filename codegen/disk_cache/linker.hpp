// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>
#include <string_view>

namespace frisket::codegen {

struct Linked {
    std::string library;  ///< the bytes of a shared library
    std::string fault;    ///< fault of the linker, if there is no library
};

/// The program that links loops: $CC, or cc, as PATH has it; empty if it has none.
std::string linker_path();

/// A shared library of an object file's bytes, and of what it calls of us.  All files are in memory, but for
/// those that compilers make for themselves.
/// Errors: IoError if this process may not have the files, or start the program, now.
Linked linked(std::string_view object);

/// The fault of the linker, or an empty text: tried once, by a library of no loops.
const std::string& linker_fault();

}  // namespace frisket::codegen
