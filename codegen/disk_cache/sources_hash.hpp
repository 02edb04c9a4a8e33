// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace frisket::codegen {

/// A hash of the sources that this library is built of.
std::string_view sources_hash();

}  // namespace frisket::codegen
