// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <filesystem>
#include <string>

#include "../files.hpp"

namespace frisket {

/// The program that links loops: $CC, or cc, as PATH has it; empty if it has none.
std::string linker_path();

/// The bytes of a shared library of one object file, which lies in `folder`, and what it calls of us.
/// Errors: IoError if there is no linker, or it fails.
std::string linked(const PassingFolder& folder, const std::filesystem::path& object);

/// What is wrong with the linker, or an empty text: tried once, by a library of no loops.
const std::string& linker_fault();

}  // namespace frisket
