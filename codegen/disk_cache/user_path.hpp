// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>

namespace frisket::codegen {

/// Path of a file or folder of the user's: the value of the environment variable, or `below` in the user's
/// cache folder ($XDG_CACHE_HOME, ~/.cache); empty if the variable is "off", or such a folder is missing.
std::string user_path(const char* variable, const std::string& below);

}  // namespace frisket::codegen
