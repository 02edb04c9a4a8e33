// SPDX-License-Identifier: MIT
// Returns the hash of the library's sources, which identifies a build.
#pragma once
#include <string_view>

namespace frisket::codegen {

/// A hash of the sources that this library is built of.
std::string_view sources_hash();

}  // namespace frisket::codegen
